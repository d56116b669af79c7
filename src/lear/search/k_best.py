"""The k best derivations of a packed forest: the plain version, which `viterbi` is tested against.

Each item keeps its k best ways to be built, ranked; items are visited children first.
"""

import heapq
from collections.abc import Callable, Hashable, Sequence
from itertools import product
from typing import Generic, NamedTuple, TypeVar

from lear.core.derivation import post_order
from lear.search.chart import Edge, Item
from lear.search.forest import Forest

V = TypeVar("V", bound=Hashable)

Scores = Callable[[Item[V], Edge[V]], Sequence[float]]
"""The score of an edge; of a leaf, the score of each primitive that it may stand for."""


class Way(NamedTuple, Generic[V]):
    """One way to build an item."""

    score: float
    edge: Edge[V]
    ranks: tuple[int, ...]
    """Which of each child's ways it uses; of a leaf, which primitive."""


class RankedNode(NamedTuple, Generic[V]):
    """A node of one of the best derivations."""

    item: Item[V]
    way: Way[V]


def k_best(
    roots: Sequence[Item[V]], scores: Scores[V], count: int
) -> list[tuple[float, list[RankedNode[V]]]]:
    """The `count` best derivations of any of these items, best first.

    Returns:
        For each its score, the sum of its edges' scores, and its nodes in post-order.
    """
    ways: dict[Item[V], list[Way[V]]] = {}
    for root in roots:
        for item in Forest(root).items():
            if item not in ways:
                ways[item] = _ranked(item, ways, scores, count)
    candidates = [(root, way) for root in roots for way in ways[root]]
    best = heapq.nlargest(count, candidates, key=lambda pair: pair[1].score)

    def children(node: RankedNode[V]) -> list[RankedNode[V]]:
        pairs = zip(node.way.edge.children, node.way.ranks, strict=False)
        return [RankedNode(child, ways[child][rank]) for child, rank in pairs]

    return [(way.score, post_order(RankedNode(root, way), children)) for root, way in best]


def _ranked(
    item: Item[V], ways: dict[Item[V], list[Way[V]]], scores: Scores[V], count: int
) -> list[Way[V]]:
    """The best ways to build an item, from those of its children."""
    every: list[Way[V]] = []
    for edge in item.edges:
        if not edge.children:
            every += (Way(s, edge, (rank,)) for rank, s in enumerate(scores(item, edge)))
            continue
        (base,) = scores(item, edge)
        for ranks in product(*(range(len(ways[child])) for child in edge.children)):
            pairs = zip(edge.children, ranks, strict=True)
            total = base + sum(ways[child][rank].score for child, rank in pairs)
            every.append(Way(total, edge, ranks))
    return heapq.nlargest(count, every, key=lambda way: way.score)
