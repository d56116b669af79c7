"""Rules of the latent grammar as forests show them: an operation and the words around its places.

`take_agent` with "_ by _" is a rule; the grammar is whatever rules the derivations use.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lear.chart import Item, LeafEdge, NodeEdge
from lear.forest import Forest


def pattern(item: Item, edge: NodeEdge, tokens: tuple[str, ...]) -> str:
    """The yield of an edge with `_` for each child, such as `_ by _`."""
    pieces: list[str] = []
    position = item.begin
    for child in edge.children:
        pieces.extend((*tokens[position : child.begin], "_"))
        position = child.end
    return " ".join((*pieces, *tokens[position : item.end]))


@dataclass
class RuleCounts:
    """How often each rule occurs in forests that leave no choice."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    @classmethod
    def of(cls, forests: Iterable[tuple[Forest, tuple[str, ...]]]) -> "RuleCounts":
        """Count over the forests with exactly one derivation."""
        rules = cls()
        for forest, tokens in forests:
            if forest.count() == 1:
                rules.counts.update(
                    (edge.operation.name, pattern(item, edge, tokens))
                    for item in forest.items()
                    for edge in item.edges
                    if isinstance(edge, NodeEdge)
                )
        return rules

    def score(self, item: Item, edge: LeafEdge | NodeEdge, tokens: tuple[str, ...]) -> float:
        """The log of a rule's count, plus one so that a rule never seen is only unlikely."""
        if isinstance(edge, LeafEdge):
            return 0.0
        return math.log1p(self.counts[edge.operation.name, pattern(item, edge, tokens)])
