"""Questions as people type them and as GeoQuery writes them, and the rows of GEO."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import HELD_OUT, QUERY, STANDARD, gazetteer, kind_of_question
from lear.domains.geo.facts import read_facts
from lear.domains.geo.words import tokenize
from lear.storage.datasets import DataFolder


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


@pytest.mark.data
def test_the_rows_held_out_are_rows_of_the_600(
    load_geo: Callable[[Benchmark, str], list[Example]],
) -> None:
    train, dev = (load_geo(HELD_OUT, part) for part in ("train", "dev"))
    whole, test = (load_geo(STANDARD, part) for part in ("train", "test"))
    assert (len(train), len(dev), len(whole), len(test)) == (500, 100, 600, 280)
    assert {row.source for row in train} | {row.source for row in dev} == {r.source for r in whole}
    assert {row.source for row in whole}.isdisjoint(row.source for row in test)


@pytest.mark.data
def test_names_are_the_same_with_and_without_the_file(geo_data: Path, tmp_path: Path) -> None:
    with_file, without = (DataFolder(root, "--data").find for root in (geo_data, tmp_path))
    names = gazetteer(STANDARD, with_file)
    assert names == gazetteer(STANDARD, without)
    assert len(names) > 600


def test_anonymised_questions_have_no_list_of_names(tmp_path: Path) -> None:
    assert gazetteer(QUERY, DataFolder(tmp_path, "--data").find) == ()


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("answer(exclude(state(all), stateid('texas')))", "set operation"),
        ("answer(most(state(loc_1(river(all)))))", "most or fewest"),
        ("answer(largest_one(population_1(state(all))))", "superlative"),
        ("answer(count(river(all)))", "count or sum"),
        ("answer(capital(loc_2(stateid('texas'))))", "plain"),
    ],
)
def test_questions_are_sorted_by_what_is_hard_about_them(program: str, kind: str) -> None:
    assert kind_of_question(program) == kind
