"""Many sentences side by side: numbers for their spans and boundaries, and what stands there."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.core.function_word_limits import trailing_begin
from lear.grammar.sentence_reading import Skeleton, Words

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
