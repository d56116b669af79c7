"""The best derivations of many sentences under a grammar whose rules have scores.

Sentences are searched together, from short spans to long ones. At each length all steps of all
sentences are looked up, added and compared as arrays, so that a step costs nanoseconds where a loop
would take microseconds, and rules met for the first time are scored all at once. `legal_chart` with
`k_best` is the plain version that says what must come out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.core.derivation import post_order
from lear.errors import SearchLimitError
from lear.grammar.grammar import Grammar
from lear.grammar.sentence_reading import Candidate, CategoryLeaf, Skeleton
from lear.search.chart import Budget, Edge, Item
from lear.search.lookahead import Lookahead
from lear.search.scored_grammar import ScoredGrammar, ScoreRules
from lear.search.sentence_grid import Places, SentenceGrid, spread
from lear.search.skeleton_derivation import Instruction, Program
from lear.search.span_items import LEAF, NO_ITEM, Floats, Ints, SpanItems, Steps

LeafChoice = tuple[float, int]
"""Score and rank of the best primitive behind a leaf."""
Choices = Mapping[CategoryLeaf, LeafChoice]
NO_CHOICE: Choices = {}
LeafRow = tuple[float, int, int, int, int, int]
"""Score and rank, sentence, begin, end and category of a leaf."""
MAX_CELLS = 1_000_000
"""Sentences are searched together as long as they have no more spans, which bounds memory."""
MAX_PAIRS = 1_000_000
"""So many pairs of constituents are looked at together, which bounds memory too."""
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


class Viterbi(ScoredGrammar):
    """Best derivations under a grammar whose rules have scores."""

    def __init__(
        self,
        grammar: Grammar,
        score: ScoreRules,
        budget: Budget,
        lookahead: Lookahead | None = None,
    ) -> None:
        super().__init__(grammar, score)
        self.lookahead = lookahead
        self.budget = budget

    def best(self, skeleton: Skeleton, leaves: Choices = NO_CHOICE) -> Program | None:
        """The best complete derivation, or None. Raises `SearchLimitError`.

        Args:
            skeleton: The sentence.
            leaves: For leaves with several primitives, the best of them; others score 0.
        """
        return self.search(skeleton, leaves).best()

    def search(self, skeleton: Skeleton, leaves: Choices = NO_CHOICE) -> "BestWays":
        """The best ways to all categories of all spans. Raises `SearchLimitError`."""
        (ways,) = self.search_each([(skeleton, leaves)])
        if isinstance(ways, SearchLimitError):
            raise ways
        return ways

    def forest(self, skeleton: Skeleton, leaves: Choices = NO_CHOICE) -> list[Item[int]]:
        """All derivations that the search does not drop, packed: the items of whole sentences.

        Values are categories, labels are rules' numbers, as in `legal_chart`. Raises
        `SearchLimitError`.
        """
        search = _Search(self, [(skeleton, leaves)], keeps_edges=True)
        (ways,) = search.run()
        if isinstance(ways, SearchLimitError):
            raise ways
        columns, edges = ways.items.columns, ways.items.edges
        spans = (columns.begin, columns.end, columns.category)
        items: list[Item[int]] = list(
            starmap(Item, zip(*(column.tolist() for column in spans), strict=True))
        )
        for item, rule, left, right in zip(*(column.tolist() for column in edges), strict=True):
            children = () if rule == LEAF else (left,) if right == NO_ITEM else (left, right)
            label = None if rule == LEAF else rule
            items[item].edges.append(Edge(label, tuple(items[child] for child in children)))
        whole = ways.items.start.item(ways.whole), ways.items.count.item(ways.whole)
        is_complete = self.grammar.categories.is_complete
        roots = items[whole[0] : whole[0] + whole[1]]
        return [item for item in roots if is_complete(item.value)]

    def search_each(
        self, sentences: Sequence[tuple[Skeleton, Choices]]
    ) -> list["BestWays | SearchLimitError"]:
        """The same for each of many sentences; in place of ways, that the budget ran out."""
        found: dict[int, BestWays | SearchLimitError] = {}
        batch: list[int] = []
        num_cells = 0
        # Sentences of similar lengths go together: a batch takes as many rounds as its longest.
        for number in sorted(range(len(sentences)), key=lambda n: len(sentences[n][0].words)):
            size = (len(sentences[number][0].words) + 1) ** 2
            if batch and num_cells + size > MAX_CELLS:
                found |= self._search_batch(batch, sentences)
                batch, num_cells = [], 0
            batch.append(number)
            num_cells += size
        if batch:
            found |= self._search_batch(batch, sentences)
        return [found[number] for number in range(len(sentences))]

    def _search_batch(
        self, batch: Sequence[int], sentences: Sequence[tuple[Skeleton, Choices]]
    ) -> Iterator[tuple[int, "BestWays | SearchLimitError"]]:
        ways = _Search(self, [sentences[number] for number in batch]).run()
        return zip(batch, ways, strict=True)


class Way(NamedTuple):
    """The best way to a category over a span."""

    score: float
    begin: int
    end: int
    category: int


@dataclass(frozen=True)
class BestWays:
    """What was found over one sentence of a search."""

    viterbi: Viterbi
    sentence: int
    items: SpanItems
    whole: int
    """The cell of the whole sentence."""

    def best(self) -> Program | None:
        """The best complete derivation, or None."""
        start, count = self.items.start.item(self.whole), self.items.count.item(self.whole)
        if not count:
            return None
        columns = self.items.columns
        is_complete = self.viterbi.grammar.categories.is_complete
        categories = columns.category[start : start + count].tolist()
        roots = [start + n for n, category in enumerate(categories) if is_complete(category)]
        if not roots:
            return None
        root = max(roots, key=columns.score.item)
        left, right, rule = columns.left.item, columns.right.item, columns.rule.item

        def children(item: int) -> tuple[int, ...]:
            if rule(item) == LEAF:
                return ()
            return (left(item),) if right(item) == NO_ITEM else (left(item), right(item))

        nodes = post_order(root, children)
        table = zip(*(column[nodes].tolist() for column in columns[3:]), strict=True)
        return Program(columns.score.item(root), tuple(starmap(self._instruction, table)))

    def ways(self) -> list[Way]:
        """The best ways to all categories of all spans."""
        columns = self.items.columns
        (mine,) = np.nonzero(columns.sentence == self.sentence)
        chosen = (columns.score, columns.begin, columns.end, columns.category)
        return list(starmap(Way, zip(*(column[mine].tolist() for column in chosen), strict=True)))

    def _instruction(
        self, begin: int, end: int, category: int, rule: int, left: int, right: int
    ) -> Instruction:
        if rule == LEAF:
            return Instruction.leaf(Candidate(CategoryLeaf(begin, end, category), left))
        arity = 1 if right == NO_ITEM else 2
        return Instruction(self.viterbi.grammar.rules[rule].operation, arity, begin, end)


class _Search:
    """Some sentences, from spans of one token to the longest."""

    def __init__(
        self,
        viterbi: Viterbi,
        sentences: Sequence[tuple[Skeleton, Choices]],
        *,
        keeps_edges: bool = False,
    ) -> None:
        self.viterbi = viterbi
        skeletons = [skeleton for skeleton, _ in sentences]
        self.grid = SentenceGrid(skeletons, viterbi.shape.max_words, viterbi.gap_number)
        self.fits = None if viterbi.lookahead is None else viterbi.lookahead.places(skeletons)
        self.items = SpanItems(self.grid.num_cells, keeps_edges=keeps_edges)
        self.begins = np.zeros(int(self.grid.widths.sum()), dtype=bool)
        self.ends = np.zeros_like(self.begins)
        """Boundaries at which some constituent begins, or ends."""
        self.leaves = self._leaves(sentences)
        self.combinations_left = np.full(len(sentences), viterbi.budget.combinations)
        self.pairs_left = self.combinations_left * PAIRS_PER_COMBINATION
        self.is_over = np.zeros(len(sentences), dtype=bool)
        """Sentences whose budget ran out."""

    def run(self) -> list[BestWays | SearchLimitError]:
        """Fill all spans."""
        for length in range(1, int(self.grid.lengths.max()) + 1):
            at = self.grid.places(length, ~self.is_over)
            found = [self._leaves_of(length), *self._unary(at, length), *self._binary(at, length)]
            steps = self._fitting(Steps(*map(np.concatenate, zip(*found, strict=True))))
            self.items.add(steps, self.viterbi.budget.margin)
            first = self.grid.first_row[steps.sentence]
            self.begins[first + steps.begin] = True
            self.ends[first + steps.end] = True
        sentences = np.arange(len(self.grid.lengths))
        wholes = self.grid.cells(sentences, np.zeros_like(sentences), self.grid.lengths)
        return [self._found(number, whole) for number, whole in enumerate(wholes.tolist())]

    def _found(self, sentence: int, whole: int) -> BestWays | SearchLimitError:
        if self.is_over[sentence]:
            return SearchLimitError(
                f"sentence of {self.grid.lengths[sentence]} tokens: "
                f"no answer within {self.viterbi.budget.combinations} combinations"
            )
        return BestWays(self.viterbi, sentence, self.items, whole)

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
        return Steps(table[:, 0], cell, sentence, begin, end, category, leaf, rank, none)

    def _unary(self, at: Places, length: int) -> Iterator[Steps]:
        """Operations on one constituent and the words around it."""
        grid, shape = self.grid, self.viterbi.shape
        for words in range(1, min(shape.beside, length - 1) + 1):
            for after in range(words + 1):
                before = words - after
                begin, end = at.begin + before, at.end - after
                cell = grid.cells(at.sentence, begin, end)
                gap_before = grid.gaps(before, at.sentence, at.begin)
                gap_after = grid.gaps(after, at.sentence, end)
                is_open = (self.items.count[cell] > 0) & (gap_before >= 0) & (gap_after >= 0)
                if not shape.allows_unary(before, after, is_trailing=False):
                    is_open &= end >= grid.trailing[at.sentence]
                (place,) = np.nonzero(is_open)
                if len(place):
                    yield self._apply(at, place, cell[place], gap_before[place], gap_after[place])

    def _apply(self, at: Places, place: Ints, cell: Ints, before: Ints, after: Ints) -> Steps:
        """The unary steps to some places, over the constituents of some cells."""
        group, offset = spread(self.items.count[cell])
        item = self.items.start[cell][group] + offset
        columns = self.items.columns
        rows = self.viterbi.unary_rows(columns.category[item], before[group], after[group])
        which, step = self._steps_of(rows)
        item = item[which]
        score = self.viterbi.step_score.values[step] + columns.score[item]
        return self._steps(at, place[group][which], score, step, item, np.full_like(item, NO_ITEM))

    def _binary(self, at: Places, length: int) -> Iterator[Steps]:
        """Operations on two constituents, with words between them or not."""
        count = self.items.count
        for gap in range(min(self.viterbi.shape.between, length - 2) + 1):
            splits = self._splits(at, length, gap)
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
        # Late splits first: of equals the first one wins.
        middle = begin + np.arange(length - 1, gap, -1)
        left, right = grid.cells(sentence, begin, middle - gap), grid.cells(sentence, middle, end)
        gaps = grid.gaps(gap, sentence, middle - gap)
        found = np.nonzero((count[left] > 0) & (count[right] > 0) & (gaps >= 0))
        return Splits(open_places[found[0]], left[found], right[found], gaps[found])

    def _combine(self, at: Places, splits: Splits, sizes: Ints) -> Steps:
        """The binary steps at some splits, of which so many pairs of constituents come."""
        items, viterbi, columns = self.items, self.viterbi, self.items.columns
        split, offset = spread(sizes)
        from_right, from_left = np.divmod(offset, items.count[splits.left][split])
        left = items.start[splits.left][split] + from_left
        right = items.start[splits.right][split] + from_right
        pairs = viterbi.pairs(columns.category[left], columns.category[right])
        (legal,) = np.nonzero(pairs >= 0)
        split, left, right = split[legal], left[legal], right[legal]
        rows = viterbi.binary_rows(pairs[legal], splits.gap[split])
        place = splits.place[split]
        self._spend(self.combinations_left, at.sentence[place], viterbi.row_size.values[rows] > 0)
        which, step = self._steps_of(rows)
        left, right = left[which], right[which]
        score = viterbi.step_score.values[step] + columns.score[right] + columns.score[left]
        return self._steps(at, place[which], score, step, left, right)

    def _spend(self, budget: Ints, sentence: Ints, cost: NDArray[Any]) -> None:
        """Take something from the budgets of sentences; those that have less are over."""
        budget -= np.bincount(sentence, cost, len(budget)).astype(np.int64)
        self.is_over |= budget < 0

    def _steps_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """All steps of some rows: the place of the row among these, and the step's number."""
        which, offset = spread(self.viterbi.row_size.values[rows])
        return which, self.viterbi.row_begin.values[rows][which] + offset

    def _steps(
        self, at: Places, place: Ints, score: Floats, step: Ints, left: Ints, right: Ints
    ) -> Steps:
        category, rule = self.viterbi.step_result.values[step], self.viterbi.step_rule.values[step]
        span = at.cell[place], at.sentence[place], at.begin[place], at.end[place]
        return Steps(score, *span, category, rule, left, right)

    def _fitting(self, steps: Steps) -> Steps:
        """Without sentences that are over, and without what cannot be a part of a whole."""
        keep = ~self.is_over[steps.sentence]
        if self.fits is not None:
            first = self.grid.first_row[steps.sentence]
            keep &= self.fits(first + steps.begin, first + steps.end, steps.category)
        return steps if keep.all() else steps.where(keep)


def _chunks(sizes: Ints) -> list[tuple[int, int]]:
    """Runs of groups whose sizes add up to `MAX_PAIRS`, or little more."""
    numbers = (np.cumsum(sizes) - 1) // MAX_PAIRS
    borders = (np.nonzero(np.diff(numbers))[0] + 1).tolist()
    return list(zip([0, *borders], [*borders, len(sizes)], strict=True)) if len(sizes) else []
