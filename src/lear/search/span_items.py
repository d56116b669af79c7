"""The best way to each category of each span, for many sentences, as columns of arrays."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.search.growing_array import GrowingArray

Ints = NDArray[np.integer]
Floats = NDArray[np.float64]
LEAF = -1
"""In place of a rule."""
NO_ITEM = -1


class Steps(NamedTuple):
    """Ways to build something, as columns; several may lead to one category of a span."""

    score: Floats
    cell: Ints
    """The span, numbered over all sentences."""
    sentence: Ints
    begin: Ints
    end: Ints
    category: Ints
    rule: Ints
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
    rule: Ints
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
        self._columns = [GrowingArray(np.float64 if n == 0 else np.int64) for n in range(9)]
        self._edges = [GrowingArray(np.int64) for _ in Edges._fields] if keeps_edges else None

    @property
    def columns(self) -> Steps:
        """All items so far."""
        return Steps(*(column.values for column in self._columns))

    @property
    def edges(self) -> Edges:
        """All steps to items so far, if they are kept."""
        if self._edges is None:
            raise ValueError("edges were not kept")
        return Edges(*(column.values for column in self._edges))

    def add(self, steps: Steps, margin: float | None) -> None:
        """Take the best step to each category of each span; these spans are then finished.

        Args:
            steps: All steps to some spans; of equally good ones the first is taken.
            margin: What is so much worse than the best of its span is dropped.
        """
        if not len(steps.score):
            return
        keys = steps.cell * (int(steps.category.max()) + 1) + steps.category
        best = _best_of_each(keys, steps.score)
        cells, scores = steps.cell[best], steps.score[best]
        if margin is not None:
            first = np.nonzero(np.diff(cells, prepend=-1))[0]
            sizes = np.diff(first, append=len(cells))
            best = best[scores >= np.repeat(np.maximum.reduceat(scores, first), sizes) - margin]
            cells = steps.cell[best]
        first = np.nonzero(np.diff(cells, prepend=-1))[0]
        size = self._columns[0].size
        self.start[cells[first]] = size + first
        self.count[cells[first]] = np.diff(first, append=len(cells))
        if self._edges is not None:
            place = np.minimum(np.searchsorted(keys[best], keys), len(best) - 1)
            (kept,) = np.nonzero(keys[best][place] == keys)
            edges = Edges(size + place, steps.rule, steps.left, steps.right)
            for known_edges, ints in zip(self._edges, edges, strict=True):
                known_edges.extend(ints[kept])
        for column, values in zip(self._columns, steps.where(best), strict=True):
            column.extend(values)


def _best_of_each(keys: Ints, scores: Floats) -> NDArray[np.int64]:
    """The numbers of the best steps with each key, by key; of equals the first."""
    by_score = np.argsort(-scores, kind="stable")
    order = by_score[np.argsort(keys[by_score], kind="stable")]
    return order[np.diff(keys[order], prepend=-1) > 0]
