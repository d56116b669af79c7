"""The best derivations of many sentences at once, over arrays (Viterbi search by span length).

At each length all steps of all sentences are looked up, added and compared as arrays, so that a
step costs nanoseconds where a loop would take microseconds. `chart.best_programs` is the plain
version. The search stays apart from the sums of `packed`: it finds out what can be built while it
keeps the best, where sums need a forest that is there.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.algebra.derivations import post_order
from lear.domain import trailing_begin
from lear.errors import SearchLimitError
from lear.forest.arrays import Floats, GrowingArray, Ints, firsts, run_sizes, spread
from lear.forest.chart import Budget, out_of_budget
from lear.forest.packed import NO_CHILD, Edges, PackedForest
from lear.forest.programs import Instruction, Program, shared_node, shared_unit
from lear.forest.scored_grammar import NO_GAP, NOTHING, ScoredGrammar
from lear.grammar.reading import CategoryLeaf, Skeleton, Words

LEAF = -1
"""In place of a step of the grammar."""
NO_ITEM = -1
LeafChoice = tuple[float, int]
"""Score and rank of the best primitive behind a leaf."""
Choices = Mapping[CategoryLeaf, LeafChoice]
"""The best primitives of leaves that have several; others score 0."""
NO_CHOICE: Choices = {}
Sentence = tuple[Skeleton, Choices]
LeafRow = tuple[float, int, int, int, int, int]
"""Score and rank, sentence, begin, end and category of a leaf."""
MAX_PAIRS = 1_000_000
"""So many pairs of constituents are looked at together, which bounds memory."""
PAIRS_PER_COMBINATION = 20
"""A budget allows so many pairs to be looked at for each combination; most come to nothing."""
MAX_CELLS = 1_000_000
"""Sentences are searched together as long as they have no more spans, which bounds memory."""


def in_batches(places: Iterable[int], sizes: Sequence[int], most: int) -> list[list[int]]:
    """Cut places into batches whose sizes add up to `most` at most, or of one that is larger."""
    batches: list[list[int]] = []
    total = most
    for place in places:
        if total + sizes[place] > most:
            batches.append([])
            total = 0
        batches[-1].append(place)
        total += sizes[place]
    return batches


def num_cells(skeleton: Skeleton) -> int:
    """Count the cells that a sentence takes in a search."""
    return (len(skeleton.words) + 1) ** 2


def batches_to_search(sentences: Sequence[Sentence]) -> list[list[int]]:
    """Cut sentences into those to be searched together; similar lengths go together.

    A search takes as many rounds as its longest sentence has tokens.
    """
    sizes = [num_cells(skeleton) for skeleton, _ in sentences]
    return in_batches(sorted(range(len(sizes)), key=sizes.__getitem__), sizes, MAX_CELLS)


class Places(NamedTuple):
    """All spans of one length, of all sentences that are long enough."""

    sentence: Ints
    begin: Ints
    end: Ints
    cell: Ints


class SentenceGrid:
    """Numbers the spans of sentences as cells, and their boundaries as rows."""

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
        """Return the spans of this length in the sentences that are searched."""
        (sentences,) = np.nonzero((self.lengths >= length) & is_searched)
        number, begin = spread(self.lengths[sentences] - length + 1)
        sentence = sentences[number]
        end = begin + length
        return Places(sentence, begin, end, self.cells(sentence, begin, end))

    def cells(self, sentence: Ints | int, begin: Ints | int, end: Ints | int) -> Ints:
        """Return the numbers of spans."""
        cells: Ints = self._first_cell[sentence] + begin * self.widths[sentence] + end
        return cells

    def gaps(self, size: int, sentence: Ints, begin: Ints) -> Ints:
        """Return the runs of so many words from boundaries on: their numbers, or `NO_GAP`."""
        numbers: Ints = self.gap_numbers[size][self.first_row[sentence] + begin]
        return numbers


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
        """Return some of them, by a mask or by their numbers."""
        return Steps(*(column[keep] for column in self))


class Splits(NamedTuple):
    """Places where a span falls into two cells that hold constituents."""

    place: Ints
    left: Ints
    right: Ints
    gap: Ints

    def where(self, keep: NDArray[np.bool_] | slice) -> "Splits":
        """Return some of them."""
        return Splits(*(column[keep] for column in self))


class Surrounded(NamedTuple):
    """Places where a span is a cell that holds constituents, and words around it."""

    place: Ints
    cell: Ints
    before: Ints
    """The words before the cell: a gap."""
    after: Ints


class SpanSearch:
    """The best way to each category of each span of some sentences.

    An item is a category over a span with the step that builds it best; those of a span are
    neighbours, from `start` on, `count` of them, and spans come from short to long.
    """

    def __init__(
        self,
        sentences: Sequence[Sentence],
        grammar: ScoredGrammar,
        budget: Budget,
        *,
        spent: Sequence[int] | None = None,
        keeps_edges: bool = False,
    ) -> None:
        """Search sentences.

        Args:
            sentences: Skeletons, and the best primitives of leaves that have several.
            grammar: What can be built, and how good it is.
            budget: Bounds on the search of each sentence.
            spent: What was taken from the budget of each sentence before; by default nothing.
            keeps_edges: Whether to remember all steps to items, not only the best ones, so that
                there is a `forest`.
        """
        self.grammar = grammar
        self.budget = budget
        skeletons = [skeleton for skeleton, _ in sentences]
        self.grid = SentenceGrid(skeletons, grammar.shape.max_words, grammar.gap_number)
        self.start = np.zeros(self.grid.num_cells, dtype=np.int64)
        self.count = np.zeros_like(self.start)
        self._columns = [GrowingArray(kind) for kind in (np.float64, *[np.int64] * 5)]
        self._edges = [GrowingArray(np.int64) for _ in range(4)] if keeps_edges else None
        # Boundaries at which some constituent begins, or ends.
        self._begins = np.zeros(int(self.grid.widths.sum()), dtype=bool)
        self._ends = np.zeros_like(self._begins)
        self._leaves = _leaves_by_length(sentences)
        self._combinations_left = np.full(len(sentences), budget.combinations)
        if spent is not None:
            self._combinations_left -= np.array(spent, dtype=np.int64)
        self._pairs_left = self._combinations_left * PAIRS_PER_COMBINATION
        self.is_over = np.zeros(len(sentences), dtype=bool)
        """Sentences whose budget ran out."""
        self.items = Steps(*(column.values for column in self._columns))
        for length in range(1, int(self.grid.lengths.max(initial=0)) + 1):
            self._fill(length)

    def spent(self) -> list[int]:
        """Return what was taken from the budget of each sentence, by this search and before."""
        left = np.minimum(self._combinations_left, self._pairs_left // PAIRS_PER_COMBINATION)
        spent: list[int] = (self.budget.combinations - left).tolist()
        return spent

    def limit_met(self, sentence: int) -> SearchLimitError | None:
        """Return the error of a sentence whose budget ran out, else None."""
        if not self.is_over[sentence]:
            return None
        return out_of_budget(int(self.grid.lengths[sentence]), self.budget.combinations)

    def best(self, sentence: int) -> Program | None:
        """Return the best complete derivation of a sentence, or None."""
        items, roots = self.items, self._roots(sentence)
        if not roots:
            return None
        root = max(roots, key=items.score.item)
        left, right, step = items.left.item, items.right.item, items.step.item

        def children(item: int) -> tuple[int, ...]:
            if step(item) == LEAF:
                return ()
            return (left(item),) if right(item) == NO_ITEM else (left(item), right(item))

        nodes = post_order(root, children)
        ways = zip(*(column[nodes].tolist() for column in items[3:]), strict=True)
        instructions = map(self._instruction, self.leaves_at(nodes), ways)
        return Program(items.score.item(root), tuple(instructions))

    def constituents(self, sentence: int) -> list[CategoryLeaf]:
        """Return all that was built over a sentence."""
        (mine,) = np.nonzero(self.grid.sentence[self.items.cell] == sentence)
        return self.leaves_at(mine)

    def leaves_at(self, items: Any) -> list[CategoryLeaf]:
        """Return spans and categories of items."""
        cell, category = self.items.cell[items], self.items.category[items]
        first = self.grid.first_row[self.grid.sentence[cell]]
        begin, end = self.grid.begin_row[cell] - first, self.grid.end_row[cell] - first
        return list(map(CategoryLeaf, begin.tolist(), end.tolist(), category.tolist()))

    def forest(self) -> PackedForest:
        """Return all derivations of all sentences; labels are steps of the grammar, or `LEAF`."""
        if self._edges is None:
            raise ValueError("edges were not kept")
        cell = self.items.cell
        lengths = self.grid.end_row[cell] - self.grid.begin_row[cell]
        roots = [self._roots(sentence) for sentence in range(len(self.grid.lengths))]
        owner = np.repeat(np.arange(len(roots)), list(map(len, roots)))
        order = np.argsort(self._edges[0].values, kind="stable")
        item, step, left, right = (column.values[order] for column in self._edges)
        # At a leaf, `left` is the rank of a primitive.
        first, second = (np.where(step == LEAF, NO_CHILD, part) for part in (left, right))
        flat = np.array([root for some in roots for root in some], dtype=np.int64)
        edges = Edges(item, step, first, second)
        forest = PackedForest(lengths, edges, flat, owner)
        is_used = np.zeros(len(lengths) + 1, dtype=bool)
        is_used[flat] = True
        for level in reversed(forest.levels()):
            used = is_used[item[level]]
            is_used[first[level][used]] = is_used[second[level][used]] = True
        return forest._replace(edges=edges.where(is_used[item]))

    def _instruction(self, at: CategoryLeaf, way: tuple[int, int, int]) -> Instruction:
        step, left, right = way
        if step == LEAF:
            return shared_unit(*at, left)
        arity = 1 if right == NO_ITEM else 2
        return shared_node(self.grammar.operation(step), arity, at.begin, at.end)

    def _roots(self, sentence: int) -> list[int]:
        """Return the items that are whole sentences."""
        if self.is_over[sentence]:
            return []
        whole = self.grid.cells(sentence, 0, self.grid.lengths[sentence])
        start, count = self.start.item(whole), self.count.item(whole)
        categories = self.items.category[start : start + count].tolist()
        is_complete = self.grammar.is_complete
        return [start + n for n, category in enumerate(categories) if is_complete(category)]

    def _fill(self, length: int) -> None:
        """Fill all spans of a length."""
        at = self.grid.places(length, ~self.is_over)
        found = [
            *self._leaf_steps(length),
            *self._unary_steps(at, length),
            *self._binary_steps(at, length),
        ]
        if not found:
            return
        steps = Steps(*map(np.concatenate, zip(*found, strict=True)))
        if self.is_over.any():
            steps = steps.where(~self.is_over[self.grid.sentence[steps.cell]])
        if len(steps.score):
            self._add(steps, self._order(steps))
            self._begins[self.grid.begin_row[steps.cell]] = True
            self._ends[self.grid.end_row[steps.cell]] = True

    def _add(self, steps: Steps, order: Ints) -> None:
        """Take the best step to each category of each span; these spans are then finished.

        Of equally good steps the first in order is taken. What is worse than the best of its span
        by more than the margin of the budget is dropped.
        """
        keys = steps.cell * (int(steps.category.max()) + 1) + steps.category
        best = _best(keys, steps.score, order)
        cells, scores = steps.cell[best], steps.score[best]
        first = firsts(cells)
        if self.budget.margin is not None:
            top = np.repeat(np.maximum.reduceat(scores, first), run_sizes(first, len(cells)))
            best = best[scores >= top - self.budget.margin]
            cells = steps.cell[best]
            first = firsts(cells)
        size = self._columns[0].size
        self.start[cells[first]] = size + first
        self.count[cells[first]] = run_sizes(first, len(cells))
        if self._edges is not None:
            place = np.minimum(np.searchsorted(keys[best], keys), len(best) - 1)
            (kept,) = np.nonzero(keys[best][place] == keys)
            kept = kept[np.argsort(order[kept], kind="stable")]
            edges = (size + place, steps.step, steps.left, steps.right)
            for edge_column, ints in zip(self._edges, edges, strict=True):
                edge_column.extend(ints[kept])
        for column, values in zip(self._columns, steps.where(best), strict=True):
            column.extend(values)
        self.items = Steps(*(column.values for column in self._columns))

    def _order(self, steps: Steps) -> Ints:
        """Tell which of equally good steps to take: leaves, then those that split late."""
        order = np.full(len(steps.score), np.iinfo(np.int64).min)
        (inner,) = np.nonzero(steps.step != LEAF)
        left, right = steps.left[inner], steps.right[inner]
        last = np.where(right == NO_ITEM, left, right)
        order[inner] = -self.grid.begin_row[self.items.cell[last]]
        return order

    def _leaf_steps(self, length: int) -> Iterator[Steps]:
        if length not in self._leaves:
            return
        table = np.array(self._leaves[length], dtype=np.float64)
        rank, sentence, begin, end, category = table[:, 1:].T.astype(np.int64)
        cell = self.grid.cells(sentence, begin, end)
        leaf, none = np.full_like(category, LEAF), np.full_like(category, NO_ITEM)
        yield Steps(table[:, 0], cell, category, leaf, rank, none)

    def _unary_steps(self, at: Places, length: int) -> Iterator[Steps]:
        """Apply operations to one constituent and the words around it."""
        found = [
            self._surrounded(at, words - after, after)
            for words in range(1, min(self.grammar.shape.beside, length - 1) + 1)
            for after in range(words + 1)
        ]
        found = [places for places in found if len(places.place)]
        if found:
            yield self._apply(at, Surrounded(*map(np.concatenate, zip(*found, strict=True))))

    def _surrounded(self, at: Places, before: int, after: int) -> Surrounded:
        """Find where spans are cells with so many words before and after them."""
        grid, shape = self.grid, self.grammar.shape
        begin, end = at.begin + before, at.end - after
        cell = grid.cells(at.sentence, begin, end)
        gap_before = grid.gaps(before, at.sentence, at.begin)
        gap_after = grid.gaps(after, at.sentence, end)
        is_open = (self.count[cell] > 0) & (gap_before >= 0) & (gap_after >= 0)
        if not shape.allows_unary(before, after, is_trailing=False):
            is_open &= end >= grid.trailing[at.sentence]
        (place,) = np.nonzero(is_open)
        return Surrounded(place, cell[place], gap_before[place], gap_after[place])

    def _apply(self, at: Places, places: Surrounded) -> Steps:
        """Return the unary steps to some places, over the constituents of some cells."""
        place, cell, before, after = places
        group, offset = spread(self.count[cell])
        item = self.start[cell][group] + offset
        columns = self.items
        rows = self.grammar.unary_rows(columns.category[item], before[group], after[group])
        which, step = self._steps_of(rows)
        item = item[which]
        score = self.grammar.step_score.values[step] + columns.score[item]
        cells, category = at.cell[place[group][which]], self.grammar.step_result.values[step]
        return Steps(score, cells, category, step, item, np.full_like(item, NO_ITEM))

    def _binary_steps(self, at: Places, length: int) -> Iterator[Steps]:
        """Apply operations to two constituents, with words between them or not."""
        rows = self.grid.first_row[at.sentence]
        (places,) = np.nonzero(self._begins[rows + at.begin] & self._ends[rows + at.end])
        gaps = range(min(self.grammar.shape.between, length - 2) + 1)
        if not gaps or not len(places):
            return
        found = [self._splits(at, places, length, gap) for gap in gaps]
        splits = Splits(*map(np.concatenate, zip(*found, strict=True)))
        sizes = self.count[splits.left] * self.count[splits.right]
        self._spend(self._pairs_left, at.sentence[splits.place], sizes)
        if self.is_over.any():
            keep = ~self.is_over[at.sentence[splits.place]]
            splits, sizes = splits.where(keep), sizes[keep]
        for begin, end in _chunks(sizes):
            yield self._combine(at, splits.where(slice(begin, end)), sizes[begin:end])

    def _splits(self, at: Places, places: Ints, length: int, gap: int) -> Splits:
        """Find where spans fall into two that hold constituents, with words between these.

        Args:
            at: Spans.
            places: Those of them at whose ends a constituent begins and one ends.
            length: Of the spans.
            gap: The number of words between.
        """
        grid, count = self.grid, self.count
        sentence, begin, end = (column[places, None] for column in (at.sentence, at.begin, at.end))
        middle = begin + np.arange(gap + 1, length)
        left, right = grid.cells(sentence, begin, middle - gap), grid.cells(sentence, middle, end)
        gaps = grid.gaps(gap, sentence, middle - gap)
        found = np.nonzero((count[left] > 0) & (count[right] > 0) & (gaps >= 0))
        return Splits(places[found[0]], left[found], right[found], gaps[found])

    def _combine(self, at: Places, splits: Splits, sizes: Ints) -> Steps:
        """Return the binary steps at some splits, of which so many pairs of constituents come."""
        grammar, columns = self.grammar, self.items
        split, offset = spread(sizes)
        from_right, from_left = np.divmod(offset, self.count[splits.left][split])
        left = self.start[splits.left][split] + from_left
        right = self.start[splits.right][split] + from_right
        pairs = grammar.pairs(columns.category[left], columns.category[right])
        (legal,) = np.nonzero(pairs != NOTHING)
        split, left, right = split[legal], left[legal], right[legal]
        rows = grammar.binary_rows(pairs[legal], splits.gap[split])
        place = splits.place[split]
        self._spend(self._combinations_left, at.sentence[place], grammar.row_size.values[rows] > 0)
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
        """Return all steps of some rows: the place of the row among these, and their numbers."""
        which, offset = spread(self.grammar.row_size.values[rows])
        return which, self.grammar.row_begin.values[rows][which] + offset


def _chunks(sizes: Ints) -> list[tuple[int, int]]:
    """Return runs of groups whose sizes add up to `MAX_PAIRS`, or little more."""
    if not len(sizes):
        return []
    numbers = (np.cumsum(sizes) - 1) // MAX_PAIRS
    borders = (np.nonzero(numbers[1:] != numbers[:-1])[0] + 1).tolist()
    return list(zip([0, *borders], [*borders, len(sizes)], strict=True))


def _leaves_by_length(sentences: Sequence[Sentence]) -> dict[int, list[LeafRow]]:
    leaves: dict[int, list[LeafRow]] = {}
    for number, (skeleton, choices) in enumerate(sentences):
        for leaf in skeleton.leaves:
            row = (*choices.get(leaf, (0.0, 0)), number, *leaf)
            leaves.setdefault(leaf.end - leaf.begin, []).append(row)
    return leaves


def _best(keys: Ints, scores: Floats, order: Ints) -> Ints:
    """Return the place of the best score of each key; of equal ones the first in order."""
    by_key = np.argsort(keys, kind="stable")
    first = firsts(keys[by_key])
    scores_by_key = scores[by_key]
    top = np.repeat(np.maximum.reduceat(scores_by_key, first), run_sizes(first, len(keys)))
    best: Ints = by_key[scores_by_key == top]
    if len(best) > len(first):  # seldom, and few: to sort all by all three takes far longer
        best = best[np.lexsort((order[best], keys[best]))]
        best = best[firsts(keys[best])]
    return best
