"""The extensions of FunQL's functions, computed from the facts.

Three tables, by the name of the function: filters (`city`, `major`), properties (`population_1`)
and relations (`loc_1`). A relation has two directions: `loc_1` leads from a thing to the place that
it is in, `loc_2` back.
"""

import operator
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from lear.domains.geo.facts import Country, Facts, HighLow, State, Thing

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
    """Things with their states, and everything with the country: Geobase has only one."""
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
    """Rivers with the states that they run through, and all with the country."""
    for river in facts.rivers:
        for state in river.states:
            yield Thing("river", river.name), Thing("state", state)
        for country in facts.countries:
            yield Thing("river", river.name), Thing("country", country.name)


def _points(
    facts: Facts, thing_of: Callable[[HighLow], Thing], key: Callable[[HighLow], float]
) -> Iterator[tuple[Thing, Thing]]:
    """The extreme point of every state; of the country, the most extreme of these."""
    for point in facts.points:
        yield Thing("state", point.state), thing_of(point)
    for country in facts.countries:
        if facts.points:
            yield Thing("country", country.name), thing_of(min(facts.points, key=key))


def _highest(point: HighLow) -> Thing:
    return Thing("place", point.highest, point.abbreviation)


def _lowest(point: HighLow) -> Thing:
    return Thing("place", point.lowest, point.abbreviation)
