"""What a grammar sees of GEO meanings: their types in FunQL."""

from functools import lru_cache

from lear.core.algebra import Meaning
from lear.domains.geo.algebra import (
    Entity,
    Negated,
    Negation,
    Predicate,
    Proposition,
    chain_of_meaning,
)
from lear.domains.geo.function_types import SINGLE, Kinds, Status
from lear.domains.geo.names import city_in_state
from lear.domains.geo.type_check import (
    SIDES,
    Signature,
    chain_kinds,
    entity_kinds,
    signature,
    takes_from,
)

_MARKS = {
    Status.NAME: "!",
    Status.SET: "",
    Status.OPEN: "?",
    Status.NUMBER: "#",
    Status.ONE: "1",
    Status.NAMED: "!1",
    Status.COUNTED: "^",
    Status.OPEN_COUNTED: "?^",
}


_SYMBOL_MARKS = _MARKS | dict.fromkeys(SINGLE, _MARKS[Status.SET])
"""Networks see one thing as they see a set: only types tell them apart."""


def category(meaning: Meaning) -> str:
    """The symbol, and what else decides which operations are legal."""
    if isinstance(meaning, Predicate):
        sides = "".join(side[0] for side in SIDES if takes_from(side, meaning.functions))
        return f"{sides} {_symbol(meaning, is_fine=True)}"
    if not isinstance(meaning, Entity):
        return _symbol(meaning, is_fine=True)
    flags = f"{'u' if meaning.is_unit else ''}{'a' if meaning.abbreviation else ''}"
    if city_in_state(meaning.text, meaning.text, "xx") is not None:
        flags += "c"  # a city that can take a state
    return f"{argument_symbol(meaning)} {flags}".strip()


def argument_symbol(meaning: Meaning) -> str:
    """The kinds of a meaning, and for a predicate also those of its argument."""
    return _symbol(meaning, is_fine=False)


def _symbol(meaning: Meaning, *, is_fine: bool) -> str:
    if isinstance(meaning, Predicate):  # as nearly all are
        return f"{meaning.origin} {_signature(signature(meaning.functions), is_fine)}"
    if isinstance(meaning, Negation):
        return "not"
    if isinstance(meaning, Negated):
        return "not " + _kinds(chain_kinds(meaning.chain), is_fine)
    if isinstance(meaning, Entity):
        return "name " + _kinds(entity_kinds(meaning.text), is_fine)
    kinds = _kinds(chain_kinds(chain_of_meaning(meaning)), is_fine)
    is_behind = isinstance(meaning, Proposition) and meaning.is_behind
    return f"{kinds} <" if is_fine and is_behind else kinds


@lru_cache(maxsize=20_000)
def _signature(signature: Signature, is_fine: bool) -> str:  # noqa: FBT001
    by_result: dict[str, set[str]] = {}
    for kind, results in signature.results:
        taken = by_result.setdefault(_kinds(results, is_fine), set())
        taken.add(_kinds(frozenset({kind}), is_fine))
    return " & ".join(
        f"{','.join(sorted(kinds))} > {given}" for given, kinds in sorted(by_result.items())
    )


@lru_cache(maxsize=20_000)
def _kinds(kinds: Kinds, is_fine: bool) -> str:  # noqa: FBT001
    marks = _MARKS if is_fine else _SYMBOL_MARKS
    return "|".join(sorted({f"{kind.sort}{marks[kind.status]}" for kind in kinds}))
