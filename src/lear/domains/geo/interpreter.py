"""Executing FunQL programs on the facts of Geobase.

A value is a set of things, or of numbers with the things that they are properties of. Almost all
functions map one set to another; one table holds them. Where FunQL leaves a choice:

- A superlative gives one thing; in a tie, the first in the order of the file.
- `most(F(X))`, where F is a relation with filters around it, is the y that is in F({x}) for the
  most x in X; `fewest` is the y for the fewest x. A y that is there for no x does not take part.
- `city` accepts cities with a known population; others, such as some capitals, have only a name and
  a state.
- A place is the high or low point of a state. A mountain is a high point, or one of the file's
  mountains; a peak that is both counts once, by the name of the high point.
- `cityid('springfield', _)` is all cities of that name; `cityid('springfield', 'sd')` is the empty
  set if city and state exist but not together. `placeid` is all points of a name.

An empty answer is an answer. A program that cannot be executed raises `FormError`.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from math import fsum
from typing import NamedTuple

from lear.domains.geo.facts import Facts, Thing
from lear.domains.geo.function_extensions import Filter, Geography, Property, Relation
from lear.domains.geo.function_types import NAMES
from lear.domains.geo.program import ALL, ANY, MAX_LEVELS, Atom, Call, Program
from lear.errors import FormError
from lear.messages.suggestions import did_you_mean, nearest

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
        """The answer to a program; raises `FormError` if it cannot be executed."""
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
        """All things of a name, such as cities in several states."""
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
        """The y that is in F({x}) for the most or the fewest x in X, where F(X) is the argument."""
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
        """From things to the one with the extreme property, and from numbers to the extreme one."""

        def extreme(items: Items) -> Items:
            values: dict[Item, float] = {measure: measure.value for measure in _measures(items)}
            for thing in _only_things(items):
                if thing in table:
                    values[thing] = table[thing]
            return self._first(values, most=most)

        return extreme

    def _owner_of_extreme(self, *, most: bool) -> SetFunction:
        """From numbers to the thing that the extreme one is a property of."""

        def owner(items: Items) -> Items:
            return self._first({m.of: m.value for m in _measures(items) if m.of}, most=most)

        return owner

    def _first(self, values: Mapping[Item, float], *, most: bool) -> Items:
        """The item with the extreme value; in a tie, the first in the file."""

        def key(item: Item) -> tuple[float, int, float]:
            thing, number = (item, 0) if isinstance(item, Thing) else (item.of, item.value)
            value = -values[item] if most else values[item]
            return value, self._rank[thing] if thing else len(self._rank), number

        return frozenset({min(values, key=key)}) if values else frozenset()


def _nameable(sort: str, geography: Geography) -> list[Thing]:
    """The things that a name of a sort can refer to; a peak is called a place or a mountain."""
    sorts = ("place", "mountain") if sort in ("place", "mountain") else (sort,)
    return [thing for thing in geography.things if thing.sort in sorts]


def _check_shape(program: Program) -> None:
    """Refuse programs that would overflow the stack or run forever, and malformed ones."""
    waiting = [(program, 0)]
    num_parts = 0
    while waiting:
        part, level = waiting.pop()
        num_parts += 1
        if level > MAX_LEVELS:
            raise FormError(f"nested in more than {MAX_LEVELS} levels")
        if num_parts > MAX_PARTS:
            raise FormError(f"more than {MAX_PARTS} calls and atoms")
        if isinstance(part, Call):
            if part.function == _ANSWER and level:
                raise FormError(f"{_ANSWER} inside of a program")
            waiting.extend((argument, level + 1) for argument in part.arguments)
        elif not isinstance(part, Atom):
            raise FormError(f"{type(part).__name__} is no part of a program")


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
    """From numbers to the things that have one of them."""

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
