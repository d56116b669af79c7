"""Whose fault a wrong answer is: the Composer's, which builds the tree, or the Interpreter's.

As in the paper's analysis: if the tree of a wrong answer has some assignment of primitives and
operations that gives the right meaning, the Composer did its part and the Interpreter erred.
"""

from itertools import product
from typing import Literal

from lear.core.algebra import Meaning, MeaningTable
from lear.core.derivation import Derivation, Leaf, Node, fold_derivation, walk
from lear.core.lexicon import UNKNOWN
from lear.domain.example import Example
from lear.errors import SearchLimitError
from lear.search.oracle import BareNode, Oracle

Fault = Literal["Composer", "Interpreter", "no answer", "beyond the search limit"]
MAX_MEANINGS = 5_000
"""Of a node of a tree without labels; with more, nobody is blamed."""


def blame(
    oracle: Oracle, row: Example, derivation: Derivation | None, *, is_free: bool = False
) -> Fault:
    """Who is to blame for a wrong answer.

    Args:
        oracle: Knows what words may stand for, and the limits on function words.
        row: The sentence with its gold form.
        derivation: Of the answer; None if there is none.
        is_free: Whether function words are anywhere in the tree (`model.merging` is free).
    """
    if derivation is None:
        return "no answer"
    try:
        is_possible = _by_assignments if is_free else _by_forest
        return "Interpreter" if is_possible(oracle, row, derivation) else "Composer"
    except SearchLimitError:
        return "beyond the search limit"


def _by_forest(oracle: Oracle, row: Example, derivation: Derivation) -> bool:
    """Whether a tree can mean gold, by the search that finds all derivations of gold."""
    table = MeaningTable(oracle.domain.language.algebra)
    gold = oracle.domain.language.read_gold(row, table)
    nodes = frozenset(bare_node(part) for _, part in walk(derivation))
    may_overlook = UNKNOWN in oracle.lexicon.function_words
    reading = oracle.reader.read(row.tokens)
    forest = oracle.forest(reading, gold, table, only=nodes, overlook=may_overlook)
    return forest is not None


def _by_assignments(oracle: Oracle, row: Example, derivation: Derivation) -> bool:
    """Whether a tree can mean gold, by everything that it can mean."""
    domain, language = oracle.domain, oracle.domain.language
    table = MeaningTable(language.algebra)
    reading = oracle.reader.read(row.tokens)

    def leaf(part: Leaf) -> frozenset[Meaning]:
        candidates = reading.units[part.begin, part.end]
        primitives = (reading.primitive(c) for c in candidates if c.leaf.category >= 0)
        return frozenset(domain.words.ground(p, part.begin, table) for p in primitives)

    def node(part: Node, children: tuple[frozenset[Meaning], ...]) -> frozenset[Meaning]:
        del part
        found: set[Meaning] = set()
        for arguments in product(*children):
            for operation in language.algebra.candidates(*arguments):
                meaning = table.apply(operation, arguments)
                if meaning is not None:
                    found.add(meaning)
            if len(found) > MAX_MEANINGS:
                raise SearchLimitError(f"{row.source}: too many meanings of one tree")
        return frozenset(found)

    gold = language.render(language.read_gold(row, table))
    meanings = fold_derivation(derivation, leaf, node)
    return any(language.render(language.finish(m, row.tokens, table)) == gold for m in meanings)


def bare_node(part: Derivation) -> BareNode:
    """A node of a tree without its label."""
    return part.begin, part.end, tuple((child.begin, child.end) for child in part.children)
