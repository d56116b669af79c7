"""What rewards and the published evaluation compare of programs."""

import re
from collections.abc import Hashable

from lear.core.algebra import Meaning
from lear.domains.geo.algebra import chain_of_meaning
from lear.domains.geo.function_chain import Chain, Fork, text_of


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """Each function or entity together with the function that takes it."""
    found: set[Hashable] = set()
    stack: list[tuple[str, Chain]] = [("answer", chain_of_meaning(meaning))]
    while stack:
        outer, (functions, end) = stack.pop()
        for function in functions:
            found.add((outer, function))
            outer = function
        if isinstance(end, Fork):
            found.add((outer, end.operation))
            stack += ((f"{end.operation} left", end.left), (f"{end.operation} right", end.right))
        elif end is not None:
            found.add((outer, end))
    return frozenset(found)


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """The functions and entities of a meaning."""
    return frozenset(_SYMBOL.findall(text_of(chain_of_meaning(meaning))))


def without_brackets(meaning: Meaning) -> Hashable:
    """The symbols in their order: the published evaluation removes brackets and commas."""
    return tuple(_SYMBOL.findall(text_of(chain_of_meaning(meaning))))


_SYMBOL = re.compile(r"\w+|'[^']*'")
