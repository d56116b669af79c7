"""Reading Geobase: typed facts, and what is wrong with a file, one line each."""

from dataclasses import fields
from pathlib import Path

import pytest

from lear.domains.geo.facts import MAX_FILE_BYTES, City, Facts, Lake, Thing, read_facts
from lear.errors import DataError
from tests.support.small_country import SMALL_COUNTRY


def write(folder: Path, text: str) -> Path:
    path = folder / "facts"
    path.write_text(text)
    return path


def test_facts_are_typed(tmp_path: Path) -> None:
    facts = read_facts(write(tmp_path, SMALL_COUNTRY))
    assert facts.states[1].population == 3_000_500
    assert facts.cities[0] == City("north", "no", "upton", 900)
    assert facts.lakes == (Lake("puddle", 7, ("north", "isle")),)
    assert facts.borders[2].neighbours == ()
    assert facts.points[1].lowest_elevation == -5


def test_spaces_and_comments_do_not_matter(tmp_path: Path) -> None:
    spaced = SMALL_COUNTRY.replace(",", " ,\t").replace("[", "[ ").replace("]", " ]")
    commented = "% Prolog's own comment\n\n" + spaced.replace("\n", "  \r\n")
    assert read_facts(write(tmp_path, commented)) == read_facts(write(tmp_path, SMALL_COUNTRY))


def test_everything_named_is_a_thing_once(tmp_path: Path) -> None:
    things = read_facts(write(tmp_path, SMALL_COUNTRY)).things()
    assert len(set(things)) == len(things)
    assert [thing for thing in things if thing.name == "twin"] == [
        Thing("city", "twin", "no"),
        Thing("city", "twin", "so"),
    ]
    # A capital that is no city of the file has a name all the same.
    assert Thing("city", "downton", "so") in things
    assert Thing("place", "pit", "so") in things
    assert Thing("mountain", "second", "no") in things
    assert things[-1] == Thing("country", "land")


@pytest.mark.data
def test_geobase_is_read_as_a_whole(original_facts: Facts) -> None:
    sizes = {
        field.name: len(getattr(original_facts, field.name)) for field in fields(original_facts)
    }
    assert sizes == {
        "states": 51, "cities": 387, "rivers": 46, "borders": 51, "points": 51,
        "mountains": 50, "roads": 40, "lakes": 22, "countries": 1,
    }  # fmt: skip
    things = original_facts.things()
    for name in (
        Thing("state", "texas"),
        Thing("city", "austin", "tx"),
        Thing("river", "mississippi"),
        Thing("place", "death valley", "ca"),
        Thing("mountain", "mckinley", "ak"),
        Thing("lake", "tahoe"),
        Thing("country", "usa"),
    ):
        assert name in things
    assert len([thing for thing in things if thing[:2] == ("city", "springfield")]) == 4


@pytest.mark.data
def test_states_and_abbreviations_are_inverse(original_facts: Facts) -> None:
    abbreviations = original_facts.abbreviation_by_state()
    assert abbreviations["texas"] == "tx"
    assert {
        short: name for name, short in abbreviations.items()
    } == original_facts.state_by_abbreviation()


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("city('north','no','x',5)", "not a fact of the form"),
        ("no facts here", "not a fact of the form"),
        ("city('north','no','x'5).", "cannot read the arguments from '5' on"),
        ("city('north','no',x,5).", "cannot read the arguments from 'x,5' on"),
        ("city('north','no','x',5,).", "cannot read the arguments from '' on"),
        ("city().", "cannot read the arguments from '' on"),
        ("river('x',5,['north','south').", "cannot read the arguments"),
        ("river('x',5,['north',['south']]).", "cannot read the arguments"),
        ("city('north','no','x',__import__('os')).", "cannot read the arguments"),
        ("city('north','no','x',1e999).", "the number 1e999 is too large"),
        ("city('north','no','x').", "city has 4 arguments, not 3"),
        ("city('north','no','x','5').", "city: Expected `float`, got `str` - at `$.population`"),
        ("city('north','no',7,5).", "city: Expected `str`, got `int` - at `$.name`"),
        ("city('north','no','',5).", "city: Expected `str` of length >= 1 - at `$.name`"),
        ("city('north','no','x',-1).", "city: Expected `float` >= 0.0 - at `$.population`"),
        ("lake('x',0,['north']).", "lake: Expected `float` > 0.0 - at `$.area`"),
        ("river('x',5,'north').", "river: Expected `array`, got `str` - at `$.states`"),
        ("citty('north','no','x',5).", "unknown predicate 'citty'; did you mean 'city'?"),
        ("city('east','ea','x',5).", "unknown state 'east'"),
        ("river('x',5,['north','narnia']).", "unknown state 'narnia'"),
        ("city('north','so','x',5).", "north is 'no', not 'so'"),
        ("city('north','no','upton',5).", "city upton no is in line 5 already"),
        ("country('land',5,5).", "country land is in line 20 already"),
        ("city('north','no','x\x1b[31m',5).", "a control character"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, line: str, cause: str) -> None:
    path = write(tmp_path, f"{SMALL_COUNTRY}{line}\n")
    with pytest.raises(DataError) as caught:
        read_facts(path)
    number = SMALL_COUNTRY.count("\n") + 1
    assert str(caught.value).startswith(f"{path}:{number}: {cause}")
    assert str(caught.value).isprintable()


def test_a_file_that_is_no_text_or_has_no_facts_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"facts: no facts$"):
        read_facts(write(tmp_path, "# nothing\n\n"))
    (tmp_path / "facts").write_bytes(b"city('\xff')")
    with pytest.raises(DataError, match=r"facts:1: not UTF-8 text$"):
        read_facts(tmp_path / "facts")
    with pytest.raises(DataError, match=r"absent: cannot be read"):
        read_facts(tmp_path / "absent")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "facts"
    with path.open("wb") as stream:
        stream.truncate(MAX_FILE_BYTES + 1)
    with pytest.raises(DataError, match=r"facts: larger than 10,000,000 bytes"):
        read_facts(path)
