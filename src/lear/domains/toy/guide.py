"""Which meanings can be a part of a derivation of a given toy proposition."""

from collections.abc import Callable

from lear.core.algebra import Meaning
from lear.core.meaning_parts import parts
from lear.domains.toy.algebra import Kind, Person, Predicate, Proposition


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """A test that every part of every derivation of `gold` passes."""
    inside = parts(gold)
    people = {(part.symbol, part.of) for part in inside if isinstance(part, Person)}
    propositions = {
        (part.symbol, part.first, part.second) for part in inside if isinstance(part, Proposition)
    }
    half_filled = {(symbol, None, second) for symbol, _, second in propositions} | {
        (symbol, first, None) for symbol, first, _ in propositions
    }
    used = {symbol for symbol, _ in people} | {symbol for symbol, _, _ in propositions}

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Person() | Proposition():
                return meaning in inside
            case Kind():
                return (meaning.symbol, meaning.of) in people
            case Predicate():
                return (meaning.symbol, meaning.first, meaning.second) in half_filled
            case _:
                return getattr(meaning, "symbol", None) in used

    return is_part
