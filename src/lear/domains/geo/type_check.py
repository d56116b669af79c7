"""The types of chains: the kinds that they give, and the kinds of argument that they accept."""

from functools import lru_cache

from lear.domains.geo.function_chain import Chain, Fork
from lear.domains.geo.function_types import (
    COMPOSED,
    EVERYTHING,
    FUNCTIONS,
    NAMES,
    NUMBER,
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

Signature = tuple[tuple[Kind, Kinds], ...]
"""For each kind that a predicate accepts: the kinds that it gives."""


@lru_cache(maxsize=10_000)
def signature(functions: tuple[str, ...]) -> Signature:
    """The type of nested functions while chains are composed; empty if they are ill-typed."""
    if not functions:
        return tuple((kind, frozenset({kind})) for kind in ARGUMENT_KINDS)
    outer = functions[0]
    applied = [(kind, _applied(outer, kinds)) for kind, kinds in signature(functions[1:])]
    return tuple(pair for pair in applied if pair[1])


@lru_cache(maxsize=10_000)
def _applied(function: str, kinds: Kinds) -> Kinds:
    """What a function gives while chains are composed."""
    return apply_kinds(function, kinds, COMPOSED)


@lru_cache(maxsize=10_000)
def accepted_kinds(functions: tuple[str, ...]) -> Kinds:
    """The kinds of argument that nested functions accept while chains are composed."""
    return frozenset(kind for kind, _ in signature(functions))


@lru_cache(maxsize=10_000)
def given_kinds(functions: tuple[str, ...]) -> Kinds:
    """All kinds that nested functions may give while chains are composed."""
    return frozenset(kind for _, kinds in signature(functions) for kind in kinds)


def can_nest(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether `signature(outer + inner)` is not empty; most are, and this is far faster."""
    return not given_kinds(inner).isdisjoint(accepted_kinds(outer))


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


@lru_cache(maxsize=10_000)
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
