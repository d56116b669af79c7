"""Geobase: the facts that questions are about, as a file of Prolog facts and as CSV tables.

A line of the file is `city('texas','tx','austin',345496).`, with the fields of a class in their
order; it is read, never executed. The tables that ship hold the same facts, in an order that
decides ties. Their headings name units, which the file does not: see docs/geo.md, "Units".
"""

import csv
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec

from lear.domains.geo.functions import FUNCTIONS, Chain, chain_of, check, read_program
from lear.errors import DataError
from lear.messages import did_you_mean
from lear.storage.datasets import numbered_lines

Name = Annotated[str, msgspec.Meta(min_length=1)]
Names = tuple[Name, ...]
Amount = Annotated[float, msgspec.Meta(gt=0)]
"""A measured quantity, not zero, so that densities can be computed."""


@dataclass(frozen=True, slots=True)
class State:
    """A state, with four of its cities."""

    name: Name
    abbreviation: Name
    capital: Name
    population: Amount
    area: Amount
    number: int
    first_city: Name
    second_city: Name
    third_city: Name
    fourth_city: Name


@dataclass(frozen=True, slots=True)
class City:
    """A city; the population is 0 if it is unknown."""

    state: Name
    abbreviation: Name
    name: Name
    population: Annotated[float, msgspec.Meta(ge=0)]


@dataclass(frozen=True, slots=True)
class River:
    """A river with its length in kilometres and the states it runs through."""

    name: Name
    length: Amount
    states: Names


@dataclass(frozen=True, slots=True)
class Border:
    """A state and its neighbours."""

    state: Name
    abbreviation: Name
    neighbours: Names


@dataclass(frozen=True, slots=True)
class HighLow:
    """The highest and the lowest point of a state, in metres."""

    state: Name
    abbreviation: Name
    highest: Name
    highest_elevation: float
    lowest: Name
    lowest_elevation: float


@dataclass(frozen=True, slots=True)
class Mountain:
    """A high mountain."""

    state: Name
    abbreviation: Name
    name: Name
    elevation: float


@dataclass(frozen=True, slots=True)
class Road:
    """A road and the states it passes; no function of FunQL asks for it."""

    number: Name
    states: Names


@dataclass(frozen=True, slots=True)
class Lake:
    """A lake with its area and the states it is in."""

    name: Name
    area: Amount
    states: Names


@dataclass(frozen=True, slots=True)
class Country:
    """The country as a whole."""

    name: Name
    population: Amount
    area: Amount


Fact = State | City | River | Border | HighLow | Mountain | Road | Lake | Country


class Thing(NamedTuple):
    """Something that a question can name or ask for."""

    sort: str
    """One of `functions.SORTS`."""
    name: str
    state: str = ""
    """Abbreviation of the state of a city, a place or a mountain: these may share a name. Empty
    for rivers and lakes, which may be in several states."""


@dataclass(frozen=True)
class Facts:
    """All facts of a file, in its order."""

    states: tuple[State, ...] = ()
    cities: tuple[City, ...] = ()
    rivers: tuple[River, ...] = ()
    borders: tuple[Border, ...] = ()
    points: tuple[HighLow, ...] = ()
    mountains: tuple[Mountain, ...] = ()
    roads: tuple[Road, ...] = ()
    lakes: tuple[Lake, ...] = ()
    countries: tuple[Country, ...] = ()

    @classmethod
    def of(cls, facts: Iterable[Fact]) -> "Facts":
        """Facts of all classes, sorted by class; those of one class stay in order."""
        by_class: dict[type[Fact], list[Fact]] = {kind: [] for kind in CLASSES.values()}
        for fact in facts:
            by_class[type(fact)].append(fact)
        return cls(**{name: tuple(by_class[kind]) for name, kind in CLASSES.items()})  # type: ignore[arg-type]

    def things(self) -> tuple[Thing, ...]:
        """Return all things, sort by sort, in file order; capitals follow the cities."""
        things = [Thing("state", state.name) for state in self.states]
        things += [Thing("city", city.name, city.abbreviation) for city in self.cities]
        things += [Thing("city", state.capital, state.abbreviation) for state in self.states]
        things += [Thing("river", river.name) for river in self.rivers]
        for point in self.points:
            things.append(Thing("place", point.highest, point.abbreviation))
            things.append(Thing("place", point.lowest, point.abbreviation))
        things += [Thing("mountain", peak.name, peak.abbreviation) for peak in self.mountains]
        things += [Thing("lake", lake.name) for lake in self.lakes]
        things += [Thing("country", country.name) for country in self.countries]
        return tuple(dict.fromkeys(things))

    def abbreviation_by_state(self) -> dict[str, str]:
        """Name of a state -> its abbreviation."""
        return {state.name: state.abbreviation for state in self.states}

    def state_by_abbreviation(self) -> dict[str, str]:
        """Abbreviation -> name of the state."""
        return {state.abbreviation: state.name for state in self.states}


CLASSES: Mapping[str, type[Fact]] = {
    "states": State,
    "cities": City,
    "rivers": River,
    "borders": Border,
    "points": HighLow,
    "mountains": Mountain,
    "roads": Road,
    "lakes": Lake,
    "countries": Country,
}
"""Field of `Facts` -> the class of its facts."""
# Predicate -> the field of its facts.
_PREDICATES = {kind.__name__.lower(): table for table, kind in CLASSES.items()}
_ARGUMENT = re.compile(
    r"\s*(?:'([^']*)'"
    r"|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r"|(\[\s*(?:'[^']*'\s*(?:,\s*'[^']*'\s*)*)?\]))\s*"
)
_STRING = re.compile(r"'([^']*)'")
MAX_FILE_BYTES = 10**7
"""The largest file of facts; Geobase has 60,000."""
_MAX_INTEGER_DIGITS = 15
"""Integers of so many digits are exact as floats."""


def read_facts(path: Path) -> Facts:
    """Return the facts of a file; an error names the line."""
    if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
        raise DataError(f"{path}: larger than {MAX_FILE_BYTES:,} bytes, too large for facts")
    numbered: list[tuple[int, Fact]] = []
    for number, line in numbered_lines(path):
        text = line.strip()
        if text and not text.startswith(("#", "%")):
            try:
                numbered.append((number, _read_fact(text)))
            except ValueError as error:
                raise DataError(f"{path}:{number}: {error}") from None
    if not numbered:
        raise DataError(f"{path}: no facts")
    _check_names(path, numbered)
    return Facts.of(fact for _, fact in numbered)


def _read_fact(text: str) -> Fact:
    """Return one fact; raises `ValueError` with the cause."""
    if not text.replace("\t", " ").isprintable():
        raise ValueError("a control character")
    predicate, bracket, rest = text.partition("(")
    if not bracket or not rest.endswith(")."):
        raise ValueError("not a fact of the form name(argument, ...).")
    if predicate not in _PREDICATES:
        hint = did_you_mean(predicate, _PREDICATES)
        raise ValueError(f"unknown predicate {predicate[:20]!r}{hint}")
    kind = CLASSES[_PREDICATES[predicate]]
    arguments = list(_read_arguments(rest.removesuffix(").")))
    names = [field.name for field in fields(kind)]
    if len(arguments) != len(names):
        raise ValueError(f"{predicate} has {len(names)} arguments, not {len(arguments)}")
    try:
        return msgspec.convert(dict(zip(names, arguments, strict=True)), kind)
    except msgspec.ValidationError as error:
        raise ValueError(f"{predicate}: {error}") from None


def _read_arguments(text: str) -> Iterator[str | float | list[str]]:
    place = 0
    while match := _ARGUMENT.match(text, place):
        string, number, strings = match.groups()
        if string is not None:
            yield string
        elif number is not None:
            yield _read_number(number)
        else:
            yield _STRING.findall(strings)
        place = match.end()
        if place == len(text):
            return
        if text[place] != ",":
            break
        place += 1
    raise ValueError(f"cannot read the arguments from {text[place : place + 20]!r} on")


def _read_number(text: str) -> float:
    if len(text) <= _MAX_INTEGER_DIGITS and text.removeprefix("-").isdigit():
        return int(text)
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"the number {text[:20]} is too large")
    return number


def _check_names(path: Path, numbered: list[tuple[int, Fact]]) -> None:
    """Check that all states exist and have the right abbreviation, and that no fact is repeated."""
    abbreviations = {
        fact.name: fact.abbreviation for _, fact in numbered if isinstance(fact, State)
    }
    seen: dict[tuple[str, ...], int] = {}
    for number, fact in numbered:
        for state in _states_of(fact):
            if state not in abbreviations:
                raise DataError(f"{path}:{number}: unknown state {state!r}")
        if isinstance(fact, City | Border | HighLow | Mountain):
            expected = abbreviations[fact.state]
            if fact.abbreviation != expected:
                raise DataError(
                    f"{path}:{number}: {fact.state} is {expected!r}, not {fact.abbreviation!r}"
                )
        for key in _keys_of(fact):
            if key in seen:
                raise DataError(f"{path}:{number}: {' '.join(key)} is in line {seen[key]} already")
            seen[key] = number


def _states_of(fact: Fact) -> Names:
    """Return the states that a fact about something else mentions."""
    match fact:
        case City() | HighLow() | Mountain():
            return (fact.state,)
        case Border():
            return (fact.state, *fact.neighbours)
        case River() | Road() | Lake():
            return fact.states
        case State() | Country():
            return ()


def _keys_of(fact: Fact) -> list[tuple[str, ...]]:
    """Return what must be unique in a file. Roads are exempt: two of them share a number."""
    kind = type(fact).__name__.lower()
    match fact:
        case State():
            return [(kind, fact.name), ("abbreviation", fact.abbreviation)]
        case City() | Mountain():
            return [(kind, fact.name, fact.abbreviation)]
        case Border() | HighLow():
            return [(kind, fact.state)]
        case Road():
            return []
        case _:
            return [(kind, fact.name)]


PEOPLE = "people"
SQUARE_MILES = "square miles"
SQUARE_KM = "square km"
KM = "km"
METRES = "metres"

_AREAS = {"state": SQUARE_MILES, "lake": SQUARE_KM, "country": SQUARE_KM}
UNITS: Mapping[str, Mapping[str, str]] = {
    "population_1": dict.fromkeys(("state", "city", "country"), PEOPLE),
    "area_1": _AREAS,
    "density_1": {"state": f"{PEOPLE} per square mile", "country": f"{PEOPLE} per square km"},
    "len": {"river": KM},
    "elevation_1": dict.fromkeys(("place", "mountain"), METRES),
    "size": _AREAS | {"city": PEOPLE, "river": KM},
}
"""Property -> sort of things -> the unit. Cities have no area, and so no density."""
_OF_NUMBERS = ("largest", "smallest", "sum")
"""Functions from numbers to a number of the same unit."""


def unit_of(form: str) -> str | None:
    """Return the unit of a program's answer; None for names, counts and anonymised names.

    Raises `FormError` if the form is no well-typed program.
    """
    chain = chain_of(read_program(form))
    check(chain)
    functions = chain.functions
    while functions and functions[0] in _OF_NUMBERS:
        functions = functions[1:]
    if not functions or functions[0] not in UNITS:
        return None
    property_, *inner = functions
    arguments = check(Chain(tuple(inner), chain.end)) & FUNCTIONS[property_].keys()
    units = {UNITS[property_].get(kind.sort) for kind in arguments}
    return units.pop() if len(units) == 1 else None


SHIPPED = Path(str(files("lear.domains.geo") / "geobase"))
"""The folder of the tables that ship."""
# Table and field -> the unit in its heading.
_UNITS = {
    ("states", "area"): SQUARE_MILES,
    ("rivers", "length"): KM,
    ("points", "highest_elevation"): METRES,
    ("points", "lowest_elevation"): METRES,
    ("mountains", "elevation"): METRES,
    ("lakes", "area"): SQUARE_KM,
    ("countries", "area"): SQUARE_KM,
}
_LISTS = ("states", "neighbours")
"""Fields that are lists of names."""
SEPARATOR = "; "


@cache
def shipped_facts() -> Facts:
    """Return the facts of Geobase, from the tables that ship."""
    return read_tables(SHIPPED)


def read_tables(folder: Path) -> Facts:
    """Return the facts of a folder of tables; an error names the line."""
    states = list(_read_table(folder, "states", {}))
    abbreviations = {state.name: state.abbreviation for state in states if isinstance(state, State)}
    others = (_read_table(folder, table, abbreviations) for table in CLASSES if table != "states")
    return Facts.of([*states, *(fact for facts in others for fact in facts)])


def columns_of(table: str) -> dict[str, str]:
    """Return the fields of a table with their headings: a name and, in brackets, its unit.

    The abbreviation of a state is in the table of states only.
    """
    names = [field.name for field in fields(CLASSES[table])]
    if table != "states":
        names = [name for name in names if name != "abbreviation"]
    units = {name: _UNITS.get((table, name)) for name in names}
    return {
        name: name.replace("_", " ") + (f" ({unit})" if unit else "")
        for name, unit in units.items()
    }


def _value(name: str, cell: str) -> str | list[str]:
    if name not in _LISTS:
        return cell
    return cell.split(SEPARATOR) if cell else []


def _read_table(folder: Path, table: str, abbreviations: Mapping[str, str]) -> Iterator[Fact]:
    path = folder / f"{table}.csv"
    columns = columns_of(table)
    rows = csv.reader(line for _, line in numbered_lines(path))
    if next(rows, None) != [*columns.values()]:
        raise DataError(f"{path}:1: the headings are not {','.join(columns.values())}")
    for number, row in enumerate(rows, start=2):
        if len(row) != len(columns):
            raise DataError(f"{path}:{number}: {len(columns)} cells are expected, not {len(row)}")
        values = {name: _value(name, cell) for name, cell in zip(columns, row, strict=True)}
        if table != "states" and values.get("state") in abbreviations:
            values["abbreviation"] = abbreviations[str(values["state"])]
        try:
            yield msgspec.convert(values, CLASSES[table], strict=False)
        except msgspec.ValidationError as error:
            raise DataError(f"{path}:{number}: {error}") from None
