"""What rewards and the lenient metric compare of GEO meanings."""

import re
from collections.abc import Hashable

from lear.core.algebra import Meaning
from lear.domains.geo.algebra import chain_of_meaning
from lear.domains.geo.function_chain import Chain, Fork, text_of

_WORD = re.compile(r"\w+|'[^']*'")


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """The functions and entities of a meaning, each paired with the function around it."""
    pairs: set[Hashable] = set()
    stack: list[tuple[str, Chain]] = [("answer", chain_of_meaning(meaning))]
    while stack:
        outer, (functions, end) = stack.pop()
        for function in functions:
            pairs.add((outer, function))
            outer = function
        if isinstance(end, Fork):
            pairs.add((outer, end.operation))
            stack += ((f"{end.operation} left", end.left), (f"{end.operation} right", end.right))
        elif end is not None:
            pairs.add((outer, end))
    return frozenset(pairs)


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """The functions and entities of a meaning."""
    return frozenset(_WORD.findall(text_of(chain_of_meaning(meaning))))


def without_brackets(meaning: Meaning) -> Hashable:
    """The program without brackets and commas, which the published evaluation removes."""
    return tuple(_WORD.findall(text_of(chain_of_meaning(meaning))))
