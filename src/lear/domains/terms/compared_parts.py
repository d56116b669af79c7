"""What rewards compare of terms."""

from lear.algebra.algebra import Meaning
from lear.domains.terms.algebra import Part, Whole
from lear.domains.terms.tree import Tree, subtrees


def conjuncts(meaning: Meaning) -> frozenset[tuple[str, ...]]:
    """A symbol with the symbols of its arguments, for each symbol of a term."""
    assert isinstance(meaning, Part | Whole)
    return frozenset(_edge(tree) for tree in subtrees(meaning.tree))


def _edge(tree: Tree) -> tuple[str, ...]:
    return (tree.symbol, *(argument.symbol for argument in tree.arguments))


def primitives(meaning: Meaning) -> frozenset[str]:
    """The symbols of a term."""
    assert isinstance(meaning, Part | Whole)
    return frozenset(tree.symbol for tree in subtrees(meaning.tree))
