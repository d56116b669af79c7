"""The plain chart: all derivations of a sentence as objects, and the k best of them.

An item is a span with a value (a meaning, or only its category); an edge is one way to build it. A
node is an operation over adjacent constituents plus at most a few function words (`Shape`), so
every edge builds a longer span from shorter ones, and visiting spans by length sees each item
complete before it is used. The search of gold meanings fills such charts; so does training, which
packs them into arrays. `lear.forest.search` finds the same faster, and is tested against this.
"""

import heapq
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from lear.algebra.derivations import Derivation, Leaf, Node, post_order
from lear.domain import Shape, trailing_begin
from lear.errors import SearchLimitError
from lear.forest.programs import Instruction, Program
from lear.grammar.reading import Candidate, CategoryLeaf, Skeleton
from lear.grammar.rules import Application, Grammar

if TYPE_CHECKING:
    from lear.forest.packed import PackedForest, UfuncSemiring

V = TypeVar("V", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on time and memory of the search of one sentence."""

    combinations: int
    """How often constituents may be put together; beyond that there is no answer."""
    margin: float | None = None
    """Among scored ways to read a span, those so much worse than its best one are dropped."""


DEFAULT_BUDGET = Budget(combinations=200_000)


def out_of_budget(num_tokens: int, combinations: int) -> SearchLimitError:
    """Say that a sentence has no answer within its budget."""
    return SearchLimitError(
        f"no answer among the first {combinations:,} combinations of its phrases: the sentence, of "
        f"{num_tokens} words and marks, is too long or too ambiguous"
    )


@dataclass(frozen=True, slots=True)
class Beam(Generic[V]):
    """Keep the `width` best values of each type and span, by `score`; ties keep the first built."""

    width: int
    score: Callable[[V], float]


class Edge(NamedTuple, Generic[V]):
    """One way to build an item; a leaf has no children."""

    label: Any
    """What `combine` or the leaf gave: an operation, a rule, a primitive."""
    children: "tuple[Item[V], ...]"


@dataclass(slots=True, eq=False)
class Item(Generic[V]):
    """A value found over a half-open span, with every way that was found to build it."""

    begin: int
    end: int
    value: V
    edges: list[Edge[V]] = field(default_factory=list)


class LeafValue(NamedTuple, Generic[V]):
    """A unit of the sentence read as a value."""

    begin: int
    end: int
    label: Any
    value: V


Combine = Callable[[int, int, tuple[Item[V], ...]], Iterable[tuple[Any, V]]]
"""Span and constituents in it -> the labels and values of the nodes that can be built there."""


class Chart(Generic[V]):
    """All items of one sentence by span; `search` fills it."""

    def __init__(self, num_tokens: int) -> None:
        self.num_tokens = num_tokens
        self._cells: list[dict[tuple[int, int], dict[V, Item[V]]]] = [
            {} for _ in range(num_tokens + 1)
        ]  # indexed by span length

    def cell(self, begin: int, end: int) -> Iterable[Item[V]]:
        """Return the items over a span."""
        return self._cells[end - begin].get((begin, end), {}).values()

    def spans(self, length: int) -> list[tuple[int, int]]:
        """Return the spans of this many tokens that hold an item, in the order they were found."""
        return list(self._cells[length])

    def add(self, begin: int, end: int, value: V, edge: Edge[V]) -> None:
        """Record one way to build a value over a span."""
        cell = self._cells[end - begin].setdefault((begin, end), {})
        item = cell.get(value)
        if item is None:
            item = cell[value] = Item(begin, end, value)
        item.edges.append(edge)

    def prune(self, begin: int, end: int, beam: Beam[V]) -> None:
        """Keep the best items of a span only."""
        cell = self._cells[end - begin][begin, end]
        if len(cell) > beam.width:
            kept: dict[V, Item[V]] = {}
            num_kept: Counter[type[V]] = Counter()
            for item in sorted(cell.values(), key=lambda item: -beam.score(item.value)):
                num_kept[type(item.value)] += 1
                if num_kept[type(item.value)] <= beam.width:
                    kept[item.value] = item
            self._cells[end - begin][begin, end] = kept


def search(
    leaves: Iterable[LeafValue[V]],
    is_function_word: Sequence[bool],
    combine: Combine[V],
    *,
    shape: Shape,
    budget: Budget = DEFAULT_BUDGET,
    beam: Beam[V] | None = None,
) -> Chart[V]:
    """Fill a chart with everything that `combine` builds from the leaves.

    Raises:
        SearchLimitError: the budget ran out; what was found is dropped, never half returned.
    """
    chart: Chart[V] = Chart(len(is_function_word))
    builder = _Builder(chart, combine, budget)
    for leaf in leaves:
        chart.add(leaf.begin, leaf.end, leaf.value, Edge(leaf.label, ()))
    words_before = _runs(is_function_word)
    words_after = _runs(is_function_word[::-1])[::-1]
    trailing = trailing_begin(is_function_word)
    for length in range(1, chart.num_tokens + 1):
        for begin, end in chart.spans(length):
            if beam is not None:
                chart.prune(begin, end, beam)
            before, after = words_before[begin], words_after[end]
            gaps = shape.unary_gaps(before, after, is_trailing=end >= trailing)
            for item in chart.cell(begin, end):
                builder.unary(item, gaps)
                builder.binary(item, min(before, shape.between), min(after, shape.between))
    return chart


class _Builder(Generic[V]):
    """Combines items; every pair of neighbours is tried once."""

    def __init__(self, chart: Chart[V], combine: Combine[V], budget: Budget) -> None:
        self.chart = chart
        self.combine = combine
        self.budget = budget
        self.num_combinations = 0
        # Items already combined, by where they begin and where they end.
        self.began: list[list[Item[V]]] = [[] for _ in range(chart.num_tokens + 1)]
        self.ended: list[list[Item[V]]] = [[] for _ in range(chart.num_tokens + 1)]

    def unary(self, item: Item[V], gaps: Iterable[tuple[int, int]]) -> None:
        """Try nodes over one item and the function words around it."""
        for left, right in gaps:
            self._build(item.begin - left, item.end + right, (item,))

    def binary(self, item: Item[V], before: int, after: int) -> None:
        """Try nodes over an item and every earlier one beside it, words between or not."""
        for gap in range(before + 1):
            for other in self.ended[item.begin - gap]:
                self._build(other.begin, item.end, (other, item))
        for gap in range(after + 1):
            for other in self.began[item.end + gap]:
                self._build(item.begin, other.end, (item, other))
        self.began[item.begin].append(item)
        self.ended[item.end].append(item)

    def _build(self, begin: int, end: int, children: tuple[Item[V], ...]) -> None:
        self.num_combinations += 1
        if self.num_combinations > self.budget.combinations:
            raise out_of_budget(self.chart.num_tokens, self.budget.combinations)
        for label, value in self.combine(begin, end, children):
            self.chart.add(begin, end, value, Edge(label, children))


def _runs(is_function_word: Sequence[bool]) -> list[int]:
    """Return, for each boundary between tokens, how many function words end there in a row."""
    runs = [0]
    for flag in is_function_word:
        runs.append(runs[-1] + 1 if flag else 0)
    return runs


@dataclass(frozen=True)
class Forest(Generic[V]):
    """All derivations of the root's value, with every shared part stored once."""

    root: Item[V]

    def items(self) -> list[Item[V]]:
        """Return the items under the root, each once, children before parents."""
        seen: dict[Item[V], None] = {self.root: None}
        stack = [self.root]
        while stack:
            for edge in stack.pop().edges:
                new = [child for child in edge.children if child not in seen]
                seen.update(dict.fromkeys(new))
                stack.extend(new)
        return sorted(seen, key=lambda item: item.end - item.begin)

    def edges(self) -> list[tuple[Item[V], Edge[V]]]:
        """Return all edges with the items that they build, children before parents."""
        return [(item, edge) for item in self.items() for edge in item.edges]

    def packed(
        self, labels: Callable[[Item[V], Edge[V]], Iterable[int]] | None = None
    ) -> "PackedForest":
        """Return the forest as arrays.

        Args:
            labels: Numbers of what an edge scores; it becomes as many edges. By default one.
        """
        import numpy as np  # commands load this module without it

        from lear.forest.packed import NO_CHILD, Edges, PackedForest

        items = self.items()
        number = {item: index for index, item in enumerate(items)}
        edges = []
        for item in items:
            for edge in item.edges:
                children = [number[child] for child in edge.children]
                children += [NO_CHILD] * (2 - len(children))
                for label in (0,) if labels is None else labels(item, edge):
                    edges.append((number[item], label, *children))
        return PackedForest(
            np.array([item.end - item.begin for item in items], dtype=np.int64),
            Edges(*np.array(edges, dtype=np.int64).reshape(-1, 4).T.copy()),
            np.array([len(items) - 1]),
            np.array([0]),
        )

    def inside(self, weights: Sequence[object], semiring: "UfuncSemiring") -> Any:
        """Sum up all derivations, given the weights of `edges`."""
        import numpy as np

        from lear.forest.packed import inside

        packed = self.packed()
        return inside(packed, np.array(weights, dtype=object), semiring)[packed.roots.item()]

    def count(self) -> int:
        """Count the derivations."""
        from lear.forest.packed import COUNT

        return int(self.inside([1] * len(self.edges()), COUNT))

    def derivations(self, limit: int) -> list[Derivation]:
        """Return the first `limit` derivations, in the order in which their edges were found."""
        trees: dict[Item[V], list[Derivation]] = {}
        for item in self.items():
            trees[item] = list(islice(self._trees(item, trees), limit))
        return trees[self.root]

    @staticmethod
    def _trees(item: Item[V], trees: dict[Item[V], list[Derivation]]) -> Iterator[Derivation]:
        for edge in item.edges:
            for children in product(*(trees[child] for child in edge.children)):
                yield tree_of(item, edge, children)


def tree_of(item: Item[V], edge: Edge[V], children: tuple[Derivation, ...]) -> Derivation:
    """Return a node of a derivation; labels are primitives at leaves and operations above."""
    if not children:
        return Leaf(item.begin, item.end, edge.label)
    return Node(item.begin, item.end, edge.label, children)


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
    """Return the `count` best derivations of any of these items, best first.

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
    """Return the best ways to build an item, from those of its children."""
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
    """Return all derivations of a skeleton: values are categories, labels are rules' numbers."""
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
    """Return the items over the whole sentence that can be answers."""
    items = chart.cell(0, chart.num_tokens)
    return [item for item in items if grammar.categories.is_complete(item.value)]


def best_programs(
    grammar: Grammar,
    chart: Chart[int],
    rule_scores: Sequence[float],
    leaf_scores: LeafScores,
    count: int,
) -> list[Program]:
    """Return the `count` best complete derivations of a chart, best first."""

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
