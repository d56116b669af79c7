"""The facts of Geobase: its file, the tables that ship, and the units of answers."""

from pathlib import Path

import pytest

from geobase_tables import write_tables
from lear.domains.geo.facts import (
    CLASSES,
    MAX_FILE_BYTES,
    SHIPPED,
    UNITS,
    City,
    Facts,
    Lake,
    Thing,
    read_facts,
    read_tables,
    shipped_facts,
    unit_of,
)
from lear.domains.geo.functions import FUNCTIONS, NUMBER
from lear.domains.geo.interpreter import Interpreter, read_gold
from lear.errors import DataError, FormError
from tests.support.small_country import SMALL_COUNTRY


def write(folder: Path, text: str) -> Path:
    path = folder / "facts"
    path.write_text(text)
    return path


def test_facts_are_typed(small_facts: Facts) -> None:
    facts = small_facts
    assert facts.states[1].population == 3_000_500
    assert facts.cities[0] == City("north", "no", "upton", 900)
    assert facts.lakes == (Lake("puddle", 7, ("north", "isle")),)
    assert facts.borders[2].neighbours == ()
    assert facts.points[1].lowest_elevation == -5


def test_spaces_and_comments_do_not_matter(small_facts: Facts, tmp_path: Path) -> None:
    spaced = SMALL_COUNTRY.replace(",", " ,\t").replace("[", "[ ").replace("]", " ]")
    commented = "% Prolog's own comment\n\n" + spaced.replace("\n", "  \r\n")
    assert read_facts(write(tmp_path, commented)) == small_facts


def test_everything_named_is_a_thing_once(small_facts: Facts) -> None:
    things = small_facts.things()
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


MAX_BYTES = 60_000


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
    assert {
        Thing("state", "texas"),
        Thing("city", "austin", "tx"),
        Thing("river", "mississippi"),
        Thing("place", "death valley", "ca"),
        Thing("mountain", "mckinley", "ak"),
        Thing("lake", "tahoe"),
        Thing("country", "usa"),
    } <= set(shipped_facts().things())


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


@pytest.mark.parametrize(
    ("program", "unit"),
    [
        ("area_1(stateid('texas'))", "square miles"),
        ("area_1(lake(all))", "square km"),
        ("area_1(countryid('usa'))", "square km"),
        ("density_1(stateid('texas'))", "people per square mile"),
        ("density_1(countryid('usa'))", "people per square km"),
        ("population_1(capital(loc_2(largest(state(all)))))", "people"),
        ("len(longest(river(all)))", "km"),
        ("elevation_1(placeid('mount whitney'))", "metres"),
        ("elevation_1(mountain(all))", "metres"),
        # `size` is another property for each sort.
        ("size(stateid('texas'))", "square miles"),
        ("size(lake(all))", "square km"),
        ("size(cityid('austin', 'tx'))", "people"),
        ("size(riverid('ohio'))", "km"),
        # The extreme of numbers, and their sum, have the unit of the numbers.
        ("sum(area_1(state(all)))", "square miles"),
        ("largest(population_1(city(all)))", "people"),
        ("smallest(size(intersection(river(all), river(loc_2(stateid('texas'))))))", "km"),
        # Counts, and names: also of what has an extreme property.
        ("count(state(all))", None),
        ("largest_one(area_1(state(all)))", None),
        ("largest(state(all))", None),
        ("state(next_to_2(stateid('texas')))", None),
        ("place(elevation_2(0))", None),
        ("exclude(state(all), stateid('texas'))", None),
        ("stateid('texas')", None),
        ("0", None),
        # Geobase has no areas of cities.
        ("area_1(cityid('austin', _))", None),
        # An anonymised name may be anything that has the property.
        ("len(var0)", "km"),
        ("population_1(var0)", "people"),
        ("population_1(var0, var1)", "people"),
        ("area_1(var0)", None),
    ],
)
def test_the_unit_follows_from_the_program(program: str, unit: str | None) -> None:
    assert unit_of(f"answer({program})") == unit


def test_every_property_has_a_unit() -> None:
    properties = {name for name in FUNCTIONS if NUMBER in _results(name)}
    assert set(UNITS) == properties - {"count", "sum", "largest", "smallest"}


def _results(function: str) -> set[object]:
    return {kind for kinds in FUNCTIONS[function].values() for kind in kinds}


@pytest.mark.parametrize("form", ["answer(longest(state(all)))", "answer(state(all)", "state(all)"])
def test_what_cannot_be_run_has_no_unit(form: str) -> None:
    with pytest.raises(FormError):
        unit_of(form)


@pytest.mark.data
def test_all_answers_that_are_numbers_have_a_unit_but_counts(
    geo_folder: Path, interpreter: Interpreter
) -> None:
    run = interpreter.run
    units = set()
    for gold in read_gold(geo_folder / "funql_880/answers.jsonl"):
        form = str(gold.program)
        unit = unit_of(form)
        has_numbers = any(not isinstance(part, str) for part in run(gold.program))
        assert has_numbers <= (unit is not None or form.startswith("answer(count(")), form
        assert (unit is not None) <= (has_numbers or not run(gold.program)), form
        units.add(unit)
    assert units == {
        None, "people", "square miles", "square km", "km", "metres",
        "people per square mile", "people per square km",
    }  # fmt: skip


def test_the_figures_have_these_units() -> None:
    """Against what the quantities are known to be, within a few percent: no other unit would do."""
    facts = shipped_facts()
    texas = next(state for state in facts.states if state.name == "texas")
    assert texas.area == pytest.approx(268_596, rel=0.02)  # square miles
    area = {lake.name: lake.area for lake in facts.lakes}
    assert area["superior"] == pytest.approx(82_103, rel=0.02)  # square km
    assert facts.countries[0].area == pytest.approx(9_833_520, rel=0.02)  # square km
    length = {river.name: river.length for river in facts.rivers}
    assert length["mississippi"] == pytest.approx(3_766, rel=0.02)  # km
    height = {mountain.name: mountain.elevation for mountain in facts.mountains}
    assert height["mckinley"] == pytest.approx(6_190, rel=0.02)  # metres
    points = {point.state: point for point in facts.points}
    assert points["california"].lowest_elevation == pytest.approx(-86, rel=0.02)  # metres
