"""The functions of FunQL and their types: what each one takes and gives.

A kind is a sort of things with a status. A set (`state(all)`, `largest(city(all))`) has one sort. A
name (`stateid('texas')`) can be used as a set of one. The result of a relation (`loc_2(...)`) is
open until a predicate says which sort is meant. A number has the sort that it is a property of,
since `largest_one(population_1(state(all)))` is a state. The table follows from the definitions of
the functions, not from data.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Status(StrEnum):
    """What is known of a value besides its sort."""

    NAME = "name"
    SET = "set"
    OPEN = "open"
    """A set whose sort is still to be chosen by a predicate."""
    NUMBER = "number"
    ONE = "one"
    """One thing that a superlative has picked from a set, while chains are composed."""
    NAMED = "named"
    """One thing by its name and its sort, while chains are composed: the state of Texas."""
    COUNTED = "counted"
    """A set under `most` or `fewest` that has not moved outwards yet; see `finishing`."""
    OPEN_COUNTED = "open, counted"


SINGLE = (Status.ONE, Status.NAMED)
"""What is one thing, while chains are composed."""


class Kind(NamedTuple):
    """A sort of things with a status; the sort of a plain number is empty."""

    sort: str
    status: Status


Kinds = frozenset[Kind]

SORTS = ("state", "city", "river", "place", "mountain", "lake", "country")
EVERYTHING = Kind("thing", Status.OPEN)
"""The kind of `all`."""
NUMBER = Kind("", Status.NUMBER)
NAMES: Mapping[str, str] = {
    "stateid": "state",
    "cityid": "city",
    "riverid": "river",
    "placeid": "place",
    "countryid": "country",
    "lakeid": "lake",
}
"""Function that makes a name -> the sort of the named thing."""
PREDICATES = ("state", "city", "river", "place", "mountain", "lake", "capital")
"""Functions that choose a sort of things."""
SET_OPERATIONS = ("intersection", "exclude", "union")
SUPERLATIVES_OF_COUNT = ("most", "fewest")
SUPERLATIVES_OF_SIZE = (
    *("largest", "largest_one", "longest", "highest"),
    *("smallest", "smallest_one", "shortest", "lowest"),
)
UNIQUELY_NAMED = ("state", "place")
"""The state of Texas is one thing; but many cities are named Austin, and two rivers Colorado."""
OF_SEVERAL = (*SUPERLATIVES_OF_COUNT, *SUPERLATIVES_OF_SIZE, "count", "major")
"""Functions that need several things: nobody counts or compares the largest state."""


def _ready(*sorts: str) -> Kinds:
    """Names and sets of these sorts."""
    return frozenset(Kind(sort, status) for sort in sorts for status in (Status.NAME, Status.SET))


def _to(kinds: Kinds, *results: Kind) -> dict[Kind, Kinds]:
    return dict.fromkeys(kinds, frozenset(results))


def _open(*sorts: str) -> tuple[Kind, ...]:
    return tuple(Kind(sort, Status.OPEN) for sort in sorts)


def _set(sort: str) -> Kind:
    return Kind(sort, Status.SET)


def _predicate(sort: str, *others: str) -> dict[Kind, Kinds]:
    """A filter for one sort of things; things of the `others` can be of that sort too."""
    accepted = {EVERYTHING, Kind(sort, Status.OPEN)} | _ready(sort, *others)
    return _to(frozenset(accepted), _set(sort))


def _same(*sorts: str) -> dict[Kind, Kinds]:
    """A subset of a set."""
    return {_set(sort): frozenset({_set(sort)}) for sort in sorts}


def _property(*sorts: str) -> dict[Kind, Kinds]:
    """From a set to comparable numbers of its things, and from a name to a plain number."""
    numbers = {_set(sort): frozenset({Kind(sort, Status.NUMBER)}) for sort in sorts}
    return numbers | {Kind(sort, Status.NAME): frozenset({NUMBER}) for sort in sorts}


def _extreme_of_property() -> dict[Kind, Kinds]:
    return {Kind(sort, Status.NUMBER): frozenset({_set(sort)}) for sort in SORTS}


_LOCATED = ("city", "river", "place", "mountain", "lake")
_NUMBERS = frozenset(Kind(sort, Status.NUMBER) for sort in SORTS)

FUNCTIONS: Mapping[str, Mapping[Kind, Kinds]] = {
    # Predicates, which choose a sort.
    "state": _predicate("state"),
    "city": _predicate("city"),
    "river": _predicate("river"),
    "place": _predicate("place", "mountain"),
    "mountain": _predicate("mountain", "place"),
    "lake": _predicate("lake"),
    "capital": _predicate("city", "place"),
    "major": _same("city", "river", "lake"),
    # Superlatives.
    "largest": _same("state", "city", "lake") | _to(_NUMBERS, NUMBER),
    "smallest": _same("state", "city", "lake") | _to(_NUMBERS, NUMBER),
    "longest": _same("river"),
    "shortest": _same("river"),
    "highest": _same("place", "mountain"),
    "lowest": _same("place", "mountain"),
    "largest_one": _extreme_of_property(),
    "smallest_one": _extreme_of_property(),
    "most": _same(*SORTS),
    "fewest": _same(*SORTS),
    # Properties.
    "population_1": _property("state", "city", "country"),
    "area_1": _property("state", "city", "country", "lake"),
    "density_1": _property("state", "city", "country"),
    "size": _property("state", "city", "country", "river", "lake"),
    "len": _property("river"),
    "elevation_1": _property("place", "mountain"),
    "count": _to(frozenset(map(_set, SORTS)), NUMBER),
    "sum": _to(_NUMBERS, NUMBER),
    # Relations.
    "loc_1": _to(_ready(*_LOCATED), *_open("state", "country"))
    | _to(_ready("state"), *_open("country")),
    "loc_2": _to(_ready("state", "city"), *_open(*_LOCATED))
    | _to(frozenset(_open("state")), *_open(*_LOCATED))
    | _to(_ready("country"), *_open("state", *_LOCATED)),
    "next_to_1": _to(_ready("state", "river"), *_open("state")),
    "next_to_2": _to(_ready("state", "river"), *_open("state")),
    "traverse_1": _to(_ready("river"), *_open("state")),
    "traverse_2": _to(_ready("state", "city", "country"), *_open("river")),
    "capital_1": _to(_ready("state", "country"), _set("city")),
    "capital_2": _to(_ready("city"), *_open("state")),
    "high_point_1": _to(_ready("state", "country"), _set("place")),
    "low_point_1": _to(_ready("state", "country"), _set("place")),
    "high_point_2": _to(_ready("place", "mountain") | set(_open("place")), *_open("state")),
    "low_point_2": _to(_ready("place", "mountain") | set(_open("place")), *_open("state")),
    "higher_1": _to(_ready("place", "mountain"), *_open("place", "mountain")),
    "higher_2": _to(_ready("place", "mountain"), *_open("place", "mountain")),
    "lower_1": _to(_ready("place", "mountain"), *_open("place", "mountain")),
    "lower_2": _to(_ready("place", "mountain"), *_open("place", "mountain")),
    "longer": _to(_ready("river"), *_open("river")),
    "shorter": _to(_ready("river"), *_open("river")),
    "elevation_2": {NUMBER: frozenset(_open("place", "mountain"))},
}
"""Function -> kind of its argument -> kinds of its value."""


_OTHER_WAY = {"1": "2", "2": "1"}
INVERSES: Mapping[str, str] = {
    name: inverse
    for name in FUNCTIONS
    if (inverse := name[:-1] + _OTHER_WAY.get(name[-1], "")) in FUNCTIONS and inverse != name
}
"""Relation -> its inverse."""
EITHER_WAY = frozenset(name for name in INVERSES if FUNCTIONS[name] == FUNCTIONS[INVERSES[name]])
"""Relations that types cannot tell from their inverse: word order does. The subject comes first, so
`next_to_1` of Iowa is what "Iowa borders", and `next_to_2` of Iowa is what "borders Iowa"."""


def _composed(function: str) -> Mapping[Kind, Kinds]:
    """The type of a function while chains are composed, before `most` has moved outwards."""
    table = FUNCTIONS[function]
    if function in SUPERLATIVES_OF_COUNT:
        return {kind: frozenset({Kind(kind.sort, Status.COUNTED)}) for kind in table}
    composed = dict(table)
    # Nobody names a sort twice ("state states"), nor asks what is in an unspecified state.
    composed.pop(Kind(function, Status.SET), None)
    if function == "loc_1":  # there is but one country, so nobody asks where states are
        composed.pop(Kind("state", Status.SET))
    if function == "loc_2":
        composed.pop(Kind("state", Status.OPEN))
        no_city = frozenset(_open(*_LOCATED)) - set(_open("city"))
        composed |= dict.fromkeys(_ready("city"), no_city)  # no city is in a city
    if function in UNIQUELY_NAMED:
        composed[Kind(function, Status.NAME)] = frozenset({Kind(function, Status.NAMED)})
    composed |= _of_one(function, composed)
    if function == "loc_1":  # "where is the highest point" asks for the point: it is a place itself
        for kind in (Kind("place", Status.ONE), Kind("mountain", Status.ONE)):
            composed[kind] -= set(_open("country"))
    for kind, results in table.items():
        if kind.status is Status.SET and all(r.status is Status.OPEN for r in results):
            opened = frozenset(Kind(result.sort, Status.OPEN_COUNTED) for result in results)
            composed[Kind(kind.sort, Status.COUNTED)] = opened
        elif function in PREDICATES and kind.status is Status.OPEN and kind != EVERYTHING:
            composed[Kind(kind.sort, Status.OPEN_COUNTED)] = results
    return composed


def _of_one(function: str, table: Mapping[Kind, Kinds]) -> dict[Kind, Kinds]:
    """What superlatives give, and what other functions make of it, while chains are composed."""
    if function in SUPERLATIVES_OF_SIZE:
        # Of plain numbers the largest is a number.
        return {
            kind: frozenset(
                Kind(k.sort, Status.ONE) if k.status is Status.SET else k for k in results
            )
            for kind, results in table.items()
        }
    if function in OF_SEVERAL:
        return {}
    sets = {kind: results for kind, results in table.items() if kind.status is Status.SET}
    # A property of one thing is one number, as that of a name is.
    return {
        Kind(kind.sort, status): table.get(Kind(kind.sort, Status.NAME), results)
        for kind, results in sets.items()
        for status in SINGLE
    }


COMPOSED: Mapping[str, Mapping[Kind, Kinds]] = {name: _composed(name) for name in FUNCTIONS}
"""As FUNCTIONS, while chains are composed: `most` is then inside of a relation and a predicate."""
Table = Mapping[str, Mapping[Kind, Kinds]]


def apply_kinds(function: str, kinds: Kinds, functions: Table = FUNCTIONS) -> Kinds:
    """The kinds that a function gives for an argument of these kinds; none if it is ill-typed."""
    table = functions[function]
    results: Kinds = frozenset()
    for kind in kinds:
        results |= table.get(kind, frozenset())
    return results


_READY = (Status.NAME, Status.SET, *SINGLE)
_SETS = (*_READY, Status.OPEN)


def combine_kinds(left: Kinds, right: Kinds) -> Kinds:
    """The kinds that a set operation gives: sorts that both sides can have; none if ill-typed."""
    ready = {kind.sort for kind in left | right if kind.status in _READY}
    return frozenset(
        Kind(sort, Status.SET if sort in ready else Status.OPEN)
        for sort in _sorts(left) & _sorts(right)
    )


def _sorts(kinds: Kinds) -> set[str]:
    if EVERYTHING in kinds:
        return set(SORTS)
    return {kind.sort for kind in kinds if kind.status in _SETS}
