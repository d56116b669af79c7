"""Categories of toy meanings: the type, and for a predicate which argument is missing."""

from lear.core.algebra import Meaning
from lear.domains.toy.algebra import Predicate


def category(meaning: Meaning) -> str:
    """The type; `Passive` for a predicate whose second argument is missing."""
    if isinstance(meaning, Predicate) and meaning.second is None:
        return "Passive"
    return type(meaning).__name__
