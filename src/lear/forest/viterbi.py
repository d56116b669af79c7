"""Filling the spans of few sentences, one at a time.

`SpanSearch.run` looks at all spans of one length together, which for few sentences is mostly
waiting for NumPy. Where a lookahead leaves little to be built, plain loops over the same tables are
several times as fast. They find the same items, edges and scores, in the same order.

The best derivations of many sentences under a grammar whose rules have scores.

Sentences are searched together (`span_search`), and rules met for the first time are scored all at
once. `legal_chart` with `k_best` is the plain version that says what must come out.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from lear.algebra.derivations import post_order
from lear.errors import SearchLimitError
from lear.forest.arrays import SentenceGrid
from lear.forest.chart import Budget, out_of_budget
from lear.forest.legal_table import LegalTable
from lear.forest.lookahead import Lookahead
from lear.forest.programs import Instruction, Program, shared_node, shared_unit
from lear.forest.scored_grammar import ScoredGrammar, ScoreRules
from lear.forest.span_search import LEAF, NO_ITEM, Choices, LeafRow, SpanItems, SpanSearch
from lear.forest.sums import LeafScores, PackedForests
from lear.grammar.reading import Skeleton
from lear.grammar.rules import Grammar

LEAVES_FIRST = -(1 << 62)
"""Comes before all places, in the order of equally good steps."""


class _Step(NamedTuple):
    """A way to build something over a span."""

    score: float
    order: int
    """Of equally good steps the lowest is taken: leaves, then those that split late."""
    step: int
    left: int
    right: int


_Found = dict[int, list[_Step]]
"""Category -> ways to build it."""


def fill_by_loops(search: SpanSearch) -> None:
    """Fill all spans of a search that has a lookahead and has not begun."""
    sentences = [_Sentence(search, number) for number in range(len(search.grid.lengths))]
    for length in range(1, int(search.grid.lengths.max()) + 1):
        for sentence in sentences:
            sentence.fill(length)
    search.items.finish()


class _Sentence:
    """One sentence of a search."""

    def __init__(self, search: SpanSearch, number: int) -> None:
        assert search.fits is not None  # who calls this has seen to it
        self.search, self.number = search, number
        self.grammar, self.items = search.grammar, search.items
        grid = search.grid
        self.width = grid.widths.item(number)
        self.first_row = grid.first_row.item(number)
        self.first_cell = grid.cells(number, 0, 0).item()
        self.trailing = grid.trailing.item(number)
        rows = slice(self.first_row, self.first_row + self.width)
        self.gaps = [numbers[rows].tolist() for numbers in grid.gap_numbers]
        self.ending, self.beginning = search.fits.masks(rows)
        self.before, self.after = search.fits.lookahead.masks
        self.leaves: dict[tuple[int, int], list[LeafRow]] = {}
        for rows_of_length in search.leaves.values():
            for row in rows_of_length:
                if row[2] == number:
                    self.leaves.setdefault((row[3], row[4]), []).append(row)
        self.cells: list[dict[int, range]] = [{} for _ in range(self.width)]
        """By the begin of a span and by its end: its items, where there are any."""
        self.is_over = False

    def fill(self, length: int) -> None:
        """Fill the spans of this length."""
        for begin in range(self.width - length):
            if not self.is_over:
                self._fill(begin, begin + length)

    def _fill(self, begin: int, end: int) -> None:
        found: _Found = {}
        before, after = self.before, self.after
        ending, beginning = self.ending[begin], self.beginning[end]
        for category, step in self._steps(begin, end):
            steps = found.get(category)
            if steps is not None:
                steps.append(step)
            elif (
                category < len(before) and before[category] & ending and after[category] & beginning
            ):
                found[category] = [step]
        if found and not self.is_over:
            self._keep(begin, end, found)

    def _keep(self, begin: int, end: int, found: _Found) -> None:
        """Take the best way to each category, unless it is much worse than the best of all."""
        best = {category: _best(steps) for category, steps in found.items()}
        margin = self.search.budget.margin
        if margin is not None:
            least = max(step.score for step in best.values()) - margin
            best = {category: step for category, step in best.items() if step.score >= least}
        cell = self.first_cell + begin * self.width + end
        first = self.items.size
        for category in sorted(best):
            score, _, step, left, right = best[category]
            edges = sorted(found[category], key=lambda way: way.order)
            self.items.append(
                (score, cell, category, step, left, right), [way[2:] for way in edges]
            )
        self.cells[begin][end] = range(first, self.items.size)

    def _steps(self, begin: int, end: int) -> Iterator[tuple[int, _Step]]:
        """Categories over a span, with ways to build them."""
        for score, rank, _, _, _, category in self.leaves.get((begin, end), ()):
            yield int(category), _Step(score, LEAVES_FIRST, LEAF, int(rank), NO_ITEM)
        yield from self._unary(begin, end)
        yield from self._binary(begin, end)

    def _unary(self, begin: int, end: int) -> Iterator[tuple[int, _Step]]:
        """Operations on one constituent and the words around it."""
        shape, scores = self.grammar.shape, self.items.scores
        for words in range(1, min(shape.beside, end - begin - 1) + 1):
            for after in range(words + 1):
                first, last = begin + words - after, end - after
                items = self.cells[first].get(last)
                if items is None:
                    continue
                gaps = self.gaps[words - after][begin], self.gaps[after][last]
                is_trailing = last >= self.trailing
                if min(gaps) < 0 or not shape.allows_unary(
                    words - after, after, is_trailing=is_trailing
                ):
                    continue
                order = -(self.first_row + first)
                for item in items:
                    for step, cost, result in self.grammar.unary_steps(
                        self.items.categories[item], *gaps
                    ):
                        yield result, _Step(cost + scores[item], order, step, item, NO_ITEM)

    def _binary(self, begin: int, end: int) -> Iterator[tuple[int, _Step]]:
        """Operations on two constituents, with words between them or not."""
        scores, categories, cells = self.items.scores, self.items.categories, self.cells
        steps_of = self.grammar.binary_steps
        num_pairs = num_combinations = 0
        for gap in range(min(self.grammar.shape.between, end - begin - 2) + 1):
            gaps = self.gaps[gap]
            for last, lefts in cells[begin].items():  # from short to long
                middle = last + gap
                rights = cells[middle].get(end) if middle < end else None
                if rights is None or gaps[last] < 0:
                    continue
                num_pairs += len(lefts) * len(rights)
                order = -(self.first_row + middle)
                for right in rights:
                    for left in lefts:
                        steps = steps_of(categories[left], categories[right], gaps[last])
                        num_combinations += bool(steps)
                        for step, cost, result in steps:
                            score = cost + scores[right] + scores[left]
                            yield result, _Step(score, order, step, left, right)
        if num_pairs:
            self.is_over = self.search.spend(self.number, num_pairs, num_combinations)


def _best(steps: list[_Step]) -> _Step:
    """The best way; of equally good ones the first in order."""
    best = steps[0]
    for step in steps[1:]:
        if step.score > best.score or (step.score == best.score and step.order < best.order):
            best = step
    return best


NO_CHOICE: Choices = {}
MAX_LOOPED = 6
"""So few sentences are searched by loops, where a lookahead leaves little to be built."""
MAX_LOOPED_CELLS = 10_000
"""And only so many spans: loops over long sentences would take long."""
MAX_KEPT_CELLS = 10_000
"""The last search is kept, until the next one, if it has no more spans than this."""
MAX_CELLS = 1_000_000
"""Sentences are searched together as long as they have no more spans, which bounds memory."""


class Viterbi(ScoredGrammar):
    """Best derivations under a grammar whose rules have scores."""

    def __init__(
        self,
        grammar: Grammar,
        scorer: ScoreRules,
        budget: Budget,
        lookahead: Lookahead | None = None,
        legal: LegalTable | None = None,
    ) -> None:
        super().__init__(grammar, scorer, legal)
        self.lookahead = lookahead
        self.budget = budget
        self._last: _LastSearch | None = None

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

    def packed(
        self,
        sentences: Sequence[tuple[Skeleton, Choices]],
        leaf_scores: Sequence[LeafScores],
        *,
        spent: Sequence[int] | None = None,
        is_exhaustive: bool = False,
    ) -> PackedForests:
        """All derivations that the search does not drop, of sentences that are searched together.

        Args:
            sentences: Skeletons, and the best primitives of leaves that have several.
            leaf_scores: For each sentence what members say of primitives.
            spent: What was taken from the budget of each before; by default nothing.
            is_exhaustive: Whether to drop nothing, whatever the margin of the budget.
        """
        spent_before = [0] * len(sentences) if spent is None else spent
        last = self._last
        if last is not None and last.has(sentences, spent_before, is_exhaustive=is_exhaustive):
            chosen = [last.numbers[_key(sentence)] for sentence in sentences]
            return PackedForests(last.search, self, leaf_scores, chosen)
        search = self._run(sentences, spent_before, is_exhaustive=is_exhaustive, keeps_edges=True)
        return PackedForests(search, self, leaf_scores, range(len(sentences)))

    def let_go(self) -> None:
        """Forget the last search, which knows this object: a cycle that is freed late."""
        self._last = None

    def search_each(
        self,
        sentences: Sequence[tuple[Skeleton, Choices]],
        *,
        spent: Sequence[int] | None = None,
        is_exhaustive: bool = False,
    ) -> list["BestWays | SearchLimitError"]:
        """The same for each of many sentences; in place of ways, that the budget ran out.

        Args:
            sentences: Skeletons, and the best primitives of leaves that have several.
            spent: What was taken from the budget of each before; by default nothing.
            is_exhaustive: Whether to drop nothing, whatever the margin of the budget.
        """
        spent_before = [0] * len(sentences) if spent is None else spent

        def search(batch: Sequence[int]) -> list[BestWays | SearchLimitError]:
            some = [sentences[number] for number in batch]
            spent_on_them = [spent_before[number] for number in batch]
            return self._searched(some, spent_on_them, is_exhaustive=is_exhaustive)

        found: dict[int, BestWays | SearchLimitError] = {}
        batch: list[int] = []
        num_cells = 0
        # Sentences of similar lengths go together: a batch takes as many rounds as its longest.
        for number in sorted(range(len(sentences)), key=lambda n: len(sentences[n][0].words)):
            size = (len(sentences[number][0].words) + 1) ** 2
            if batch and num_cells + size > MAX_CELLS:
                found |= zip(batch, search(batch), strict=True)
                batch, num_cells = [], 0
            batch.append(number)
            num_cells += size
        if batch:
            found |= zip(batch, search(batch), strict=True)
        return [found[number] for number in range(len(sentences))]

    def _searched(
        self,
        sentences: Sequence[tuple[Skeleton, Choices]],
        spent: Sequence[int],
        *,
        is_exhaustive: bool,
    ) -> list["BestWays | SearchLimitError"]:
        search = self._run(sentences, spent, is_exhaustive=is_exhaustive)
        found = zip(search.whole_cells(), search.spent(), strict=True)
        return [
            out_of_budget(len(sentences[number][0].words), self.budget.combinations)
            if search.is_over[number]
            else BestWays(self, number, search.grid, search.items, whole, all_spent)
            for number, (whole, all_spent) in enumerate(found)
        ]

    def _run(
        self,
        sentences: Sequence[tuple[Skeleton, Choices]],
        spent: Sequence[int],
        *,
        is_exhaustive: bool,
        keeps_edges: bool = False,
    ) -> SpanSearch:
        self._last = None  # its memory may serve this one
        budget = replace(self.budget, margin=None) if is_exhaustive else self.budget
        num_cells = sum((len(skeleton.words) + 1) ** 2 for skeleton, _ in sentences)
        is_kept = num_cells <= MAX_KEPT_CELLS
        search = SpanSearch(
            sentences, self, budget, self.lookahead, spent=spent, keeps_edges=keeps_edges or is_kept
        )
        has_few = len(sentences) <= MAX_LOOPED and num_cells <= MAX_LOOPED_CELLS
        if self.lookahead is not None and has_few:
            fill_by_loops(search)
        else:
            search.run()
        if is_kept:
            numbers = {_key(sentence): number for number, sentence in enumerate(sentences)}
            self._last = _LastSearch(search, numbers, is_exhaustive)
        return search


@dataclass(frozen=True)
class _LastSearch:
    """A search whose derivations can be packed without searching again."""

    search: SpanSearch
    numbers: dict[Hashable, int]
    """Of its sentences."""
    is_exhaustive: bool

    def has(
        self,
        sentences: Sequence[tuple[Skeleton, Choices]],
        spent: Sequence[int],
        *,
        is_exhaustive: bool,
    ) -> bool:
        """Whether it was the search of these sentences, each of them different.

        To search again would have cost them as much again: who cannot afford it must not get it
        for nothing, or answers would depend on what was asked before.
        """
        keys = [_key(sentence) for sentence in sentences]
        if is_exhaustive != self.is_exhaustive or len(set(keys)) < len(keys):
            return False
        if not self.numbers.keys() >= set(keys):
            return False
        all_spent = self.search.spent()
        most = self.search.budget.combinations
        costs = [all_spent[self.numbers[key]] for key in keys]
        return all(before + cost <= most for before, cost in zip(spent, costs, strict=True))


def _key(sentence: tuple[Skeleton, Choices]) -> Hashable:
    skeleton, choices = sentence
    return skeleton, tuple(choices.items())


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
    grid: SentenceGrid
    items: SpanItems
    whole: int
    """The cell of the whole sentence."""
    spent: int
    """Combinations that were taken from its budget, by this search and before."""

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
        left, right, step = columns.left.item, columns.right.item, columns.step.item

        def children(item: int) -> tuple[int, ...]:
            if step(item) == LEAF:
                return ()
            return (left(item),) if right(item) == NO_ITEM else (left(item), right(item))

        nodes = post_order(root, children)
        table = zip(*(column[nodes].tolist() for column in columns[3:]), strict=True)
        instructions = map(self._instruction, self.spans(nodes), table)
        return Program(columns.score.item(root), tuple(instructions))

    def ways(self) -> list[Way]:
        """The best ways to all categories of all spans."""
        columns = self.items.columns
        (mine,) = np.nonzero(self.grid.sentence[columns.cell] == self.sentence)
        scores = columns.score[mine].tolist()
        return [Way(score, *at) for score, at in zip(scores, self.spans(mine), strict=True)]

    def spans(self, items: Any) -> Iterator[tuple[int, int, int]]:
        """Begin, end and category of items of this sentence, given as an index of arrays."""
        cell, category = self.items.columns.cell[items], self.items.columns.category[items]
        first = self.grid.first_row[self.sentence]
        begin, end = self.grid.begin_row[cell] - first, self.grid.end_row[cell] - first
        return zip(begin.tolist(), end.tolist(), category.tolist(), strict=True)

    def _instruction(self, span: tuple[int, int, int], way: tuple[int, int, int]) -> Instruction:
        begin, end, category = span
        step, left, right = way
        if step == LEAF:
            return shared_unit(begin, end, category, left)
        arity = 1 if right == NO_ITEM else 2
        return shared_node(self.viterbi.operation(step), arity, begin, end)
