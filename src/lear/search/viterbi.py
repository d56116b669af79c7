"""The best derivation of a skeleton, fast: the inner loop of parsing.

Does what `legal_chart.best_programs` does for one answer, which the tests hold it to. Spans are
visited by their end and then from short to long, so only the best way to each category of a span
is ever kept, and there is no forest to build.
"""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import heappop, heappush
from typing import NamedTuple

from lear.core.derivation import post_order
from lear.core.function_word_limits import trailing_begin
from lear.errors import SearchLimitError
from lear.grammar.grammar import Grammar
from lear.grammar.sentence_reading import Candidate, CategoryLeaf, Skeleton, Words
from lear.search.chart import Budget
from lear.search.lookahead import Lookahead
from lear.search.scored_grammar import Lefts, ScoredApplication, ScoredGrammar, ScoreRules
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

    def best(
        self, skeleton: Skeleton, leaves: Mapping[CategoryLeaf, LeafChoice] = NO_CHOICE
    ) -> Program | None:
        """The best complete derivation, or None. Raises `SearchLimitError`.

        Args:
            skeleton: The sentence.
            leaves: For leaves with several primitives, the best of them; others score 0.
        """
        return self.search(skeleton, leaves).best()

    def search(
        self, skeleton: Skeleton, leaves: Mapping[CategoryLeaf, LeafChoice] = NO_CHOICE
    ) -> "BestWays":
        """The best ways to all categories of all spans. Raises `SearchLimitError`."""
        ways = BestWays(self, skeleton, leaves)
        ways.run()
        return ways


RawWay = tuple[float, str | None, tuple[BestWay, ...], int]
"""Score, operation, children and rank of a way in a span that is not finished."""


class BestWays:
    """One sentence from left to right: the best way to each category of each span."""

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
        self.cells: dict[int, dict[int, RawWay]] = {}
        self.pending: list[int] = []  # heap of -begin, so that short spans come first
        self.trailing = trailing_begin(skeleton.is_function_word)
        self.combinations = 0
        self.neighbours: tuple[list[int], list[int]] | None = None
        if viterbi.lookahead is not None:
            self.neighbours = viterbi.lookahead.neighbours(skeleton)

    def best(self) -> Program | None:
        """The best complete derivation, or None."""
        best = max(self.roots(), key=lambda way: way.score, default=None)
        if best is None:
            return None
        nodes = post_order(best, lambda way: way.children)
        return Program(best.score, tuple(map(_instruction, nodes)))

    def roots(self) -> list[BestWay]:
        """The best ways to complete categories over the whole sentence."""
        is_complete = self.viterbi.grammar.categories.is_complete
        whole = (way for ways in self.ended[-1].values() for way in ways if way.begin == 0)
        return [way for way in whole if is_complete(way.category)]

    def run(self) -> None:
        """Fill all spans."""
        for end in range(1, len(self.words) + 1):
            self.cells = {}
            for leaf in self.leaves.get(end, ()):
                score, rank = self.choices.get(leaf, (0.0, 0))
                if self._fits(leaf.begin, end, leaf.category):
                    self._keep(score, leaf.begin, leaf.category, None, (), rank)
            self._extend_to(end)
            ended = self.ended[end]
            while self.pending:
                begin = -heappop(self.pending)
                finished = self._finished(begin, end)
                for way in finished:
                    ended.setdefault(way.category, []).append(way)
                if begin:
                    if self.words[begin - 1] is not None:
                        for way in finished:
                            self._unary(way, end, 0)
                    self._binary(finished, begin, end)

    def _finished(self, begin: int, end: int) -> list[BestWay]:
        """The ways of a span to which no other way will come, without hopeless ones."""
        ways = self.cells[begin].items()
        margin = self.viterbi.budget.margin
        if margin is not None and len(ways) > 1:
            least = max(raw[0] for _, raw in ways) - margin
            return [
                BestWay(r[0], begin, end, c, r[1], r[2], r[3]) for c, r in ways if r[0] >= least
            ]
        return [BestWay(raw[0], begin, end, category, *raw[1:]) for category, raw in ways]

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
                if self._fits(begin, end, result):
                    self._keep(score + item.score, begin, result, operation, (item,))

    def _binary(self, items: Sequence[BestWay], begin: int, end: int) -> None:
        """Combine all items of a span with what ends before it, words between or not."""
        viterbi = self.viterbi
        neighbours: list[tuple[BestWay, Lefts, dict[int, list[BestWay]]]] = []
        new: list[tuple[Lefts, AbstractSet[int], Words, int]] = []
        for gap in range(viterbi.shape.between + 1):
            middle = begin - gap
            if middle <= 0 or (gap and self.words[middle] is None):
                break
            ended = self.ended[middle]
            between = self.words[middle:begin]
            for item in items if ended else ():
                lefts = viterbi.binary(between, item.category)
                neighbours.append((item, lefts, ended))
                if not lefts.met >= ended.keys():
                    new.append((lefts, ended.keys() - lefts.met, between, item.category))
        if new:  # all rules that are met for the first time are scored at once
            viterbi.meet(new)
        combine = self._combine if self.neighbours is None else self._combine_fitting
        for item, lefts, ended in neighbours:
            built = lefts.built
            if built:
                for left in ended.keys() & built.keys():
                    self._count(len(ended[left]))
                    combine(item, ended[left], built[left], end)

    def _combine(
        self,
        item: BestWay,
        lefts: Sequence[BestWay],
        applications: tuple[ScoredApplication, ...],
        end: int,
    ) -> None:
        """Record what can be built of an item and each of some items before it."""
        del end
        for rule_score, operation, result in applications:
            base = rule_score + item.score
            for left in lefts:
                self._keep(base + left.score, left.begin, result, operation, (left, item))

    def _combine_fitting(
        self,
        item: BestWay,
        lefts: Sequence[BestWay],
        applications: tuple[ScoredApplication, ...],
        end: int,
    ) -> None:
        """The same, but only what can be a part of a whole where it stands."""
        lookahead = self.viterbi.lookahead
        assert lookahead is not None  # else `_combine` is used
        assert self.neighbours is not None
        before, after = self.neighbours
        for rule_score, operation, result in applications:
            if lookahead.after[result] & after[end]:
                fits_before = lookahead.before[result]
                base = rule_score + item.score
                for left in lefts:
                    if fits_before & before[left.begin]:
                        self._keep(base + left.score, left.begin, result, operation, (left, item))

    def _fits(self, begin: int, end: int, category: int) -> bool:
        """Whether a category at this place can be a part of a whole."""
        if self.neighbours is None:
            return True
        lookahead, (before, after) = self.viterbi.lookahead, self.neighbours
        assert lookahead is not None  # as there are neighbours
        return bool(
            lookahead.after[category] & after[end] and lookahead.before[category] & before[begin]
        )

    def _keep(
        self,
        score: float,
        begin: int,
        category: int,
        operation: str | None,
        children: tuple[BestWay, ...],
        rank: int = 0,
    ) -> None:
        """Record a way to a category, if it is the best so far."""
        cell = self.cells.get(begin)
        if cell is None:
            cell = self.cells[begin] = {}
            heappush(self.pending, -begin)
        best = cell.get(category)
        if best is None or score > best[0]:
            cell[category] = (score, operation, children, rank)

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
