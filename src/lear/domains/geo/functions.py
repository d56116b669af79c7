"""FunQL: its functions with their types, programs as trees, and programs as typed chains.

A kind is a sort of things with a status: a set, a name, a number, or the result of a relation,
which is open until a predicate says which sort is meant. A number has the sort that it is a
property of, since `largest_one(population_1(state(all)))` is a state. A chain is nested functions
with what is at their inner end; `answer` is part of every program, so chains leave it out. The
types follow from the definitions of the functions, not from data.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple

from lear.errors import FormError
from lear.messages import did_you_mean


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
    """Return names and sets of these sorts."""
    return frozenset(Kind(sort, status) for sort in sorts for status in (Status.NAME, Status.SET))


def _to(kinds: Kinds, *results: Kind) -> dict[Kind, Kinds]:
    return dict.fromkeys(kinds, frozenset(results))


def _open(*sorts: str) -> tuple[Kind, ...]:
    return tuple(Kind(sort, Status.OPEN) for sort in sorts)


def _set(sort: str) -> Kind:
    return Kind(sort, Status.SET)


def _predicate(sort: str, *others: str) -> dict[Kind, Kinds]:
    """Return a filter for one sort of things; things of the `others` can be of that sort too."""
    accepted = {EVERYTHING, Kind(sort, Status.OPEN)} | _ready(sort, *others)
    return _to(frozenset(accepted), _set(sort))


def _same(*sorts: str) -> dict[Kind, Kinds]:
    """Map sets of these sorts to their subsets."""
    return {_set(sort): frozenset({_set(sort)}) for sort in sorts}


def _property(*sorts: str) -> dict[Kind, Kinds]:
    """Map a set to comparable numbers of its things, and a name to a plain number."""
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
    """Return the type of a function while chains are composed, before `most` has moved outwards."""
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
    """Return what superlatives give, and other functions make of it, while chains are composed."""
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
"""FUNCTIONS while chains are composed: `most` is then inside of a relation and a predicate."""
Table = Mapping[str, Mapping[Kind, Kinds]]


def apply_kinds(function: str, kinds: Kinds, functions: Table = FUNCTIONS) -> Kinds:
    """Return the kinds that a function gives for an argument of these kinds; none if ill-typed."""
    table = functions[function]
    results: Kinds = frozenset()
    for kind in kinds:
        results |= table.get(kind, frozenset())
    return results


_READY = (Status.NAME, Status.SET, *SINGLE)
_SETS = (*_READY, Status.OPEN)


def combine_kinds(left: Kinds, right: Kinds) -> Kinds:
    """Return the kinds of a set operation: sorts that both sides can have; none if ill-typed."""
    ready = {kind.sort for kind in left | right if kind.status in _READY}
    return frozenset(
        Kind(sort, Status.SET if sort in ready else Status.OPEN)
        for sort in _sorts(left) & _sorts(right)
    )


def _sorts(kinds: Kinds) -> set[str]:
    if EVERYTHING in kinds:
        return set(SORTS)
    return {kind.sort for kind in kinds if kind.status in _SETS}


MAX_LEVELS = 100
"""Levels of nested calls; real programs have less than ten."""
MAX_CHARACTERS = 20_000
"""The longest text of a program; real ones have less than 200."""
_WORD = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*|\d+(?:\.\d+)?)|'([^']*)')")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class Atom:
    """A word, a number or a quoted string: `all`, `var0`, `0`, `_`, `'texas'`."""

    text: str
    is_quoted: bool = False

    def __str__(self) -> str:
        return f"'{self.text}'" if self.is_quoted else self.text


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments."""

    function: str
    arguments: tuple["Program", ...]

    def __str__(self) -> str:
        return f"{self.function}({', '.join(map(str, self.arguments))})"


Program = Atom | Call
ALL = Atom("all")
ANY = Atom("_")


def read_program(text: str) -> Program:
    """Return the tree of a program; its `str` is the text again, up to spaces."""
    if len(text) > MAX_CHARACTERS:
        raise FormError(f"a program of {len(text):,} characters, more than {MAX_CHARACTERS:,}")
    reader = _Reader(text.strip())
    program = reader.program(level=0)
    if not reader.at_end:
        raise reader.error("a bracket too many, or something behind the end")
    return program


class _Reader:
    """Recursive descent over the text of a program."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.place = 0

    @property
    def at_end(self) -> bool:
        return self.place == len(self.text)

    def error(self, cause: str) -> FormError:
        """Return an error that shows the text at the current place."""
        rest = self.text[self.place :].strip()
        return FormError(f"{cause}, at {rest[:20]!r}" if rest else f"{cause}, at the end")

    def program(self, level: int) -> Program:
        """Return a call or an atom."""
        if level > MAX_LEVELS:
            raise FormError(f"nested in more than {MAX_LEVELS} levels")
        match = _WORD.match(self.text, self.place)
        if match is None:
            raise self.error("a function or a name is missing")
        self.place = match.end()
        word, string = match.groups()
        if string is not None:
            return Atom(string, is_quoted=True)
        if not self._take("("):
            return Atom(word)
        arguments = [self.program(level + 1)]
        while self._take(","):
            arguments.append(self.program(level + 1))
        if not self._take(")"):
            raise self.error(f"the bracket of {word!r} is not closed")
        return Call(word, tuple(arguments))

    def _take(self, mark: str) -> bool:
        """Move past a mark if it comes next, and say whether it did."""
        match = _SPACE.match(self.text, self.place)
        begin = self.place if match is None else match.end()
        if not self.text.startswith(mark, begin):
            return False
        self.place = begin + 1
        return True


class Chain(NamedTuple):
    """Functions from the outside in, and the end: None (open), an entity's text, or a fork."""

    functions: tuple[str, ...]
    end: "str | Fork | None" = None


class Fork(NamedTuple):
    """A set operation on two chains."""

    operation: str
    left: Chain
    right: Chain


def chain_of(program: Program) -> Chain:
    """Return the chain of a whole program."""
    match program:
        case Call("answer", (inside,)):
            return _chain(inside)
    raise FormError(f"a program is answer(...), not {str(program)[:40]!r}")


def _chain(program: Program) -> Chain:
    functions: list[str] = []
    while isinstance(program, Call) and program.function in FUNCTIONS:
        functions.append(program.function)
        if len(program.arguments) > 1:
            # An anonymised city with its state: population_1(var0, var1).
            return Chain(tuple(functions), _names(program))
        program = program.arguments[0]
    return Chain(tuple(functions), _end(program))


def _end(program: Program) -> str | Fork:
    """Return the end of a chain."""
    match program:
        case Atom():
            return str(program)
        case Call(function, (left, right)) if function in SET_OPERATIONS:
            return Fork(function, _chain(left), _chain(right))
        case Call(function, arguments) if function in SET_OPERATIONS:
            raise FormError(f"{function!r} takes two arguments, not {len(arguments)}")
        case Call(function) if function in NAMES:
            return f"{function}({_names(program)})"
    if program.function == "answer":
        raise FormError("'answer' stands around a program, not inside of one")
    hint = did_you_mean(program.function, (*FUNCTIONS, *NAMES, *SET_OPERATIONS))
    raise FormError(f"unknown function {program.function!r}{hint}")


def _names(call: Call) -> str:
    """Return the arguments of a call that takes names, as text."""
    for argument in call.arguments:
        if not isinstance(argument, Atom):
            number = len(call.arguments)
            wanted = "a name" if call.function in NAMES else f"one argument, not {number}"
            raise FormError(f"{call.function!r} takes {wanted}")
    return ", ".join(map(str, call.arguments))


def text_of(chain: Chain) -> str:
    """Return the program of a chain, without `answer`; an open end prints as `?`."""
    match chain.end:
        case None:
            inside = "?"
        case str():
            inside = chain.end
        case Fork(operation, left, right):
            inside = f"{operation}({text_of(left)}, {text_of(right)})"
    return (
        "".join(f"{function}(" for function in chain.functions)
        + inside
        + ")" * len(chain.functions)
    )


def _changed(chain: Chain, change: Callable[[Chain], Chain]) -> Chain:
    """Change a chain and all chains in its forks."""
    functions, end = change(chain)
    if isinstance(end, Fork):
        end = Fork(end.operation, _changed(end.left, change), _changed(end.right, change))
    return Chain(functions, end)


def fill_all(chain: Chain) -> Chain:
    """Put `all` at every open end: the paper's first rule of post-processing."""
    return _changed(chain, lambda part: Chain(part.functions, "all") if part.end is None else part)


def open_all(chain: Chain) -> Chain:
    """Undo `fill_all`."""
    return _changed(chain, lambda part: Chain(part.functions) if part.end == "all" else part)


DISTANCE = 2
"""The number of functions that `most` or `fewest` moves over: a predicate and a relation."""


def raise_most(chain: Chain) -> Chain:
    """Move `most` and `fewest` outwards: the paper's second rule of post-processing.

    Chains are composed in the order of words: "the state with the most rivers" is state, loc_1,
    most, river. The program is `most(state(loc_1(river(all))))`.
    """

    def change(part: Chain) -> Chain:
        functions = list(part.functions)
        for place in range(DISTANCE, len(functions)):
            if part.functions[place] in SUPERLATIVES_OF_COUNT:
                functions.insert(place - DISTANCE, functions.pop(place))
        return part._replace(functions=tuple(functions))

    return _changed(chain, change)


def lower_most(chain: Chain) -> Chain:
    """Undo `raise_most`."""

    def change(part: Chain) -> Chain:
        functions = list(part.functions)
        for place in reversed(range(len(functions) - DISTANCE)):
            if functions[place] in SUPERLATIVES_OF_COUNT:
                functions.insert(place + DISTANCE, functions.pop(place))
        return part._replace(functions=tuple(functions))

    return _changed(chain, change)


ARGUMENT_KINDS: tuple[Kind, ...] = (
    EVERYTHING,
    NUMBER,
    *(Kind(sort, status) for sort in SORTS for status in Status),
)
"""All kinds of arguments."""
Side = Literal["left", "right"]
SIDES: tuple[Side, ...] = ("left", "right")
MAX_CHAINS = 2_000
"""There is no end of chains, but few types: what is forgotten of a chain is soon found again."""


@dataclass(frozen=True, eq=False)
class Signature:
    """The type of nested functions while chains are composed; empty if they are ill-typed."""

    results: tuple[tuple[Kind, Kinds], ...]
    """For each kind that they accept: the kinds that they give."""

    @cached_property
    def accepted(self) -> Kinds:
        """The kinds of argument that they accept."""
        return frozenset(kind for kind, _ in self.results)

    @cached_property
    def given(self) -> Kinds:
        """All kinds that they may give."""
        return frozenset(kind for _, kinds in self.results for kind in kinds)


@lru_cache(maxsize=MAX_CHAINS)
def signature(functions: tuple[str, ...]) -> Signature:
    """Return the type of nested functions."""
    if not functions:
        return Signature(tuple((kind, frozenset({kind})) for kind in ARGUMENT_KINDS))
    return _around(functions[0], signature(functions[1:]))


@lru_cache(maxsize=10_000)
def _around(function: str, inside: Signature) -> Signature:
    """Return the type of a function around others."""
    applied = [(kind, _applied(function, kinds)) for kind, kinds in inside.results]
    return _the_one(tuple([pair for pair in applied if pair[1]]))


@lru_cache(maxsize=10_000)
def _the_one(results: tuple[tuple[Kind, Kinds], ...]) -> Signature:
    """Return one object for equal types, so that what is known of it is found out once."""
    return Signature(results)


@lru_cache(maxsize=10_000)
def _applied(function: str, kinds: Kinds) -> Kinds:
    """Return what a function gives while chains are composed."""
    return apply_kinds(function, kinds, COMPOSED)


def can_nest(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Return whether `signature(outer + inner)` is not empty; most are, and this is far faster."""
    return not signature(inner).given.isdisjoint(signature(outer).accepted)


def takes_subject(functions: tuple[str, ...]) -> bool:
    """Return whether functions take the subject of a relation that goes either way."""
    return functions[-1] in EITHER_WAY and functions[-1].endswith("_1")


def takes_from(side: Side, functions: tuple[str, ...]) -> bool:
    """Return whether functions may take an argument that stands on this side of them.

    What a relation behind its noun lacks is to its right: in "which states does the longest river
    cross" the river is no answer.
    """
    if side == "left" and is_stranded(functions):
        return False
    return functions[-1] not in EITHER_WAY or takes_subject(functions) == (side == "left")


def is_one(functions: tuple[str, ...]) -> bool:
    """Return whether functions give one thing, as superlatives do."""
    return all(kind.status in SINGLE for kind in signature(functions).given)


def is_open(functions: tuple[str, ...]) -> bool:
    """Return whether functions give what a noun must still sort out, as relations do."""
    is_open = (Status.OPEN, Status.OPEN_COUNTED)
    return all(kind.status in is_open for kind in signature(functions).given)


def is_stranded(functions: tuple[str, ...]) -> bool:
    """Return whether functions are a noun with a relation behind it, as in "capital of"."""
    return len(functions) > 1 and is_open(functions[-1:])


def needs_noun(functions: tuple[str, ...]) -> bool:
    """Return whether functions are an adjective without its noun: they take no names."""
    several = (Status.SET, Status.NUMBER)
    return all(kind.status in several for kind in signature(functions).accepted)


def is_bare_property(functions: tuple[str, ...]) -> bool:
    """Return whether functions give numbers of things that are still to be named."""
    type_ = signature(functions)
    is_number = all(kind.status is Status.NUMBER for kind in type_.given)
    return is_number and EVERYTHING not in type_.accepted


@lru_cache(maxsize=10_000)
def entity_kinds(text: str) -> Kinds:
    """Return the kinds of an entity; an anonymised one can be of any sort."""
    if text == "all":
        return frozenset({EVERYTHING})
    if text[0].isdigit():
        return frozenset({NUMBER})
    function, bracket, _ = text.partition("(")
    if bracket:
        return frozenset({Kind(NAMES[function], Status.NAME)})
    if text == "usa":
        return frozenset({Kind("country", Status.NAME)})
    return frozenset(Kind(sort, Status.NAME) for sort in SORTS)


@lru_cache(maxsize=MAX_CHAINS)
def chain_kinds(chain: Chain) -> Kinds:
    """Return the kinds of a chain while it is composed, `all` at open ends; none if ill-typed."""
    if isinstance(chain.end, Fork):
        kinds = combine_kinds(chain_kinds(chain.end.left), chain_kinds(chain.end.right))
    else:
        kinds = entity_kinds(chain.end or "all")
    for function in reversed(chain.functions):
        kinds = _applied(function, kinds)
    return kinds


def check(chain: Chain) -> Kinds:
    """Return the kinds of a finished program; raises `FormError` if it is ill-typed."""
    if isinstance(chain.end, Fork):
        sides = check(chain.end.left), check(chain.end.right)
        kinds = combine_kinds(*sides)
        if not kinds:
            shown = " and ".join(map(_describe, sides))
            raise FormError(f"{chain.end.operation!r} takes two sets of one sort, not {shown}")
    else:
        kinds = entity_kinds(chain.end or "all")
    for function in reversed(chain.functions):
        before, kinds = kinds, apply_kinds(function, kinds)
        if not kinds:
            taken = _describe(frozenset(FUNCTIONS[function]))
            raise FormError(f"{function!r} takes {taken}, not {_describe(before)}")
    return kinds


def _describe(kinds: Kinds) -> str:
    """Return kinds in words."""
    return " or ".join(sorted({_describe_kind(kind) for kind in kinds}))


def _describe_kind(kind: Kind) -> str:
    plural = f"{kind.sort[:-1]}ies" if kind.sort.endswith("y") else f"{kind.sort}s"
    match kind.status:
        case Status.NAME:
            return f"a {kind.sort}"
        case Status.SET:
            return f"a set of {plural}"
        case Status.NUMBER:
            return f"numbers of {plural}" if kind.sort else "a number"
        case _:
            return f"whatever {plural}"
