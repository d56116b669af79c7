"""Questions as people type them, and as GeoQuery writes them."""

import re
from pathlib import Path

import pytest

from lear.domains.geo.facts import read_facts
from lear.domains.geo.words import tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("What's the capital of the U.S.?", "what is the capital of the us"),
        ("what 's the largest city", "what 's the largest city"),
        ("Which state\u2019s capital is Dover", "which state 's capital is dover"),
        ("the states\u2019 capitals", "the states 's capitals"),
        ("Whats in the U.S.A.", "what is in the usa"),
        ("cities of the u. s., of the U S A", "cities of the us of the usa"),
        ("How big is Washington, D.C.?", "how big is washington dc"),
        ("rivers in N.Y. & N. Dakota", "rivers in ny and north dakota"),
        ("St. Louis, Saint Paul", "st louis st paul"),
        ("Mt. McKinley, mt whitney; cities in MT.", "mount mckinley mount whitney cities in mt"),
        ("Ft. Worth is above 1,000 ft", "fort worth is above 1000 ft"),
        ("Winston\u2013Salem, winston salem", "winston-salem winston-salem"),
        ("the most-populous state", "the most populous state"),
        ("San Jos\u00e9, Hawai\u02bbi, Scott's Valley", "san jose hawaii scotts valley"),
        ("no. of states, 2,000,000 sq. km", "number of states 2000000 square km"),
        ("states that don't border Utah", "states that do not border utah"),
        ("I'd like to know what you're after", "i would like to know what you are after"),
        ("states with city_var0", "states with city_var0"),
        ("?", ""),
    ],
)  # fmt: skip
def test_questions_are_spelt_as_in_the_files(text: str, tokens: str) -> None:
    assert tokenize(text) == tuple(tokens.split())


@pytest.mark.data
def test_names_of_geobase_are_spelt_as_they_are_listed(geo_data: Path) -> None:
    for thing in read_facts(geo_data / "geo/geobase/geobase").things():
        words = tuple(re.findall(r"[a-z0-9-]+", thing.name))
        assert tokenize(thing.name) == tokenize(thing.name.title()) == words
