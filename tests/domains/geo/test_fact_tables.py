"""The facts that ship: they are Geobase's, fact by fact, and can be made again from its file."""

from pathlib import Path

import pytest

from lear.domains.geo.facts import (
    CLASSES,
    SHIPPED,
    City,
    Facts,
    read_facts,
    read_tables,
    shipped_facts,
    write_tables,
)
from lear.errors import DataError
from tests.support.small_country import SMALL_COUNTRY

MAX_BYTES = 60_000


@pytest.fixture
def small_facts(tmp_path: Path) -> Facts:
    path = tmp_path / "facts"
    path.write_text(SMALL_COUNTRY)
    return read_facts(path)


@pytest.mark.data
@pytest.mark.parametrize("table", CLASSES)
def test_the_facts_that_ship_are_those_of_geobase_in_order(
    original_facts: Facts, table: str
) -> None:
    assert getattr(shipped_facts(), table) == getattr(original_facts, table)


@pytest.mark.data
def test_the_tables_that_ship_can_be_made_again(original_facts: Facts, tmp_path: Path) -> None:
    write_tables(original_facts, tmp_path)
    for table in CLASSES:
        name = f"{table}.csv"
        assert (tmp_path / name).read_bytes() == (SHIPPED / name).read_bytes()


def test_what_ships_is_whole_and_small() -> None:
    sizes = {table: len(getattr(shipped_facts(), table)) for table in CLASSES}
    assert sizes == {
        "states": 51, "cities": 387, "rivers": 46, "borders": 51, "points": 51,
        "mountains": 50, "roads": 40, "lakes": 22, "countries": 1,
    }  # fmt: skip
    page = (SHIPPED / "README.md").read_text()
    for table, size in sizes.items():
        assert f"| `{table}.csv` | {size} |" in page
    assert sum(path.stat().st_size for path in SHIPPED.iterdir()) < MAX_BYTES


def test_headings_name_units() -> None:
    headings = {table: (SHIPPED / f"{table}.csv").read_text().splitlines()[0] for table in CLASSES}
    assert "area (square miles)" in headings["states"]
    assert "area (square km)" in headings["lakes"]
    assert headings["mountains"] == "state,name,elevation (metres)"


def test_reading_is_the_inverse_of_writing(small_facts: Facts, tmp_path: Path) -> None:
    write_tables(small_facts, tmp_path)
    assert read_tables(tmp_path) == small_facts
    odd = Facts(states=small_facts.states, cities=(City("north", "no", 'a, "b"', 0.5),))
    write_tables(odd, tmp_path)
    assert read_tables(tmp_path) == odd


@pytest.mark.parametrize(
    ("table", "old", "new", "cause"),
    [
        ("cities", "state,name", "name,state", "cities.csv:1: the headings are not state,name,"),
        ("cities", "upton,900", "upton", "cities.csv:2: 3 cells are expected, not 2"),
        ("cities", "upton,900", "upton,many", "cities.csv:2: Expected `float`, got `str`"),
        ("cities", "south,twin", "east,twin", "cities.csv:4: Object missing required field"),
        ("lakes", "puddle,7", "puddle,0", "lakes.csv:2: Expected `float` > 0.0"),
    ],
)
def test_a_broken_table_is_named_with_its_line(
    small_facts: Facts, tmp_path: Path, table: str, old: str, new: str, cause: str
) -> None:
    write_tables(small_facts, tmp_path)
    path = tmp_path / f"{table}.csv"
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(DataError) as caught:
        read_tables(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path}/{cause}")
