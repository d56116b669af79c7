"""The best derivation of a skeleton, fast: the inner loop of parsing.

Does what `legal_chart.best_programs` does for one answer, which the tests hold it to. Spans are
visited by their end and then from short to long, so only the best way to each category of a span
is ever kept, and there is no forest to build.
"""

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from lear.core.derivation import post_order
from lear.core.function_word_limits import trailing_begin
from lear.errors import SearchLimitError
from lear.grammar.grammar import Application, Grammar
from lear.grammar.sentence_reading import Candidate, CategoryLeaf, Skeleton, Words
from lear.search.chart import Budget
from lear.search.lookahead import NO_LOOKAHEAD, Lookahead
from lear.search.skeleton_derivation import Instruction, Program


class BestWay(NamedTuple):
    """The best way to a category over a span."""

    score: float
    begin: int
    end: int
    category: int
    operation: str | None
    """None at a leaf."""
    children: tuple["BestWay", ...]
    rank: int = 0
    """Which of the primitives behind a leaf."""


LeafChoice = tuple[float, int]
"""Score and rank of the best primitive behind a leaf."""
NO_CHOICE: Mapping[CategoryLeaf, LeafChoice] = {}
ScoredApplication = tuple[float, str, int]
"""Score of a rule, its operation, and the resulting category."""


class Viterbi:
    """Best derivations under a grammar whose rules have scores."""

    def __init__(
        self,
        grammar: Grammar,
        score: Callable[[int], float],
        budget: Budget,
        lookahead: Lookahead = NO_LOOKAHEAD,
    ) -> None:
        self.grammar = grammar
        self.lookahead = lookahead
        self.score = score
        self.shape = grammar.shape
        self.budget = budget
        self._unary: dict[tuple[Words, int, Words], tuple[ScoredApplication, ...]] = {}
        self._binary: dict[tuple[Words, int], _Lefts] = {}

    def best(
        self, skeleton: Skeleton, leaves: Mapping[CategoryLeaf, LeafChoice] = NO_CHOICE
    ) -> Program | None:
        """The best complete derivation, or None. Raises `SearchLimitError`.

        Args:
            skeleton: The sentence.
            leaves: For leaves with several primitives, the best of them; others score 0.
        """
        roots = [
            way
            for way in _Pass(self, skeleton, leaves).run()
            if self.grammar.categories.is_complete(way.category)
        ]
        if not roots:
            return None
        best = max(roots, key=lambda way: way.score)
        nodes = post_order(best, lambda way: way.children)
        return Program(best.score, tuple(map(_instruction, nodes)))

    def unary(self, before: Words, category: int, after: Words) -> tuple[ScoredApplication, ...]:
        """What can be built of one constituent and words around it."""
        key = (before, category, after)
        scored = self._unary.get(key)
        if scored is None:
            applications = self.grammar.unary_applications(before, category, after)
            scored = self._unary[key] = self._best_of(applications)
        return scored

    def binary(self, between: Words, right: int) -> "_Lefts":
        """What can be built of a constituent, words before it, and any constituent before them."""
        key = (between, right)
        lefts = self._binary.get(key)
        if lefts is None:
            lefts = self._binary[key] = _Lefts(self, between, right)
        return lefts

    def best_binary(self, left: int, between: Words, right: int) -> tuple[ScoredApplication, ...]:
        """What can be built of two constituents and words between them."""
        return self._best_of(self.grammar.binary_applications(left, between, right))

    def _best_of(self, applications: tuple[Application, ...]) -> tuple[ScoredApplication, ...]:
        """For each result only the best rule: the others can never win."""
        best: dict[int, ScoredApplication] = {}
        for rule, result in applications:
            score = self.score(rule)
            if result not in best or score > best[result][0]:
                best[result] = (score, self.grammar.rules[rule].operation, result)
        return tuple(best.values())


class _Lefts(dict[int, tuple[ScoredApplication, ...]]):
    """Left constituent -> what can be built, found out when first asked for."""

    def __init__(self, viterbi: Viterbi, between: Words, right: int) -> None:
        super().__init__()
        self.viterbi, self.between, self.right = viterbi, between, right

    def __missing__(self, left: int) -> tuple[ScoredApplication, ...]:
        applications = self.viterbi.best_binary(left, self.between, self.right)
        self[left] = applications
        return applications


class _Pass:
    """One sentence from left to right."""

    def __init__(
        self, viterbi: Viterbi, skeleton: Skeleton, choices: Mapping[CategoryLeaf, LeafChoice]
    ) -> None:
        self.viterbi = viterbi
        self.choices = choices
        self.words = skeleton.words
        self.leaves: dict[int, list[CategoryLeaf]] = {}
        for leaf in skeleton.leaves:
            self.leaves.setdefault(leaf.end, []).append(leaf)
        # What ends at each boundary, by category: one look-up serves all of a category.
        self.ended: list[dict[int, list[BestWay]]] = [{} for _ in range(len(self.words) + 1)]
        self.cells: dict[int, dict[int, BestWay]] = {}
        self.pending: list[int] = []  # heap of -begin, so that short spans come first
        self.trailing = trailing_begin(skeleton.is_function_word)
        self.combinations = 0
        self.before, self.after = viterbi.lookahead.neighbours(skeleton)
        self.fits_before, self.fits_after = viterbi.lookahead.before, viterbi.lookahead.after

    def run(self) -> Iterable[BestWay]:
        """The best way to each category over the whole sentence."""
        for end in range(1, len(self.words) + 1):
            self.cells = {}
            for leaf in self.leaves.get(end, ()):
                score, rank = self.choices.get(leaf, (0.0, 0))
                self._keep(score, leaf.begin, end, leaf.category, None, (), rank)
            self._extend_to(end)
            while self.pending:
                begin = -heappop(self.pending)
                if begin:
                    for item in list(self.cells[begin].values()):
                        if self.words[begin - 1] is not None:
                            self._unary(item, end, 0)
                        self._binary(item)
            ended = self.ended[end]
            for cell in self.cells.values():
                for item in cell.values():
                    ended.setdefault(item.category, []).append(item)
        return self.cells.get(0, {}).values()

    def _extend_to(self, end: int) -> None:
        """Apply unary operations with function words after their argument."""
        shape = self.viterbi.shape
        for after in range(1, min(end, shape.beside) + 1):
            begin = end - after
            if self.words[begin] is None or not (shape.after or begin >= self.trailing):
                return
            for items in self.ended[begin].values():
                for item in items:
                    self._unary(item, end, after)

    def _unary(self, item: BestWay, end: int, after: int) -> None:
        words = self.words
        for before in range(0 if after else 1, self.viterbi.shape.beside - after + 1):
            begin = item.begin - before
            if begin < 0 or (before and words[begin] is None):
                return
            applications = self.viterbi.unary(
                words[begin : item.begin], item.category, words[item.end : end]
            )
            for score, operation, result in applications:
                self._keep(score + item.score, begin, end, result, operation, (item,))

    def _binary(self, item: BestWay) -> None:
        _, begin, end, category, _, _, _ = item
        words, viterbi = self.words, self.viterbi
        for gap in range(viterbi.shape.between + 1):
            middle = begin - gap
            if middle <= 0 or (gap and words[middle] is None):
                return
            built = viterbi.binary(words[middle:begin], category)
            for left_category, lefts in self.ended[middle].items():
                applications = built[left_category]
                if applications:
                    self._count(len(lefts))
                    for rule_score, operation, result in applications:
                        base = rule_score + item.score
                        for left in lefts:
                            total = base + left.score
                            self._keep(total, left.begin, end, result, operation, (left, item))

    def _keep(
        self,
        score: float,
        begin: int,
        end: int,
        category: int,
        operation: str | None,
        children: tuple[BestWay, ...],
        rank: int = 0,
    ) -> None:
        """Record a way to a category, if it is the best so far and can be a part of a whole."""
        if not (
            self.fits_after[category] & self.after[end]
            and self.fits_before[category] & self.before[begin]
        ):
            return
        cell = self.cells.get(begin)
        if cell is None:
            cell = self.cells[begin] = {}
            heappush(self.pending, -begin)
        best = cell.get(category)
        if best is None or score > best.score:
            cell[category] = BestWay(score, begin, end, category, operation, children, rank)

    def _count(self, combinations: int) -> None:
        self.combinations += combinations
        if self.combinations > self.viterbi.budget.combinations:
            raise SearchLimitError(
                f"sentence of {len(self.words)} tokens: "
                f"no answer within {self.viterbi.budget.combinations} combinations"
            )


def _instruction(way: BestWay) -> Instruction:
    if way.operation is None:
        leaf = CategoryLeaf(way.begin, way.end, way.category)
        return Instruction.leaf(Candidate(leaf, way.rank))
    return Instruction(way.operation, len(way.children), way.begin, way.end)
