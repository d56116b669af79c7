"""What a grammar sees of GEO meanings: their types in FunQL."""

from functools import lru_cache

from lear.core.algebra import Meaning
from lear.domains.geo.algebra import Entity, Negated, Negation, Predicate, chain_of_meaning
from lear.domains.geo.function_types import Kinds, Status
from lear.domains.geo.names import city_in_state
from lear.domains.geo.type_check import Signature, chain_kinds, entity_kinds, signature

_MARKS = {
    Status.NAME: "!",
    Status.SET: "",
    Status.OPEN: "?",
    Status.NUMBER: "#",
    Status.COUNTED: "^",
    Status.OPEN_COUNTED: "?^",
}


def category(meaning: Meaning) -> str:
    """The symbol, and for an entity what else decides which operations are legal."""
    if not isinstance(meaning, Entity):
        return argument_symbol(meaning)
    flags = f"{'u' if meaning.is_unit else ''}{'a' if meaning.abbreviation else ''}"
    if city_in_state(meaning.text, meaning.text, "xx") is not None:
        flags += "c"  # a city that can take a state
    return f"{argument_symbol(meaning)} {flags}".strip()


def argument_symbol(meaning: Meaning) -> str:
    """The kinds of a meaning, and for a predicate also those of its argument."""
    if isinstance(meaning, Predicate):  # as nearly all are
        return f"{meaning.origin} {_signature(signature(meaning.functions))}"
    if isinstance(meaning, Negation):
        return "not"
    if isinstance(meaning, Negated):
        return "not " + _kinds(chain_kinds(meaning.chain))
    if isinstance(meaning, Entity):
        return "name " + _kinds(entity_kinds(meaning.text))
    return _kinds(chain_kinds(chain_of_meaning(meaning)))


@lru_cache(maxsize=10_000)
def _signature(signature: Signature) -> str:
    by_result: dict[str, list[str]] = {}
    for kind, results in signature.results:
        by_result.setdefault(_kinds(results), []).append(_kinds(frozenset({kind})))
    return " & ".join(
        f"{','.join(sorted(taken))} > {given}" for given, taken in sorted(by_result.items())
    )


@lru_cache(maxsize=10_000)
def _kinds(kinds: Kinds) -> str:
    return "|".join(sorted(f"{kind.sort}{_MARKS[kind.status]}" for kind in kinds))
