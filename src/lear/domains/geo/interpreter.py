"""FunQL programs are run on the facts of Geobase, and compared with GeoQuery's gold answers.

A value is a set of things, or of numbers with the things that they are properties of; almost all
functions map one set to another. An empty answer is an answer; a program that cannot be executed
raises `FormError`. Where FunQL leaves a choice, docs/geo.md says what is done and why. A gold row
is a JSON object: `query`, `funql`, and `answer`, a list of names and numbers or NaN.
"""

import json
import math
import operator
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import NamedTuple

from lear.domains.geo.facts import Country, Facts, HighLow, State, Thing
from lear.domains.geo.functions import (
    ALL,
    ANY,
    NAMES,
    Atom,
    Call,
    Program,
    read_program,
)
from lear.errors import DataError, FormError
from lear.messages import did_you_mean, nearest
from lear.storage.datasets import numbered_lines

MAJOR_POPULATION = 150_000
"""A major city has more people than this."""
MAJOR_LENGTH = 750
"""A major river is longer than this, in kilometres. There is no such definition for lakes."""

Filter = frozenset[Thing]
Property = Mapping[Thing, float]
Relation = Mapping[Thing, frozenset[Thing]]
Pairs = Iterable[tuple[Thing, Thing]]


@dataclass(frozen=True)
class Geography:
    """Function -> its extension."""

    things: tuple[Thing, ...]
    """In the order of the file, which decides ties."""
    filters: Mapping[str, Filter]
    properties: Mapping[str, Property]
    relations: Mapping[str, Relation]

    @classmethod
    def of(cls, facts: Facts) -> "Geography":
        """Compute all tables."""
        things = facts.things()
        properties = _properties(facts)
        filters = _filters(facts, things, properties)
        return cls(things, filters, properties, _relations(facts, things, properties))


def _properties(facts: Facts) -> dict[str, Property]:
    lands: list[tuple[Thing, State | Country]] = [
        *((Thing("state", state.name), state) for state in facts.states),
        *((Thing("country", country.name), country) for country in facts.countries),
    ]
    lake_area = {Thing("lake", lake.name): lake.area for lake in facts.lakes}
    area = {thing: land.area for thing, land in lands} | lake_area
    city_population = {
        Thing("city", city.name, city.abbreviation): city.population
        for city in facts.cities
        if city.population
    }
    population = {thing: land.population for thing, land in lands} | city_population
    length = {Thing("river", river.name): river.length for river in facts.rivers}
    elevation = {Thing("mountain", m.name, m.abbreviation): m.elevation for m in facts.mountains}
    for point in facts.points:
        elevation[_lowest(point)] = point.lowest_elevation
        elevation[_highest(point)] = point.highest_elevation
    return {
        "population_1": population,
        "area_1": area,
        "density_1": {
            thing: population[thing] / area[thing] for thing in population if thing in area
        },
        "len": length,
        "elevation_1": elevation,
        "size": area | city_population | length | elevation,
    }


def _filters(
    facts: Facts, things: tuple[Thing, ...], properties: Mapping[str, Property]
) -> dict[str, Filter]:
    population, length = properties["population_1"], properties["len"]
    elevation = properties["elevation_1"]
    sorts: defaultdict[str, set[Thing]] = defaultdict(set)
    for thing in things:
        sorts[thing.sort].add(thing)
    cities = {thing for thing in sorts["city"] if thing in population}
    major = {city for city in cities if population[city] > MAJOR_POPULATION}
    major |= {river for river in length if length[river] > MAJOR_LENGTH}
    tops = {_highest(point) for point in facts.points}
    # A mountain as high as its state's high point is that point under another name.
    heights = {(top.state, elevation[top]) for top in tops}
    others = {m for m in sorts["mountain"] if (m.state, elevation[m]) not in heights}
    filters = {
        "state": sorts["state"],
        "city": cities,
        "river": sorts["river"],
        "place": sorts["place"],
        "mountain": tops | others,
        "lake": sorts["lake"],
        "capital": {Thing("city", state.capital, state.abbreviation) for state in facts.states},
        "major": major,
    }
    return {function: frozenset(accepted) for function, accepted in filters.items()}


def _relations(
    facts: Facts,
    things: tuple[Thing, ...],
    properties: Mapping[str, Property],
) -> dict[str, Relation]:
    elevation, length = properties["elevation_1"], properties["len"]
    both_ways: dict[str, Pairs] = {
        "loc": _located(facts, things),
        "traverse": _traversed(facts),
        "next_to": [
            (Thing("state", border.state), Thing("state", neighbour))
            for border in facts.borders
            for neighbour in border.neighbours
        ],
        "capital": [
            (Thing("state", state.name), Thing("city", state.capital, state.abbreviation))
            for state in facts.states
        ],
        "high_point": _points(facts, _highest, lambda point: -point.highest_elevation),
        "low_point": _points(facts, _lowest, lambda point: point.lowest_elevation),
        "higher": _compared(elevation, operator.gt),
        "lower": _compared(elevation, operator.lt),
    }
    relations: dict[str, Relation] = {}
    for name, pairs in both_ways.items():
        forward = list(pairs)
        relations[f"{name}_1"] = _relation(forward)
        relations[f"{name}_2"] = _relation((second, first) for first, second in forward)
    # These two have one direction: from a river to longer or shorter ones.
    relations["longer"] = _relation(_compared(length, operator.lt))
    relations["shorter"] = _relation(_compared(length, operator.gt))
    return relations


def _relation(pairs: Pairs) -> Relation:
    image: defaultdict[Thing, set[Thing]] = defaultdict(set)
    for first, second in pairs:
        image[first].add(second)
    return {first: frozenset(seconds) for first, seconds in image.items()}


def _compared(
    values: Property, holds: Callable[[float, float], bool]
) -> Iterator[tuple[Thing, Thing]]:
    return (
        (first, second)
        for first in values
        for second in values
        if holds(values[first], values[second])
    )


def _located(facts: Facts, things: tuple[Thing, ...]) -> Iterator[tuple[Thing, Thing]]:
    """Yield things with their states, and everything with the country: Geobase has only one."""
    names = facts.state_by_abbreviation()
    for thing in things:
        if thing.state:
            yield thing, Thing("state", names[thing.state])
        if thing.sort != "country":
            for country in facts.countries:
                yield thing, Thing("country", country.name)
    for river in facts.rivers:
        for state in river.states:
            yield Thing("river", river.name), Thing("state", state)
    for lake in facts.lakes:
        for state in lake.states:
            yield Thing("lake", lake.name), Thing("state", state)


def _traversed(facts: Facts) -> Iterator[tuple[Thing, Thing]]:
    """Yield rivers with the states that they run through, and all with the country."""
    for river in facts.rivers:
        for state in river.states:
            yield Thing("river", river.name), Thing("state", state)
        for country in facts.countries:
            yield Thing("river", river.name), Thing("country", country.name)


def _points(
    facts: Facts, thing_of: Callable[[HighLow], Thing], key: Callable[[HighLow], float]
) -> Iterator[tuple[Thing, Thing]]:
    """Yield the extreme point of every state; of the country, the most extreme of these."""
    for point in facts.points:
        yield Thing("state", point.state), thing_of(point)
    for country in facts.countries:
        if facts.points:
            yield Thing("country", country.name), thing_of(min(facts.points, key=key))


def _highest(point: HighLow) -> Thing:
    return Thing("place", point.highest, point.abbreviation)


def _lowest(point: HighLow) -> Thing:
    return Thing("place", point.lowest, point.abbreviation)


MAX_PARTS = 1000
"""Calls and atoms of a program; real ones have less than thirty."""

Answer = list[str | float]
"""Numbers in ascending order, then names in alphabetical order, without duplicates."""


class Measure(NamedTuple):
    """A number, and the thing that it is a property of; None for a count or a sum."""

    value: float
    of: Thing | None = None


Item = Thing | Measure
Items = frozenset[Item]
SetFunction = Callable[[Items], Items]

_SET_OPERATIONS: Mapping[str, Callable[[Items, Items], Items]] = {
    "intersection": operator.and_,
    "exclude": operator.sub,
    "union": operator.or_,
}
# Superlative -> the property that it compares, and whether the largest value wins.
_SUPERLATIVES = {
    "smallest": ("size", False),
    "largest": ("size", True),
    "shortest": ("len", False),
    "longest": ("len", True),
    "lowest": ("elevation_1", False),
    "highest": ("elevation_1", True),
}
_SUPERLATIVES_OF_COUNT = {"fewest": False, "most": True}
_ANSWER = "answer"
_NUMBER = re.compile(r"\d{1,15}(?:\.\d{1,15})?")
_REMOVED_NAME = re.compile(r"(?:\w*_)?var\d+")


class Interpreter:
    """Executes FunQL programs on one set of facts."""

    def __init__(self, facts: Facts) -> None:
        geography = Geography.of(facts)
        self._things = geography.things
        self._rank = {thing: rank for rank, thing in enumerate(geography.things)}
        self._nameable = {sort: _nameable(sort, geography) for sort in NAMES.values()}
        self._relations = {name: _image(table) for name, table in geography.relations.items()}
        self._relations["elevation_2"] = _having(geography.properties["elevation_1"])
        self._set_functions: dict[str, SetFunction] = {
            **self._relations,
            **{name: _keep(accepted) for name, accepted in geography.filters.items()},
            **{name: _measure(table) for name, table in geography.properties.items()},
            **{
                name: self._extreme(geography.properties[table], most=most)
                for name, (table, most) in _SUPERLATIVES.items()
            },
            "smallest_one": self._owner_of_extreme(most=False),
            "largest_one": self._owner_of_extreme(most=True),
            "count": _count,
            "sum": _sum,
        }

    @property
    def functions(self) -> frozenset[str]:
        """The names of all functions that a program can call."""
        others = (*_SET_OPERATIONS, *_SUPERLATIVES_OF_COUNT, *NAMES, _ANSWER)
        return frozenset({*self._set_functions, *others})

    def run(self, program: Program) -> Answer:
        """Return the answer to a program; raises `FormError` if it cannot be executed."""
        _check_shape(program)
        if not isinstance(program, Call) or program.function != _ANSWER:
            raise FormError("a program has the form answer(...)")
        return _answer(self._value(_only_argument(program)))

    def _value(self, program: Program) -> Items:
        if isinstance(program, Atom):
            return self._set(program)
        function = program.function
        if function in self._set_functions:
            return self._set_functions[function](self._value(_only_argument(program)))
        if function in _SET_OPERATIONS:
            left, right = map(self._value, _arguments(program, 2))
            return _SET_OPERATIONS[function](left, right)
        if function in _SUPERLATIVES_OF_COUNT:
            return self._extreme_of_count(program)
        if function in NAMES:
            return self._things_named(program)
        raise FormError(f"unknown function {function!r}{did_you_mean(function, self.functions)}")

    def _set(self, atom: Atom) -> Items:
        if atom == ALL:
            return frozenset(self._things)
        if not atom.is_quoted and _NUMBER.fullmatch(atom.text):
            return frozenset({Measure(float(atom.text))})
        _refuse_removed_name(atom)
        for function, sort in NAMES.items():
            if any(thing.name == atom.text for thing in self._nameable[sort]):
                rest = f", {ANY}" if sort == "city" else ""
                raise FormError(f"{atom} is no set; did you mean {function}('{atom.text}'{rest})?")
        raise FormError(f"{atom} is no set; the set of all things is {ALL}")

    def _things_named(self, call: Call) -> Items:
        """Return all things of a name, such as cities in several states."""
        sort = NAMES[call.function]
        name, *states = _names(call, 2 if sort == "city" else 1)
        things = self._nameable[sort]
        _refuse_unknown(sort, name, {thing.name for thing in things})
        namesakes = frozenset(thing for thing in things if thing.name == name)
        if not states or states == [ANY.text]:
            return namesakes
        _refuse_unknown("state", states[0], {thing.state for thing in things})
        return frozenset(thing for thing in namesakes if thing.state == states[0])

    def _extreme_of_count(self, call: Call) -> Items:
        """Return the y in F({x}) for the most or the fewest x in X, where F(X) is the argument."""
        inner_first: list[SetFunction] = []
        part = _only_argument(call)
        while isinstance(part, Call) and part.function in self._set_functions:
            inner_first.insert(0, self._set_functions[part.function])
            if part.function in self._relations:
                counts: Counter[Item] = Counter()
                for item in self._value(_only_argument(part)):
                    image: Items = frozenset({item})
                    for function in inner_first:
                        image = function(image)
                    counts.update(image)
                return self._first(counts, most=_SUPERLATIVES_OF_COUNT[call.function])
            part = _only_argument(part)
        raise FormError(
            f"{call.function} needs a relation to count by, as in "
            f"{call.function}(state(loc_1(river(all))))"
        )

    def _extreme(self, table: Property, *, most: bool) -> SetFunction:
        """Return a function to the thing with the extreme property, or to the extreme number."""

        def extreme(items: Items) -> Items:
            values: dict[Item, float] = {measure: measure.value for measure in _measures(items)}
            for thing in _only_things(items):
                if thing in table:
                    values[thing] = table[thing]
            return self._first(values, most=most)

        return extreme

    def _owner_of_extreme(self, *, most: bool) -> SetFunction:
        """Return a function from numbers to the thing that has the extreme one."""

        def owner(items: Items) -> Items:
            return self._first({m.of: m.value for m in _measures(items) if m.of}, most=most)

        return owner

    def _first(self, values: Mapping[Item, float], *, most: bool) -> Items:
        """Return the item with the extreme value; in a tie, the first in the file."""

        def key(item: Item) -> tuple[float, int, float]:
            thing, number = (item, 0) if isinstance(item, Thing) else (item.of, item.value)
            value = -values[item] if most else values[item]
            return value, self._rank[thing] if thing else len(self._rank), number

        return frozenset({min(values, key=key)}) if values else frozenset()


def _nameable(sort: str, geography: Geography) -> list[Thing]:
    """Return the things that a name of a sort can refer to; peaks are places or mountains."""
    sorts = ("place", "mountain") if sort in ("place", "mountain") else (sort,)
    return [thing for thing in geography.things if thing.sort in sorts]


def _check_shape(program: Program) -> None:
    """Refuse programs that would run forever, and malformed ones; `read_program` limits levels."""
    waiting = [program]
    num_parts = 0
    while waiting:
        part = waiting.pop()
        num_parts += 1
        if num_parts > MAX_PARTS:
            raise FormError(f"more than {MAX_PARTS} calls and atoms")
        if isinstance(part, Call):
            if part.function == _ANSWER and part is not program:
                raise FormError(f"{_ANSWER} inside of a program")
            waiting.extend(part.arguments)


def _arguments(call: Call, number: int) -> tuple[Program, ...]:
    if len(call.arguments) != number:
        noun = "argument" if number == 1 else "arguments"
        raise FormError(f"{call.function} takes {number} {noun}, not {len(call.arguments)}")
    return call.arguments


def _only_argument(call: Call) -> Program:
    return _arguments(call, 1)[0]


def _names(call: Call, number: int) -> list[str]:
    names = []
    for argument in _arguments(call, number):
        if isinstance(argument, Call):
            raise FormError(f"{call.function} takes a name, not {argument.function}(...)")
        _refuse_removed_name(argument)
        names.append(argument.text)
    return names


def _refuse_unknown(sort: str, name: str, names: set[str]) -> None:
    if name not in names:
        raise FormError(f"there is no {sort} {name!r}{nearest(name, names)}")


def _refuse_removed_name(atom: Atom) -> None:
    if _REMOVED_NAME.fullmatch(atom.text):
        raise FormError(f"{atom.text} stands for a name that was taken out: put the name back")


def _keep(accepted: Filter) -> SetFunction:
    return lambda items: items & accepted


def _measure(table: Property) -> SetFunction:
    return lambda items: frozenset(
        Measure(table[thing], thing) for thing in _only_things(items) if thing in table
    )


def _image(relation: Relation) -> SetFunction:
    nothing: frozenset[Thing] = frozenset()
    return lambda items: nothing.union(*(relation.get(t, nothing) for t in _only_things(items)))


def _having(table: Property) -> SetFunction:
    """Return a function from numbers to the things that have one of them."""

    def having(items: Items) -> Items:
        values = {measure.value for measure in _measures(items)}
        return frozenset(thing for thing, value in table.items() if value in values)

    return having


def _count(items: Items) -> Items:
    return frozenset({Measure(len(items))})


def _sum(items: Items) -> Items:
    # Sets have no order: only an exact sum is reproducible.
    return frozenset({Measure(fsum(measure.value for measure in _measures(items)))})


def _only_things(items: Items) -> Iterable[Thing]:
    return (item for item in items if isinstance(item, Thing))


def _measures(items: Items) -> Iterable[Measure]:
    return (item for item in items if isinstance(item, Measure))


def _answer(items: Items) -> Answer:
    values = sorted({float(measure.value) for measure in _measures(items)})
    numbers = [int(value) if value.is_integer() else value for value in values]
    return [*numbers, *sorted({thing.name for thing in _only_things(items)})]


TOLERANCE = 1e-6
"""Relative difference of equal numbers: gold answers are rounded to ten places."""
_MAX_NUMBER = 1e15


@dataclass(frozen=True, slots=True)
class Gold:
    """A question with its program and its answer, None where there is no gold answer."""

    name: str
    question: str
    program: Program
    answer: tuple[str | float, ...] | None


@dataclass(frozen=True, slots=True)
class Miss:
    """A gold answer that its program does not give."""

    gold: Gold
    answer: Answer | None
    """None if the program could not be executed."""
    cause: str = ""
    """Why it could not be executed."""


def read_gold(path: Path) -> list[Gold]:
    """Return the questions of a file; an error names the line."""
    rows = []
    for number, line in numbered_lines(path):
        try:
            rows.append(_read_line(line, f"line {number}"))
        except (ValueError, FormError) as error:
            raise DataError(f"{path}:{number}: {error}") from None
        except RecursionError:
            raise DataError(f"{path}:{number}: nested too deeply") from None
    if not rows:
        raise DataError(f"{path}: no gold answers")
    return rows


def agree(answer: Iterable[str | float], gold: Iterable[str | float]) -> bool:
    """Return whether two answers are the same set, up to case of names and rounding of numbers."""
    names, numbers = _parts(answer)
    gold_names, gold_numbers = _parts(gold)
    return (
        names == gold_names
        and all(_contains(gold_numbers, number) for number in numbers)
        and all(_contains(numbers, number) for number in gold_numbers)
    )


def find_misses(run: Callable[[Program], Answer], rows: Iterable[Gold]) -> list[Miss]:
    """Return the rows whose program does not give the gold answer, and those without one."""
    misses = []
    for gold in rows:
        try:
            answer = run(gold.program)
        except FormError as error:
            misses.append(Miss(gold, None, str(error)))
        else:
            if gold.answer is None or not agree(answer, gold.answer):
                misses.append(Miss(gold, answer))
    return misses


def _read_line(line: str, name: str) -> Gold:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    texts = []
    for field in ("query", "funql"):
        if not isinstance(row.get(field), str):
            raise ValueError(f"{field!r} is missing or no text")
        texts.append(row[field])
    name = row.get("qid", name)
    if not isinstance(name, str):
        raise ValueError("'qid' is no text")
    if "answer" not in row:
        raise ValueError("'answer' is missing")
    return Gold(name, texts[0], read_program(texts[1]), _read_answer(row["answer"]))


def _read_answer(value: object) -> tuple[str | float, ...] | None:
    if isinstance(value, float) and math.isnan(value):
        return None
    if not isinstance(value, list):
        raise ValueError("'answer' is neither a list nor NaN")
    for part in value:
        is_number = isinstance(part, int | float) and not isinstance(part, bool)
        if not isinstance(part, str) and not (is_number and abs(part) < _MAX_NUMBER):
            raise ValueError("'answer' has a part that is neither a name nor a number")
    return tuple(value)


def _parts(answer: Iterable[str | float]) -> tuple[set[str], list[float]]:
    parts = list(answer)
    names = {part.lower() for part in parts if isinstance(part, str)}
    return names, [part for part in parts if not isinstance(part, str)]


def _contains(numbers: Sequence[float], number: float) -> bool:
    return any(math.isclose(number, other, rel_tol=TOLERANCE) for other in numbers)
