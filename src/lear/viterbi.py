"""The best derivation of a skeleton, fast: the inner loop of parsing.

Does what `decoding.best_programs` does for one answer, which the tests hold it to. Spans are
visited by their end and then from short to long, so only the best way to each category of a span
is ever kept, and there is no forest to build.
"""

from collections.abc import Callable, Iterable, Mapping
from heapq import heappop, heappush
from typing import NamedTuple

from lear.chart import Budget
from lear.decoding import Instruction, Program
from lear.errors import SearchLimitError
from lear.grammar import Candidate, CategoryLeaf, Grammar, Skeleton, Words
from lear.lookahead import NO_LOOKAHEAD, Lookahead


class Found(NamedTuple):
    """The best way to a category over a span."""

    score: float
    begin: int
    end: int
    category: int
    operation: str | None
    """None at a leaf."""
    children: tuple["Found", ...]
    rank: int = 0
    """Which of the primitives behind a leaf."""


LeafChoice = tuple[float, int]
"""Score and rank of the best primitive behind a leaf."""
NO_CHOICE: Mapping[CategoryLeaf, LeafChoice] = {}
Application = tuple[float, str, int]
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
        self.shape = grammar.categories.domain.shape
        self.budget = budget
        self._unary: dict[tuple[Words, int, Words], tuple[Application, ...]] = {}
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
            found
            for found in _Pass(self, skeleton, leaves).run()
            if self.grammar.categories.is_complete(found.category)
        ]
        if not roots:
            return None
        best = max(roots, key=lambda found: found.score)
        return Program(best.score, _instructions(best))

    def unary(self, before: Words, category: int, after: Words) -> tuple[Application, ...]:
        """What can be built of one constituent and words around it."""
        key = (before, category, after)
        known = self._unary.get(key)
        if known is None:
            found = self.grammar.unary_applications(before, category, after)
            known = self._unary[key] = self._best_of(found)
        return known

    def binary(self, between: Words, right: int) -> "_Lefts":
        """What can be built of a constituent, words before it, and any constituent before them."""
        key = (between, right)
        known = self._binary.get(key)
        if known is None:
            known = self._binary[key] = _Lefts(self, between, right)
        return known

    def best_binary(self, left: int, between: Words, right: int) -> tuple[Application, ...]:
        """What can be built of two constituents and words between them."""
        return self._best_of(self.grammar.binary_applications(left, between, right))

    def _best_of(self, applications: tuple[tuple[int, int], ...]) -> tuple[Application, ...]:
        """For each result only the best rule: the others can never win."""
        best: dict[int, Application] = {}
        for rule, result in applications:
            score = self.score(rule)
            if result not in best or score > best[result][0]:
                best[result] = (score, self.grammar.rules[rule].operation, result)
        return tuple(best.values())


class _Lefts(dict[int, tuple[Application, ...]]):
    """Left constituent -> what can be built, found out when first asked for."""

    def __init__(self, tables: Viterbi, between: Words, right: int) -> None:
        super().__init__()
        self.tables, self.between, self.right = tables, between, right

    def __missing__(self, left: int) -> tuple[Application, ...]:
        found = self[left] = self.tables.best_binary(left, self.between, self.right)
        return found


class _Pass:
    """One sentence from left to right."""

    def __init__(
        self, tables: Viterbi, skeleton: Skeleton, choices: Mapping[CategoryLeaf, LeafChoice]
    ) -> None:
        self.tables = tables
        self.choices = choices
        self.words = skeleton.words
        self.leaves: dict[int, list[CategoryLeaf]] = {}
        for leaf in skeleton.leaves:
            self.leaves.setdefault(leaf.end, []).append(leaf)
        # What ends at each boundary, by category: one look-up serves all of a category.
        self.ended: list[dict[int, list[Found]]] = [{} for _ in range(len(self.words) + 1)]
        self.cells: dict[int, dict[int, Found]] = {}
        self.pending: list[int] = []  # heap of -begin, so that short spans come first
        self.combinations = 0
        self.before, self.after = tables.lookahead.neighbours(skeleton)
        self.fits_before, self.fits_after = tables.lookahead.before, tables.lookahead.after

    def run(self) -> Iterable[Found]:
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
        if not (self.tables.shape.after or all(w is not None for w in self.words[end:])):
            return
        for after in range(1, min(end, self.tables.shape.beside) + 1):
            if self.words[end - after] is None:
                return
            for items in self.ended[end - after].values():
                for item in items:
                    self._unary(item, end, after)

    def _unary(self, item: Found, end: int, after: int) -> None:
        words = self.words
        for before in range(0 if after else 1, self.tables.shape.beside - after + 1):
            begin = item.begin - before
            if begin < 0 or (before and words[begin] is None):
                return
            applications = self.tables.unary(
                words[begin : item.begin], item.category, words[item.end : end]
            )
            for score, operation, result in applications:
                self._keep(score + item.score, begin, end, result, operation, (item,))

    def _binary(self, item: Found) -> None:
        _, begin, end, category, _, _, _ = item
        words, tables = self.words, self.tables
        for gap in range(tables.shape.between + 1):
            middle = begin - gap
            if middle <= 0 or (gap and words[middle] is None):
                return
            built = tables.binary(words[middle:begin], category)
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
        children: tuple[Found, ...],
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
        known = cell.get(category)
        if known is None or score > known.score:
            cell[category] = Found(score, begin, end, category, operation, children, rank)

    def _count(self, combinations: int) -> None:
        self.combinations += combinations
        if self.combinations > self.tables.budget.combinations:
            raise SearchLimitError(
                f"sentence of {len(self.words)} tokens: "
                f"no answer within {self.tables.budget.combinations} combinations"
            )


def _instructions(root: Found) -> tuple[Instruction, ...]:
    reverse: list[Instruction] = []
    stack = [root]
    while stack:
        found = stack.pop()
        if found.operation is None:
            leaf = CategoryLeaf(found.begin, found.end, found.category)
            reverse.append(Candidate(leaf, found.rank))
        else:
            reverse.append((found.operation, len(found.children), found.begin, found.end))
            stack.extend(found.children)
    return tuple(reversed(reverse))
