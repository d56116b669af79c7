"""Arrays that grow at their end, in amortised constant time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class GrowingArray:
    """One-dimensional; `values` is a view of what it holds."""

    def __init__(self, dtype: DTypeLike) -> None:
        self._table: NDArray[Any] = np.zeros(64, dtype=dtype)
        self.size = 0

    @property
    def values(self) -> NDArray[Any]:
        """All values so far; the next `extend` may move them elsewhere."""
        return self._table[: self.size]

    def extend(self, values: NDArray[Any] | list[Any]) -> None:
        """Add values."""
        end = self.size + len(values)
        if end > len(self._table):
            grown = np.zeros(max(end, 2 * len(self._table)), dtype=self._table.dtype)
            grown[: self.size] = self.values
            self._table = grown
        self._table[self.size : end] = values
        self.size = end


class GrowingGrid:
    """Two-dimensional, of one small type, filled with a value until something is written."""

    def __init__(self, fill: int) -> None:
        self._fill = fill
        self.cells: NDArray[np.int32] = np.full((64, 64), fill, dtype=np.int32)

    def reach(self, rows: int, columns: int) -> None:
        """Make room for so many rows and columns."""
        height, width = self.cells.shape
        if rows > height or columns > width:
            new = (_doubled(height, rows), _doubled(width, columns))
            grown = np.full(new, self._fill, dtype=np.int32)
            grown[:height, :width] = self.cells
            self.cells = grown

    def put(self, places: Sequence[tuple[int, int]], values: Sequence[int]) -> None:
        """Write values at places, (row, column) each."""
        rows, columns = np.array(places).T
        self.cells[rows, columns] = values


def _doubled(size: int, least: int) -> int:
    while size < least:
        size *= 2
    return size
