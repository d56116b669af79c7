"""Arrays that grow in amortised constant time, and arithmetic on runs of equal numbers."""

import math
import mmap
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

Ints = NDArray[np.integer]
Floats = NDArray[np.floating]
GROWTH, GRID_GROWTH = 2.0, 1.1
"""By how much room grows at least; that of a grid grows in both directions."""
MIN_MAPPED = 1_000_000
"""Tables of so many bytes are made of whole pages."""


class GrowingArray:
    """Rows that grow in number; what nothing was written to is 0."""

    def __init__(self, dtype: DTypeLike, row_shape: tuple[int, ...] = ()) -> None:
        self._table: NDArray[Any] = np.zeros((64, *row_shape), dtype=dtype)
        self.size = 0

    @property
    def values(self) -> NDArray[Any]:
        """A view of all rows so far; when the array grows, they may move elsewhere."""
        return self._table[: self.size]

    def reach(self, size: int) -> None:
        """Have so many rows, or more."""
        if size > len(self._table):
            self._table = _with_room(self._table, (size, *self._table.shape[1:]), GROWTH)
        self.size = max(size, self.size)

    def clear(self) -> None:
        """Have no rows; their memory is used again for others."""
        self.values[:] = 0
        self.size = 0

    def extend(self, rows: ArrayLike) -> None:
        """Add rows."""
        begin = self.size
        new = np.asarray(rows, dtype=self._table.dtype)
        self.reach(begin + len(new))
        self._table[begin : self.size] = new


class GrowingGrid:
    """Numbers by row and column, both of which grow; 0 where none was written."""

    def __init__(self) -> None:
        self.cells: NDArray[np.unsignedinteger] = np.zeros((64, 64), dtype=np.uint16)
        """Read them here; `put` writes to them."""

    def reach(self, rows: int, columns: int) -> None:
        """Make room for so many rows and columns."""
        if rows > len(self.cells) or columns > self.cells.shape[1]:
            self.cells = _with_room(self.cells, (rows, columns), GRID_GROWTH)

    def put(self, rows: Any, columns: Any, numbers: ArrayLike) -> None:
        """Write numbers into cells that there are; cells may have to be made wider for them."""
        new = np.asarray(numbers)
        if new.max(initial=0) > np.iinfo(self.cells.dtype).max:
            self.cells = self.cells.astype(np.uint32)
        self.cells[rows, columns] = new


def _with_room(table: NDArray[Any], shape: tuple[int, ...], growth: float) -> NDArray[Any]:
    """Return a table with the same values that has at least this shape."""
    sizes = zip(table.shape, shape, strict=True)
    roomy = tuple(max(new, int(growth * old)) if new > old else old for old, new in sizes)
    grown = _zeros(roomy, table.dtype)
    grown[tuple(map(slice, table.shape))] = table
    return grown


def _zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return zeros that cost nothing before they are written to.

    The system gives memory page by page, and takes it back as soon as it is free, only if it is
    asked directly: C libraries give away what they have left, and then write all the zeros.
    """
    num_bytes = math.prod(shape) * dtype.itemsize
    if num_bytes < MIN_MAPPED or dtype.hasobject:
        return np.zeros(shape, dtype)
    return np.frombuffer(_pages(num_bytes), dtype).reshape(shape)


def _pages(num_bytes: int) -> mmap.mmap:
    if not hasattr(mmap, "MAP_PRIVATE"):  # Windows, where no process is forked
        return mmap.mmap(-1, num_bytes)
    # Private: by default a fork would share these pages, and write into its parent's tables.
    return mmap.mmap(-1, num_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)


def spread(sizes: Ints) -> tuple[Ints, Ints]:
    """Return, for groups of these sizes, the group of each member and its number in the group."""
    ends = np.cumsum(sizes, dtype=np.int64)
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - (ends - sizes)[group]


def firsts(numbers: Ints) -> Ints:
    """Return the places where numbers that are in order differ from those before them."""
    is_first = np.ones(len(numbers), dtype=bool)
    is_first[1:] = numbers[1:] != numbers[:-1]
    return np.nonzero(is_first)[0]


def run_sizes(first: Ints, total: int) -> Ints:
    """Return how many there are from each of these places up to the next one."""
    sizes = np.empty_like(first)
    sizes[:-1] = first[1:] - first[:-1]
    sizes[-1:] = total - first[-1:]
    return sizes


def distinct(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """Return the different pairs of numbers, in the order in which they come first."""
    codes = first.astype(np.int64) * (int(second.max()) + 1) + second
    _, places = np.unique(codes, return_index=True)
    places.sort()
    return first[places], second[places]
