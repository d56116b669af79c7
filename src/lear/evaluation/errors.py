"""Whose fault a wrong answer is: the Composer's, which builds the tree, or the Interpreter's.

As in the paper's analysis: if the tree of a wrong answer has some assignment of primitives and
operations that gives the right meaning, the Composer did its part and the Interpreter erred.
"""

from typing import Literal

from lear.algebra import MeaningTable
from lear.derivation import Derivation, walk
from lear.domain import Example
from lear.errors import SearchLimitError
from lear.lexicon import UNKNOWN
from lear.oracle import Oracle, TreeNode

Fault = Literal["Composer", "Interpreter", "no answer", "beyond the search limit"]


def fault_of(oracle: Oracle, row: Example, derivation: Derivation | None) -> Fault:
    """Who is to blame for a wrong answer."""
    if derivation is None:
        return "no answer"
    table = MeaningTable(oracle.domain.algebra)
    gold = oracle.domain.read_gold(row, table)
    nodes = frozenset(tree_node(part) for _, part in walk(derivation))
    try:
        is_relaxed = UNKNOWN in oracle.lexicon.function_words
        forest = oracle.forest(row.tokens, gold, table, only=nodes, relax=is_relaxed)
    except SearchLimitError:
        return "beyond the search limit"
    return "Composer" if forest is None else "Interpreter"


def tree_node(part: Derivation) -> TreeNode:
    """A node of a tree without its label."""
    return part.begin, part.end, tuple((child.begin, child.end) for child in part.children)
