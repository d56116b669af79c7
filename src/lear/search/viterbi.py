"""The best derivations of many sentences under a grammar whose rules have scores.

Sentences are searched together (`span_search`), and rules met for the first time are scored all at
once. `legal_chart` with `k_best` is the plain version that says what must come out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import starmap
from typing import NamedTuple

import numpy as np

from lear.core.derivation import post_order
from lear.errors import SearchLimitError
from lear.grammar.grammar import Grammar
from lear.grammar.sentence_reading import Candidate, CategoryLeaf, Skeleton
from lear.search.chart import Budget, Edge, Item
from lear.search.lookahead import Lookahead
from lear.search.scored_grammar import ScoredGrammar, ScoreRules
from lear.search.skeleton_derivation import Instruction, Program
from lear.search.span_items import LEAF, NO_ITEM, SpanItems
from lear.search.span_search import Choices, SpanSearch

NO_CHOICE: Choices = {}
MAX_CELLS = 1_000_000
"""Sentences are searched together as long as they have no more spans, which bounds memory."""


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
        (ways,) = self._searched([(skeleton, leaves)], keeps_edges=True)
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
        ways = self._searched([sentences[number] for number in batch])
        return zip(batch, ways, strict=True)

    def _searched(
        self, sentences: Sequence[tuple[Skeleton, Choices]], *, keeps_edges: bool = False
    ) -> list["BestWays | SearchLimitError"]:
        search = SpanSearch(sentences, self, self.budget, self.lookahead, keeps_edges=keeps_edges)
        search.run()
        combinations = self.budget.combinations
        return [
            SearchLimitError(
                f"sentence of {len(sentences[number][0].words)} tokens: "
                f"no answer within {combinations} combinations"
            )
            if search.is_over[number]
            else BestWays(self, number, search.items, whole)
            for number, whole in enumerate(search.whole_cells())
        ]


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
