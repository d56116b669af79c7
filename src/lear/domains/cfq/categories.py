"""What a grammar sees of CFQ meanings, chosen by linguistic argument.

Phrases that can replace one another have the same symbol: "M0", "M0 and M1" and "a film editor" are
all an Entity. Of a predicate or an attribute the grammar sees the class of the head word, and how
operations have changed it: flipped by "by", marked by "was".
"""

from lear.core.algebra import Meaning
from lear.domains.cfq.algebra import Attribute, Entity, Predicate, Statement

HEADS = {"possess": 0}
"""Operation -> the index of its head. Only `possess` needs to see whether the head has a
complement: "a sibling of M0 's editor" means a sibling of the editor, not the sibling's editor."""


def category(meaning: Meaning) -> str:
    """The symbol, and whatever else decides which operations are legal."""
    symbol = argument_symbol(meaning)
    match meaning:
        case Entity(names=names, is_heavy=is_heavy):
            return f"{symbol} {min(len(names), 2)}{'+' if is_heavy else ''}"
        case Predicate(relations=relations, restriction=restriction):
            size = "one" if len(relations) == 1 else "list"
            return f"{symbol} {size}{' restricted' if restriction else ''}"
        case Attribute(is_word=is_word, is_heavy=is_heavy):
            return f"{symbol} {'word' if is_word else 'phrase'}{'+' if is_heavy else ''}"
        case _:
            return symbol


def argument_symbol(meaning: Meaning) -> str:
    """The type, with the class of the head word."""
    match meaning:
        case Attribute() | Predicate() | Statement():
            return f"{type(meaning).__name__}:{meaning.head_class}"
        case _:
            return type(meaning).__name__


def head_symbol(meaning: Meaning) -> str:
    """The argument symbol, with `+` if there is a complement."""
    is_heavy = isinstance(meaning, Entity) and meaning.is_heavy
    return f"{argument_symbol(meaning)}{'+' if is_heavy else ''}"
