"""The best way to each category of each span, for many sentences, as columns of arrays.

Finding the best way to each category of each span, for many sentences at once.

At each length all steps of all sentences are looked up, added and compared as arrays, so that a
step costs nanoseconds where a loop would take microseconds.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.forest.arrays import GrowingArray, Places, SentenceGrid, spread
from lear.forest.chart import Budget
from lear.forest.scored_grammar import NOTHING, ScoredGrammar
from lear.grammar.reading import CategoryLeaf, Skeleton

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

    @property
    def edges(self) -> Edges:
        """All steps to items so far, if they are kept."""
        if self._edges is None:
            raise ValueError("edges were not kept")
        return Edges(*(column.values for column in self._edges))

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
        *,
        spent: Sequence[int] | None = None,
        keeps_edges: bool = False,
    ) -> None:
        """A search that has not begun.

        Args:
            sentences: Skeletons, and the best primitives of leaves that have several.
            grammar: What can be built, and how good it is.
            budget: Bounds on the search of each sentence.
            spent: What was taken from the budget of each sentence before; by default nothing.
            keeps_edges: Whether to remember all steps, not only the best ones.
        """
        self.grammar = grammar
        self.budget = budget
        skeletons = [skeleton for skeleton, _ in sentences]
        self.grid = SentenceGrid(skeletons, grammar.shape.max_words, grammar.gap_number)
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
            steps = Steps(*map(np.concatenate, zip(*found, strict=True)))
            if self.is_over.any():
                steps = steps.where(~self.is_over[self.grid.sentence[steps.cell]])
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

    def _spend(self, budget: Ints, sentence: Ints, cost: NDArray[Any]) -> None:
        """Take something from the budgets of sentences; those that have less are over."""
        budget -= np.bincount(sentence, cost, len(budget)).astype(np.int64)
        self.is_over |= budget < 0

    def _steps_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """All steps of some rows: the place of the row among these, and the step's number."""
        which, offset = spread(self.grammar.row_size.values[rows])
        return which, self.grammar.row_begin.values[rows][which] + offset


def _chunks(sizes: Ints) -> list[tuple[int, int]]:
    """Runs of groups whose sizes add up to `MAX_PAIRS`, or little more."""
    if not len(sizes):
        return []
    numbers = (np.cumsum(sizes) - 1) // MAX_PAIRS
    borders = (np.nonzero(numbers[1:] != numbers[:-1])[0] + 1).tolist()
    return list(zip([0, *borders], [*borders, len(sizes)], strict=True))
