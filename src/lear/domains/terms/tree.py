"""Terms as plain trees: a symbol with arguments, whatever notation they were written in."""

from collections.abc import Iterator
from typing import NamedTuple


class Tree(NamedTuple):
    """A symbol, exactly as the form writes it, with its arguments; without any it is a constant."""

    symbol: str
    arguments: "tuple[Tree, ...]" = ()


HOLE = Tree("\0")
"""Where an argument is still missing. No form can write this symbol."""


def subtrees(tree: Tree) -> Iterator[Tree]:
    """A tree and everything inside it, from the outside in."""
    stack = [tree]
    while stack:
        inner = stack.pop()
        yield inner
        stack.extend(reversed(inner.arguments))


def has_hole(tree: Tree) -> bool:
    """Whether an argument is missing somewhere inside."""
    return any(inner is HOLE or inner == HOLE for inner in subtrees(tree))
