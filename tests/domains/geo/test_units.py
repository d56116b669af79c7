"""The units of answers: they follow from the property and from what it is a property of."""

from pathlib import Path

import pytest

from lear.domains.geo.facts import UNITS, shipped_facts, unit_of
from lear.domains.geo.functions import FUNCTIONS, NUMBER
from lear.domains.geo.interpreter import Interpreter, read_gold
from lear.errors import FormError


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
