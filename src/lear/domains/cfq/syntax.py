"""What a grammar sees of a CFQ meaning, argued from the language.

Phrases that can stand for one another are one symbol: "M0", "M0 and M1" and "a film editor" are
all an Entity. Of a predicate or an attribute the grammar sees the class of the word that heads it,
as the lexicon found it, and how structure has changed it since: turned by "by", marked by "was".
"""

from lear.core.algebra import Meaning
from lear.domains.cfq.algebra import Attribute, Entity, Predicate, Statement

HEADS = {"possess": 0}
"""Where it matters whether the head has a complement already: "a sibling of M0 's editor" is no
editor, so a noun with a complement owns nothing."""


def category(meaning: Meaning) -> str:
    """What is legal on a meaning: its symbol, and what operations ask for besides."""
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
    """The type, with the class of the head."""
    match meaning:
        case Attribute(form=form) | Predicate(form=form) | Statement(form=form):
            return f"{type(meaning).__name__}:{form}"
        case _:
            return type(meaning).__name__


def head_symbol(meaning: Meaning) -> str:
    """The same, and whether it has a complement."""
    is_heavy = isinstance(meaning, Entity) and meaning.is_heavy
    return f"{argument_symbol(meaning)}{'+' if is_heavy else ''}"
