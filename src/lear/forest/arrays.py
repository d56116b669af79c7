"""Arrays that grow, in amortised constant time.

Many sentences side by side: numbers for their spans and boundaries, and what stands there.
"""

import math
import mmap
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from lear.domain import trailing_begin
from lear.grammar.reading import Skeleton, Words

GROWTH, GRID_GROWTH = 2.0, 1.1
"""By how much room grows at least; that of a grid grows in both directions."""
MIN_MAPPED = 1_000_000
"""Tables of so many bytes are made of whole pages."""


class GrowingArray:
    """Grows along its first axis; what nothing was written to is 0."""

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
        """They are to be looked at; `put` writes to them."""

    def reach(self, rows: int, columns: int) -> None:
        """Make room for so many rows and columns."""
        if rows > len(self.cells) or columns > self.cells.shape[1]:
            self.cells = _with_room(self.cells, (rows, columns), GRID_GROWTH)

    def put(self, rows: Any, columns: Any, numbers: ArrayLike) -> None:
        """Write numbers, in cells that there are, for which cells may have to be made wider."""
        new = np.asarray(numbers)
        if new.max(initial=0) > np.iinfo(self.cells.dtype).max:
            self.cells = self.cells.astype(np.uint32)
        self.cells[rows, columns] = new


def _with_room(table: NDArray[Any], shape: tuple[int, ...], growth: float) -> NDArray[Any]:
    """A table with the same values that has at least this shape."""
    sizes = zip(table.shape, shape, strict=True)
    roomy = tuple(max(new, int(growth * old)) if new > old else old for old, new in sizes)
    grown = _zeros(roomy, table.dtype)
    grown[tuple(map(slice, table.shape))] = table
    return grown


def _zeros(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Zeros, which cost nothing before they are written to: the system gives memory page by page.

    It does so for certain, and takes the memory back as soon as it is free, only if it is asked
    directly: C libraries give away what they have left, and then write all the zeros.
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


Ints = NDArray[np.integer]
NO_GAP = -1


class Places(NamedTuple):
    """All spans of one length, of all sentences that are long enough."""

    sentence: Ints
    begin: Ints
    end: Ints
    cell: Ints


class SentenceGrid:
    """The spans of sentences are numbered as cells, their boundaries as rows."""

    def __init__(
        self, skeletons: Sequence[Skeleton], max_gap: int, gap_number: Callable[[Words], int]
    ) -> None:
        """Sentences to be searched together.

        Args:
            skeletons: The sentences.
            max_gap: The most function words in a row that a node may own.
            gap_number: Numbers runs of function words; `NO_GAP` for what is none.
        """
        self.lengths = np.array([len(skeleton.words) for skeleton in skeletons])
        self.widths = self.lengths + 1
        num_cells = self.widths**2
        self.num_cells = int(num_cells.sum())
        self._first_cell = np.cumsum(num_cells) - num_cells
        self.first_row = np.cumsum(self.widths) - self.widths
        self.sentence, offset = spread(num_cells)
        """Of each cell."""
        begin, end = np.divmod(offset, self.widths[self.sentence])
        first = self.first_row[self.sentence]
        self.begin_row, self.end_row = first + begin, first + end
        """The boundaries of each cell."""
        self.trailing = np.array([trailing_begin(s.is_function_word) for s in skeletons])
        """From which token on all are function words, for each sentence."""
        self.gap_numbers = [np.zeros(int(self.widths.sum()), dtype=np.int32)]
        """Of runs of so many words, by the boundary where they begin."""
        for size in range(1, max_gap + 1):
            numbers: list[int] = []
            for words, _ in skeletons:
                starts = range(len(words) - size + 1)
                numbers += [gap_number(words[start : start + size]) for start in starts]
                numbers += [NO_GAP] * (len(words) + 1 - len(starts))
            self.gap_numbers.append(np.array(numbers, dtype=np.int32))

    def places(self, length: int, is_searched: NDArray[np.bool_]) -> Places:
        """The spans of this length in the sentences that are searched."""
        (sentences,) = np.nonzero((self.lengths >= length) & is_searched)
        number, begin = spread(self.lengths[sentences] - length + 1)
        sentence = sentences[number]
        end = begin + length
        return Places(sentence, begin, end, self.cells(sentence, begin, end))

    def cells(self, sentence: Ints | int, begin: Ints | int, end: Ints | int) -> Ints:
        """The numbers of spans."""
        cells: Ints = self._first_cell[sentence] + begin * self.widths[sentence] + end
        return cells

    def gaps(self, size: int, sentence: Ints, begin: Ints) -> Ints:
        """The runs of so many words from boundaries on: their numbers, or `NO_GAP`."""
        numbers: Ints = self.gap_numbers[size][self.first_row[sentence] + begin]
        return numbers


def spread(sizes: Ints) -> tuple[Ints, Ints]:
    """For groups of these sizes: the group of each member, and its number in the group."""
    ends = np.cumsum(sizes, dtype=np.int64)
    group = np.repeat(np.arange(len(sizes)), sizes)
    return group, np.arange(len(group)) - (ends - sizes)[group]
