"""Whose fault a wrong answer is: the Composer's, which builds the tree, or the Interpreter's.

As in the paper's analysis: if the tree of a wrong answer has some assignment of primitives and
operations that gives the right meaning, the Composer did its part and the Interpreter erred.
"""

from typing import Literal

from lear.core.algebra import MeaningTable
from lear.core.derivation import Derivation, walk
from lear.core.lexicon import UNKNOWN
from lear.domain.example import Example
from lear.errors import SearchLimitError
from lear.search.oracle import BareNode, Oracle

Fault = Literal["Composer", "Interpreter", "no answer", "beyond the search limit"]


def blame(oracle: Oracle, row: Example, derivation: Derivation | None) -> Fault:
    """Who is to blame for a wrong answer."""
    if derivation is None:
        return "no answer"
    table = MeaningTable(oracle.domain.language.algebra)
    gold = oracle.domain.language.read_gold(row, table)
    nodes = frozenset(bare_node(part) for _, part in walk(derivation))
    try:
        may_overlook = UNKNOWN in oracle.lexicon.function_words
        reading = oracle.reader.read(row.tokens)
        forest = oracle.forest(reading, gold, table, only=nodes, overlook=may_overlook)
    except SearchLimitError:
        return "beyond the search limit"
    return "Composer" if forest is None else "Interpreter"


def bare_node(part: Derivation) -> BareNode:
    """A node of a tree without its label."""
    return part.begin, part.end, tuple((child.begin, child.end) for child in part.children)
