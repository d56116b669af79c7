"""The k best derivations of a packed forest: the plain version, which `viterbi` is tested against.

Each item keeps its k best ways to be built, ranked; items are visited children first.

All legal derivations of a sentence, as a chart over the categories of its skeleton.
"""

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from itertools import product
from typing import Generic, NamedTuple, TypeVar

from lear.algebra.derivations import post_order
from lear.forest.chart import DEFAULT_BUDGET, Budget, Chart, Edge, Forest, Item, LeafValue, search
from lear.forest.programs import Instruction, Program
from lear.grammar.reading import Candidate, CategoryLeaf, Skeleton
from lear.grammar.rules import Application, Grammar

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


LeafScores = Callable[[CategoryLeaf], Sequence[float]]
"""The scores of the primitives behind a leaf, in their order."""


def legal_chart(
    grammar: Grammar, skeleton: Skeleton, budget: Budget = DEFAULT_BUDGET
) -> Chart[int]:
    """All derivations of a skeleton: values are categories, labels are rules' numbers."""
    words = skeleton.words

    def combine(begin: int, end: int, children: tuple[Item[int], ...]) -> Iterable[Application]:
        first, last = children[0], children[-1]
        if first is last:
            before, after = words[begin : first.begin], words[first.end : end]
            return grammar.unary_applications(before, first.value, after)
        between = words[first.end : last.begin]
        return grammar.binary_applications(first.value, between, last.value)

    return search(
        (LeafValue(begin, end, None, value) for begin, end, value in skeleton.leaves),
        skeleton.is_function_word,
        combine,
        shape=grammar.shape,
        budget=budget,
    )


def complete_items(grammar: Grammar, chart: Chart[int]) -> list[Item[int]]:
    """The items over the whole sentence that can be answers."""
    items = chart.cell(0, chart.num_tokens)
    return [item for item in items if grammar.categories.is_complete(item.value)]


def best_programs(
    grammar: Grammar,
    chart: Chart[int],
    rule_scores: Sequence[float],
    leaf_scores: LeafScores,
    count: int,
) -> list[Program]:
    """The `count` best complete derivations of a chart, best first, by the sum of their scores."""

    def scores(item: Item[int], edge: Edge[int]) -> Sequence[float]:
        if edge.children:
            return (rule_scores[edge.label],)
        return leaf_scores(CategoryLeaf(item.begin, item.end, item.value))

    def instruction(node: RankedNode[int]) -> Instruction:
        (begin, end, category), edge = (
            (node.item.begin, node.item.end, node.item.value),
            node.way.edge,
        )
        if not edge.children:
            leaf = CategoryLeaf(begin, end, category)
            return Instruction.leaf(Candidate(leaf, node.way.ranks[0]))
        operation = grammar.rules[edge.label].operation
        return Instruction(operation, len(edge.children), begin, end)

    return [
        Program(score, tuple(map(instruction, nodes)))
        for score, nodes in k_best(complete_items(grammar, chart), scores, count)
    ]
