"""Bottom-up chart search over all derivations of a sentence, with equal meanings packed.

An item is a span with a meaning; an edge is one way to build it. A node of the search is an
operation over adjacent constituents plus at most a few function words (`Shape`), so every edge
builds a longer span from shorter ones, and visiting spans by length sees each item complete
before it is used. `keep` cuts what cannot lead to the answer (gold-guided search); `Beam` keeps
only the best few meanings of a span. `Budget` bounds time and memory whatever the sentence.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lear.algebra import Meaning, MeaningTable, Operation
from lear.errors import AlgebraError, SearchLimitError
from lear.lexicon import Primitive


@dataclass(frozen=True, slots=True)
class Shape:
    """Where a node may own function words: the limit on the syntax that is searched."""

    beside: int = 1
    """Most words beside the one argument of a unary operation; it needs at least one."""
    between: int = 1
    """Most words between the two arguments of a binary operation."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The most edges that one search may try to build before it gives up."""

    edges: int


DEFAULT_BUDGET = Budget(edges=200_000)


@dataclass(frozen=True, slots=True)
class Beam:
    """Keep the `width` best meanings of each span, by `score`; ties keep the first built."""

    width: int
    score: Callable[[Meaning], float]


class LeafEdge(NamedTuple):
    """The item is a unit read as a primitive."""

    primitive: Primitive


class NodeEdge(NamedTuple):
    """The item is an operation applied to smaller items."""

    operation: Operation
    children: tuple["Item", ...]


@dataclass(slots=True, eq=False)
class Item:
    """A meaning found over a half-open span, with every way that was found to build it."""

    begin: int
    end: int
    meaning: Meaning
    edges: list[LeafEdge | NodeEdge] = field(default_factory=list)


class GroundedMention(NamedTuple):
    """A unit of the sentence with a candidate primitive and its meaning at this place."""

    begin: int
    end: int
    primitive: Primitive
    meaning: Meaning


class Chart:
    """All items of one sentence by span; `search` fills it."""

    def __init__(self, table: MeaningTable, num_tokens: int) -> None:
        self.table = table
        self.num_tokens = num_tokens
        self._cells: list[dict[tuple[int, int], dict[Meaning, Item]]] = [
            {} for _ in range(num_tokens + 1)
        ]  # indexed by span length

    def cell(self, begin: int, end: int) -> Iterable[Item]:
        """The items over a span."""
        return self._cells[end - begin].get((begin, end), {}).values()

    def complete_items(self) -> list[Item]:
        """The items over the whole sentence whose meaning can be an answer."""
        is_complete = self.table.algebra.is_complete
        return [item for item in self.cell(0, self.num_tokens) if is_complete(item.meaning)]

    def add(self, begin: int, end: int, meaning: Meaning, edge: LeafEdge | NodeEdge) -> None:
        """Record one way to build a meaning over a span."""
        cell = self._cells[end - begin].setdefault((begin, end), {})
        item = cell.get(meaning)
        if item is None:
            item = cell[meaning] = Item(begin, end, meaning)
        item.edges.append(edge)

    def spans(self, length: int) -> list[tuple[int, int]]:
        """The spans of this many tokens that hold an item, in the order they were found."""
        return list(self._cells[length])

    def prune(self, begin: int, end: int, beam: Beam) -> None:
        """Keep the best items of a span only."""
        cell = self._cells[end - begin][begin, end]
        if len(cell) > beam.width:
            best = sorted(cell.values(), key=lambda item: -beam.score(item.meaning))[: beam.width]
            self._cells[end - begin][begin, end] = {item.meaning: item for item in best}


def search(
    table: MeaningTable,
    mentions: Sequence[GroundedMention],
    is_function_word: Sequence[bool],
    *,
    shape: Shape,
    keep: Callable[[Meaning], bool],
    budget: Budget,
    beam: Beam | None = None,
) -> Chart:
    """Fill a chart with every derivation whose meanings all pass `keep` (and `beam`).

    Raises:
        SearchLimitError: the budget ran out; what was found is dropped, never half returned.
    """
    if any(operation.arity > 2 for operation in table.algebra.operations):
        raise AlgebraError("chart search knows unary and binary operations")
    chart = Chart(table, len(is_function_word))
    builder = _Builder(chart, keep, budget)
    for mention in mentions:
        if keep(mention.meaning):
            chart.add(mention.begin, mention.end, mention.meaning, LeafEdge(mention.primitive))
    words_before = _runs(is_function_word)
    words_after = _runs(is_function_word[::-1])[::-1]
    for length in range(1, chart.num_tokens + 1):
        for begin, end in chart.spans(length):
            if beam is not None:
                chart.prune(begin, end, beam)
            before, after = words_before[begin], words_after[end]
            for item in chart.cell(begin, end):
                builder.unary(item, before, after, shape.beside)
                builder.binary(item, min(before, shape.between), min(after, shape.between))
    return chart


class _Builder:
    """Applies operations to items; every pair of neighbours is combined once."""

    def __init__(self, chart: Chart, keep: Callable[[Meaning], bool], budget: Budget) -> None:
        self.chart = chart
        self.keep = keep
        self.budget = budget
        self.num_edges = 0
        # Items already combined, by where they begin and where they end.
        self.began: list[list[Item]] = [[] for _ in range(chart.num_tokens + 1)]
        self.ended: list[list[Item]] = [[] for _ in range(chart.num_tokens + 1)]

    def unary(self, item: Item, before: int, after: int, most: int) -> None:
        """Apply unary operations with one to `most` of the function words around an item."""
        for left in range(min(before, most) + 1):
            for right in range(min(after, most - left) + 1):
                if left or right:
                    self._build(item.begin - left, item.end + right, (item,))

    def binary(self, item: Item, before: int, after: int) -> None:
        """Combine an item with every earlier one beside it, function words between or not."""
        for gap in range(before + 1):
            for other in self.ended[item.begin - gap]:
                self._build(other.begin, item.end, (other, item))
        for gap in range(after + 1):
            for other in self.began[item.end + gap]:
                self._build(item.begin, other.end, (item, other))
        self.began[item.begin].append(item)
        self.ended[item.end].append(item)

    def _build(self, begin: int, end: int, children: tuple[Item, ...]) -> None:
        table = self.chart.table
        # Lists, not generators: this is the inner loop.
        arguments = tuple([child.meaning for child in children])
        kinds = tuple([type(argument) for argument in arguments])
        for operation in table.algebra.by_types.get(kinds, ()):
            self.num_edges += 1
            if self.num_edges > self.budget.edges:
                raise SearchLimitError(
                    f"sentence of {self.chart.num_tokens} tokens: "
                    f"no answer within {self.budget.edges} edges"
                )
            meaning = table.apply(operation, arguments)
            if meaning is not None and self.keep(meaning):
                self.chart.add(begin, end, meaning, NodeEdge(operation, children))


def _runs(is_function_word: Sequence[bool]) -> list[int]:
    """For each boundary between tokens, how many function words end there in a row."""
    runs = [0]
    for flag in is_function_word:
        runs.append(runs[-1] + 1 if flag else 0)
    return runs
