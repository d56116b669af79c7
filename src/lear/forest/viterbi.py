"""The best derivations of many sentences under a grammar whose rules have scores.

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
from lear.forest.programs import Instruction, Program, shared_node, shared_unit
from lear.forest.scored_grammar import ScoredGrammar, ScoreRules
from lear.forest.span_search import LEAF, NO_ITEM, Choices, SpanItems, SpanSearch
from lear.forest.sums import LeafScores, PackedForests
from lear.grammar.reading import Skeleton
from lear.grammar.rules import Grammar

NO_CHOICE: Choices = {}
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
    ) -> None:
        super().__init__(grammar, scorer)
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
            sentences, self, budget, spent=spent, keeps_edges=keeps_edges or is_kept
        )
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
