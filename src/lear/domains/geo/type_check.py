"""The types of chains: the kinds that they give, and the kinds of argument that they accept."""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal

from lear.domains.geo.function_chain import Chain, Fork
from lear.domains.geo.function_types import (
    COMPOSED,
    EITHER_WAY,
    EVERYTHING,
    FUNCTIONS,
    NAMES,
    NUMBER,
    SINGLE,
    SORTS,
    Kind,
    Kinds,
    Status,
    apply_kinds,
    combine_kinds,
)
from lear.errors import FormError

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
    """The type of nested functions."""
    if not functions:
        return Signature(tuple((kind, frozenset({kind})) for kind in ARGUMENT_KINDS))
    return _around(functions[0], signature(functions[1:]))


@lru_cache(maxsize=10_000)
def _around(function: str, inside: Signature) -> Signature:
    """The type of a function around others."""
    applied = [(kind, _applied(function, kinds)) for kind, kinds in inside.results]
    return _the_one(tuple([pair for pair in applied if pair[1]]))


@lru_cache(maxsize=10_000)
def _the_one(results: tuple[tuple[Kind, Kinds], ...]) -> Signature:
    """One object for equal types, so that what is known of it is found out once."""
    return Signature(results)


@lru_cache(maxsize=10_000)
def _applied(function: str, kinds: Kinds) -> Kinds:
    """What a function gives while chains are composed."""
    return apply_kinds(function, kinds, COMPOSED)


def can_nest(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether `signature(outer + inner)` is not empty; most are, and this is far faster."""
    return not signature(inner).given.isdisjoint(signature(outer).accepted)


def takes_subject(functions: tuple[str, ...]) -> bool:
    """Whether the argument of functions is the subject of a relation that goes either way."""
    return functions[-1] in EITHER_WAY and functions[-1].endswith("_1")


def takes_from(side: Side, functions: tuple[str, ...]) -> bool:
    """Whether functions may take an argument that stands on this side of them.

    What a relation behind its noun lacks is to its right: in "which states does the longest river
    cross" the river is no answer.
    """
    if side == "left" and is_stranded(functions):
        return False
    return functions[-1] not in EITHER_WAY or takes_subject(functions) == (side == "left")


def is_one(functions: tuple[str, ...]) -> bool:
    """Whether functions give one thing, as superlatives do."""
    return all(kind.status in SINGLE for kind in signature(functions).given)


def is_open(functions: tuple[str, ...]) -> bool:
    """Whether functions give what a noun must still sort out, as relations do."""
    is_open = (Status.OPEN, Status.OPEN_COUNTED)
    return all(kind.status in is_open for kind in signature(functions).given)


def is_stranded(functions: tuple[str, ...]) -> bool:
    """Whether functions are a noun with a relation behind it, as in "capital of"."""
    return len(functions) > 1 and is_open(functions[-1:])


def needs_noun(functions: tuple[str, ...]) -> bool:
    """Whether functions are an adjective without its noun: they take sets or numbers, no names."""
    several = (Status.SET, Status.NUMBER)
    return all(kind.status in several for kind in signature(functions).accepted)


def is_bare_property(functions: tuple[str, ...]) -> bool:
    """Whether functions give numbers of things that are still to be named."""
    type_ = signature(functions)
    is_number = all(kind.status is Status.NUMBER for kind in type_.given)
    return is_number and EVERYTHING not in type_.accepted


@lru_cache(maxsize=10_000)
def entity_kinds(text: str) -> Kinds:
    """The kinds of an entity; an anonymised one can be of any sort."""
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
    """The kinds of a chain while it is composed, with `all` at open ends; empty if ill-typed."""
    if isinstance(chain.end, Fork):
        kinds = combine_kinds(chain_kinds(chain.end.left), chain_kinds(chain.end.right))
    else:
        kinds = entity_kinds(chain.end or "all")
    for function in reversed(chain.functions):
        kinds = _applied(function, kinds)
    return kinds


def check(chain: Chain) -> Kinds:
    """The kinds of a finished program; raises `FormError` if it is ill-typed."""
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
    """Kinds in words."""
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
