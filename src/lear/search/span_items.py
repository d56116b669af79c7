"""The best way to each category of each span, for many sentences, as columns of arrays."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.search.growing_array import GrowingArray

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]
LEAF = -1
"""In place of a step of the grammar."""
NO_ITEM = -1


class Steps(NamedTuple):
    """Ways to build something, as columns; several may lead to one category of a span."""

    score: Floats
    cell: Ints
    """The span, numbered over all sentences."""
    category: Ints
    step: Ints
    """Its number in the `ScoredGrammar`."""
    left: Ints
    """The item that is the first constituent, or the only one; at a leaf the rank of its
    primitive."""
    right: Ints

    def where(self, keep: NDArray[Any]) -> "Steps":
        """Some of them, by a mask or by their numbers."""
        return Steps(*(column[keep] for column in self))


class Edges(NamedTuple):
    """Steps to items, not only the best ones, as columns."""

    item: Ints
    step: Ints
    left: Ints
    right: Ints


class SpanItems:
    """Items of all spans; those of a span are neighbours. Each is a step that was the best."""

    def __init__(self, num_cells: int, *, keeps_edges: bool = False) -> None:
        """No items yet.

        Args:
            num_cells: How many spans there are.
            keeps_edges: Whether to remember all steps to items, not only the best ones.
        """
        self.start = np.zeros(num_cells, dtype=np.int64)
        """The first item of each cell."""
        self.count = np.zeros(num_cells, dtype=np.int64)
        kinds = (np.float64, *[np.int64] * (len(Steps._fields) - 1))
        self._columns = [GrowingArray(kind) for kind in kinds]
        self.columns = Steps(*(column.values for column in self._columns))
        """All items so far."""
        self._edges = [GrowingArray(np.int64) for _ in Edges._fields] if keeps_edges else None
        self._appended: list[tuple[float, int, int, int, int, int]] = []
        self._appended_edges: list[tuple[int, int, int, int]] = []
        self.scores: list[float] = []
        """Of items that were added one by one, until they are finished."""
        self.categories: list[int] = []

    @property
    def size(self) -> int:
        """How many items there are, with those that were added one by one."""
        return self._columns[0].size + len(self.scores)

    @property
    def edges(self) -> Edges:
        """All steps to items so far, if they are kept."""
        if self._edges is None:
            raise ValueError("edges were not kept")
        return Edges(*(column.values for column in self._edges))

    def append(
        self,
        item: tuple[float, int, int, int, int, int],
        edges: Iterable[tuple[int, int, int]],
    ) -> None:
        """Add one item, by the fields of `Steps`, with all steps to it, from the best order on.

        Items are added from short spans to long ones, those of a span in the order of their
        categories. `finish` must follow the last.
        """
        if self._edges is not None:
            number = len(self._appended)
            self._appended_edges += [(number, *edge) for edge in edges]
        self._appended.append(item)
        self.scores.append(item[0])
        self.categories.append(item[2])

    def finish(self) -> None:
        """Make columns of items that were added one by one."""
        if not self._appended:
            return
        floats = np.array(self._appended, dtype=np.float64)
        for column, values in zip(self._columns, floats.T, strict=True):
            column.extend(values)
        if self._edges is not None:
            edges = np.array(self._appended_edges, dtype=np.int64)
            for known_edges, ints in zip(self._edges, edges.T, strict=True):
                known_edges.extend(ints)
        self.columns = Steps(*(column.values for column in self._columns))
        cells = self.columns.cell
        first = firsts(cells)
        self.start[cells[first]] = first
        self.count[cells[first]] = run_sizes(first, len(cells))

    def add(self, steps: Steps, order: Ints, margin: float | None) -> None:
        """Take the best step to each category of each span; these spans are then finished.

        Args:
            steps: All steps to some spans.
            order: Of equally good steps the one that comes first in this order is taken.
            margin: What is so much worse than the best of its span is dropped.
        """
        if not len(steps.score):
            return
        keys = steps.cell * (int(steps.category.max()) + 1) + steps.category
        best = _best(keys, steps.score, order)
        cells, scores = steps.cell[best], steps.score[best]
        first = firsts(cells)
        if margin is not None:
            sizes = run_sizes(first, len(cells))
            best = best[scores >= np.repeat(np.maximum.reduceat(scores, first), sizes) - margin]
            cells = steps.cell[best]
            first = firsts(cells)
        size = self._columns[0].size
        self.start[cells[first]] = size + first
        self.count[cells[first]] = run_sizes(first, len(cells))
        if self._edges is not None:
            place = np.minimum(np.searchsorted(keys[best], keys), len(best) - 1)
            (kept,) = np.nonzero(keys[best][place] == keys)
            kept = kept[np.argsort(order[kept], kind="stable")]
            edges = Edges(size + place, steps.step, steps.left, steps.right)
            for known_edges, ints in zip(self._edges, edges, strict=True):
                known_edges.extend(ints[kept])
        for column, values in zip(self._columns, steps.where(best), strict=True):
            column.extend(values)
        self.columns = Steps(*(column.values for column in self._columns))


def _best(keys: Ints, scores: Floats, order: Ints) -> Ints:
    """The place of the best score of each key, keys rising; of equal ones the first in order."""
    by_key = np.argsort(keys, kind="stable")
    first = firsts(keys[by_key])
    scores_by_key = scores[by_key]
    top = np.repeat(np.maximum.reduceat(scores_by_key, first), run_sizes(first, len(keys)))
    best: Ints = by_key[scores_by_key == top]
    if len(best) > len(first):  # seldom, and few: to sort all by all three takes far longer
        best = best[np.lexsort((order[best], keys[best]))]
        best = best[firsts(keys[best])]
    return best


def firsts(numbers: Ints) -> Ints:
    """Where numbers that are in order differ from those before them."""
    is_first = np.ones(len(numbers), dtype=bool)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return np.nonzero(is_first)[0]


def run_sizes(first: Ints, total: int) -> Ints:
    """How many there are from each of these places up to the next one."""
    sizes = np.empty_like(first)
    sizes[:-1] = first[1:] - first[:-1]
    sizes[-1] = total - first[-1]
    return sizes
