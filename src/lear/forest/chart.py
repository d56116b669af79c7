"""Bottom-up chart search over all derivations of a sentence, with equal values packed.

An item is a span with a value (a meaning, or only its category); an edge is one way to build it. A
node is an operation over adjacent constituents plus at most a few function words (`Shape`), so
every edge builds a longer span from shorter ones, and visiting spans by length sees each item
complete before it is used. `combine` says what can be built, and so also what is left out.

The packed forest under one item: every derivation of it, in space shared between them.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import islice, product
from typing import Any, Generic, NamedTuple, TypeVar

from lear.algebra.derivations import Derivation, Leaf, Node
from lear.domain import Shape, trailing_begin
from lear.errors import SearchLimitError

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
    """That a sentence has no answer within its budget."""
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
        """The items over a span."""
        return self._cells[end - begin].get((begin, end), {}).values()

    def spans(self, length: int) -> list[tuple[int, int]]:
        """The spans of this many tokens that hold an item, in the order they were found."""
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
    """For each boundary between tokens, how many function words end there in a row."""
    runs = [0]
    for flag in is_function_word:
        runs.append(runs[-1] + 1 if flag else 0)
    return runs


T = TypeVar("T")


@dataclass(frozen=True)
class Forest(Generic[V]):
    """All derivations of the root's value, with every shared part stored once."""

    root: Item[V]

    def items(self) -> list[Item[V]]:
        """The items under the root, each once, children before parents."""
        seen: dict[Item[V], None] = {self.root: None}
        stack = [self.root]
        while stack:
            for edge in stack.pop().edges:
                new = [child for child in edge.children if child not in seen]
                seen.update(dict.fromkeys(new))
                stack.extend(new)
        return sorted(seen, key=lambda item: item.end - item.begin)

    def inside(
        self,
        weight: Callable[[Item[V], Edge[V]], T],
        times: Callable[[T, T], T],
        plus: Callable[[T, T], T],
    ) -> T:
        """The sum over derivations of the product of their edges' weights, in any semiring."""
        value: dict[Item[V], T] = {}
        for item in self.items():
            totals = [
                reduce(times, (value[child] for child in edge.children), weight(item, edge))
                for edge in item.edges
            ]
            value[item] = reduce(plus, totals)
        return value[self.root]

    def count(self) -> int:
        """How many derivations there are."""
        return self.inside(_one, int.__mul__, int.__add__)

    def derivations(self, limit: int) -> list[Derivation]:
        """The first `limit` derivations, in the order in which their edges were found."""
        trees: dict[Item[V], list[Derivation]] = {}
        for item in self.items():
            trees[item] = list(islice(self._trees(item, trees), limit))
        return trees[self.root]

    @staticmethod
    def _trees(item: Item[V], trees: dict[Item[V], list[Derivation]]) -> Iterator[Derivation]:
        for edge in item.edges:
            for children in product(*(trees[child] for child in edge.children)):
                yield tree_of(item, edge, children)


def _one(item: Item[V], edge: Edge[V]) -> int:
    del item, edge
    return 1


def tree_of(item: Item[V], edge: Edge[V], children: tuple[Derivation, ...]) -> Derivation:
    """A node of a derivation; labels are primitives at leaves and operations above."""
    if not children:
        return Leaf(item.begin, item.end, edge.label)
    return Node(item.begin, item.end, edge.label, children)
