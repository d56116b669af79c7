"""Finding the best way to each category of each span, for many sentences at once.

At each length all steps of all sentences are looked up, added and compared as arrays, so that a
step costs nanoseconds where a loop would take microseconds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.grammar.sentence_reading import CategoryLeaf, Skeleton
from lear.search.chart import Budget
from lear.search.legal_combinations import NOTHING
from lear.search.lookahead import Lookahead
from lear.search.scored_grammar import ScoredGrammar
from lear.search.sentence_grid import Places, SentenceGrid, spread
from lear.search.span_items import LEAF, NO_ITEM, Ints, SpanItems, Steps

LeafChoice = tuple[float, int]
"""Score and rank of the best primitive behind a leaf."""
Choices = Mapping[CategoryLeaf, LeafChoice]
LeafRow = tuple[float, int, int, int, int, int]
"""Score and rank, sentence, begin, end and category of a leaf."""
MAX_PAIRS = 1_000_000
"""So many pairs of constituents are looked at together, which bounds memory."""
PAIRS_PER_COMBINATION = 20
"""A budget allows so many pairs to be looked at for each combination; most come to nothing."""


class Splits(NamedTuple):
    """Places where a span falls into two cells that hold constituents."""

    place: Ints
    left: Ints
    right: Ints
    gap: Ints

    def where(self, keep: NDArray[np.bool_] | slice) -> "Splits":
        """Some of them."""
        return Splits(*(column[keep] for column in self))


class Frames(NamedTuple):
    """Places where a span is a cell that holds constituents, and words around it."""

    place: Ints
    cell: Ints
    before: Ints
    """The words before the cell: a gap."""
    after: Ints


class SpanSearch:
    """Some sentences, from spans of one token to the longest."""

    def __init__(
        self,
        sentences: Sequence[tuple[Skeleton, Choices]],
        grammar: ScoredGrammar,
        budget: Budget,
        lookahead: Lookahead | None = None,
        *,
        spent: Sequence[int] | None = None,
        keeps_edges: bool = False,
    ) -> None:
        """A search that has not begun.

        Args:
            sentences: Skeletons, and the best primitives of leaves that have several.
            grammar: What can be built, and how good it is.
            budget: Bounds on the search of each sentence.
            lookahead: What can be a part of a whole, if that is known.
            spent: What was taken from the budget of each sentence before; by default nothing.
            keeps_edges: Whether to remember all steps, not only the best ones.
        """
        self.grammar = grammar
        self.budget = budget
        skeletons = [skeleton for skeleton, _ in sentences]
        self.grid = SentenceGrid(skeletons, grammar.shape.max_words, grammar.gap_number)
        self.fits = None if lookahead is None else lookahead.places(skeletons)
        self.items = SpanItems(self.grid.num_cells, keeps_edges=keeps_edges)
        self.begins = np.zeros(int(self.grid.widths.sum()), dtype=bool)
        self.ends = np.zeros_like(self.begins)
        """Boundaries at which some constituent begins, or ends."""
        self.leaves = self._leaves(sentences)
        self.combinations_left = np.full(len(sentences), budget.combinations)
        if spent is not None:
            self.combinations_left -= np.array(spent, dtype=np.int64)
        self.pairs_left = self.combinations_left * PAIRS_PER_COMBINATION
        self.is_over = np.zeros(len(sentences), dtype=bool)
        """Sentences whose budget ran out."""

    def run(self) -> None:
        """Fill all spans."""
        for length in range(1, int(self.grid.lengths.max()) + 1):
            at = self.grid.places(length, ~self.is_over)
            found = [self._leaves_of(length), *self._unary(at, length), *self._binary(at, length)]
            steps = self._fitting(Steps(*map(np.concatenate, zip(*found, strict=True))))
            self.items.add(steps, self._order(steps), self.budget.margin)
            self.begins[self.grid.begin_row[steps.cell]] = True
            self.ends[self.grid.end_row[steps.cell]] = True

    def spent(self) -> list[int]:
        """What was taken from the budget of each sentence, by this search and before."""
        left = np.minimum(self.combinations_left, self.pairs_left // PAIRS_PER_COMBINATION)
        spent: list[int] = (self.budget.combinations - left).tolist()
        return spent

    def whole_cells(self) -> list[int]:
        """The cells of whole sentences."""
        sentences = np.arange(len(self.grid.lengths))
        cells = self.grid.cells(sentences, np.zeros_like(sentences), self.grid.lengths)
        numbers: list[int] = cells.tolist()
        return numbers

    def _order(self, steps: Steps) -> Ints:
        """Which of equally good steps to take: leaves, then those that split late."""
        order = np.full(len(steps.score), np.iinfo(np.int64).min)
        (inner,) = np.nonzero(steps.step != LEAF)
        left, right = steps.left[inner], steps.right[inner]
        last = np.where(right == NO_ITEM, left, right)
        order[inner] = -self.grid.begin_row[self.items.columns.cell[last]]
        return order

    def _leaves(self, sentences: Sequence[tuple[Skeleton, Choices]]) -> dict[int, list[LeafRow]]:
        """Leaves by their length."""
        leaves: dict[int, list[LeafRow]] = {}
        for number, (skeleton, choices) in enumerate(sentences):
            for leaf in skeleton.leaves:
                row = (*choices.get(leaf, (0.0, 0)), number, *leaf)
                leaves.setdefault(leaf.end - leaf.begin, []).append(row)
        return leaves

    def _leaves_of(self, length: int) -> Steps:
        table = np.array(self.leaves.get(length, ()), dtype=np.float64).reshape(-1, 6)
        rank, sentence, begin, end, category = table[:, 1:].T.astype(np.int64)
        cell = self.grid.cells(sentence, begin, end)
        leaf, none = np.full_like(category, LEAF), np.full_like(category, NO_ITEM)
        return Steps(table[:, 0], cell, category, leaf, rank, none)

    def _unary(self, at: Places, length: int) -> Iterator[Steps]:
        """Operations on one constituent and the words around it."""
        found = [
            self._frames(at, words - after, after)
            for words in range(1, min(self.grammar.shape.beside, length - 1) + 1)
            for after in range(words + 1)
        ]
        if found:
            yield self._apply(at, Frames(*map(np.concatenate, zip(*found, strict=True))))

    def _frames(self, at: Places, before: int, after: int) -> Frames:
        """Where spans are cells with so many words before and after them."""
        grid, shape = self.grid, self.grammar.shape
        begin, end = at.begin + before, at.end - after
        cell = grid.cells(at.sentence, begin, end)
        gap_before = grid.gaps(before, at.sentence, at.begin)
        gap_after = grid.gaps(after, at.sentence, end)
        is_open = (self.items.count[cell] > 0) & (gap_before >= 0) & (gap_after >= 0)
        if not shape.allows_unary(before, after, is_trailing=False):
            is_open &= end >= grid.trailing[at.sentence]
        (place,) = np.nonzero(is_open)
        return Frames(place, cell[place], gap_before[place], gap_after[place])

    def _apply(self, at: Places, frames: Frames) -> Steps:
        """The unary steps to some places, over the constituents of some cells."""
        place, cell, before, after = frames
        group, offset = spread(self.items.count[cell])
        item = self.items.start[cell][group] + offset
        columns = self.items.columns
        rows = self.grammar.unary_rows(columns.category[item], before[group], after[group])
        which, step = self._steps_of(rows)
        item = item[which]
        score = self.grammar.step_score.values[step] + columns.score[item]
        cells, category = at.cell[place[group][which]], self.grammar.step_result.values[step]
        return Steps(score, cells, category, step, item, np.full_like(item, NO_ITEM))

    def _binary(self, at: Places, length: int) -> Iterator[Steps]:
        """Operations on two constituents, with words between them or not."""
        count = self.items.count
        gaps = range(min(self.grammar.shape.between, length - 2) + 1)
        if not gaps:
            return
        found = [self._splits(at, length, gap) for gap in gaps]
        splits = Splits(*map(np.concatenate, zip(*found, strict=True)))
        sizes = count[splits.left] * count[splits.right]
        self._spend(self.pairs_left, at.sentence[splits.place], sizes)
        if self.is_over.any():
            keep = ~self.is_over[at.sentence[splits.place]]
            splits, sizes = splits.where(keep), sizes[keep]
        for begin, end in _chunks(sizes):
            yield self._combine(at, splits.where(slice(begin, end)), sizes[begin:end])

    def _splits(self, at: Places, length: int, gap: int) -> Splits:
        """Where spans fall into two that hold constituents, with so many words between these."""
        grid, count = self.grid, self.items.count
        first = grid.first_row[at.sentence]
        (open_places,) = np.nonzero(self.begins[first + at.begin] & self.ends[first + at.end])
        sentence, begin, end = (
            column[open_places, None] for column in (at.sentence, at.begin, at.end)
        )
        middle = begin + np.arange(gap + 1, length)
        left, right = grid.cells(sentence, begin, middle - gap), grid.cells(sentence, middle, end)
        gaps = grid.gaps(gap, sentence, middle - gap)
        found = np.nonzero((count[left] > 0) & (count[right] > 0) & (gaps >= 0))
        return Splits(open_places[found[0]], left[found], right[found], gaps[found])

    def _combine(self, at: Places, splits: Splits, sizes: Ints) -> Steps:
        """The binary steps at some splits, of which so many pairs of constituents come."""
        items, grammar, columns = self.items, self.grammar, self.items.columns
        split, offset = spread(sizes)
        from_right, from_left = np.divmod(offset, items.count[splits.left][split])
        left = items.start[splits.left][split] + from_left
        right = items.start[splits.right][split] + from_right
        pairs = grammar.pairs(columns.category[left], columns.category[right])
        (legal,) = np.nonzero(pairs != NOTHING)
        split, left, right = split[legal], left[legal], right[legal]
        rows = grammar.binary_rows(pairs[legal], splits.gap[split])
        place = splits.place[split]
        self._spend(self.combinations_left, at.sentence[place], grammar.row_size.values[rows] > 0)
        which, step = self._steps_of(rows)
        left, right = left[which], right[which]
        score = grammar.step_score.values[step] + columns.score[right] + columns.score[left]
        cells, category = at.cell[place[which]], grammar.step_result.values[step]
        return Steps(score, cells, category, step, left, right)

    def spend(self, sentence: int, num_pairs: int, num_combinations: int) -> bool:
        """Take something from the budget of one sentence; whether it is over."""
        self.pairs_left[sentence] -= num_pairs
        self.combinations_left[sentence] -= num_combinations
        if self.pairs_left[sentence] < 0 or self.combinations_left[sentence] < 0:
            self.is_over[sentence] = True
        return bool(self.is_over[sentence])

    def _spend(self, budget: Ints, sentence: Ints, cost: NDArray[Any]) -> None:
        """Take something from the budgets of sentences; those that have less are over."""
        budget -= np.bincount(sentence, cost, len(budget)).astype(np.int64)
        self.is_over |= budget < 0

    def _steps_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """All steps of some rows: the place of the row among these, and the step's number."""
        which, offset = spread(self.grammar.row_size.values[rows])
        return which, self.grammar.row_begin.values[rows][which] + offset

    def _fitting(self, steps: Steps) -> Steps:
        """Without sentences that are over, and without what cannot be a part of a whole."""
        grid = self.grid
        if self.is_over.any():
            steps = steps.where(~self.is_over[grid.sentence[steps.cell]])
        if self.fits is None:
            return steps
        boundaries = grid.begin_row[steps.cell], grid.end_row[steps.cell]
        return steps.where(self.fits(*boundaries, steps.category))


def _chunks(sizes: Ints) -> list[tuple[int, int]]:
    """Runs of groups whose sizes add up to `MAX_PAIRS`, or little more."""
    if not len(sizes):
        return []
    numbers = (np.cumsum(sizes) - 1) // MAX_PAIRS
    borders = (np.nonzero(numbers[1:] != numbers[:-1])[0] + 1).tolist()
    return list(zip([0, *borders], [*borders, len(sizes)], strict=True))
