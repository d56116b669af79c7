"""What a grammar sees of a toy meaning: its type, and of a predicate which place is open."""

from lear.core.algebra import Meaning
from lear.domains.toy.algebra import Predicate


def category(meaning: Meaning) -> str:
    """The type; `Passive` for a predicate that waits for whom it is done to."""
    if isinstance(meaning, Predicate) and meaning.second is None:
        return "Passive"
    return type(meaning).__name__
