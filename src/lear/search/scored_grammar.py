"""What can be built of constituents, with scores: found out and scored when first asked for.

Everything is kept in tables of numbers, so that a search can look up many steps at once. A gap is a
run of function words, numbered as it is met; number 0 is the empty one.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from lear.core.algebra import Meaning
from lear.grammar.grammar import Application, Grammar
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import Words
from lear.search.growing_array import GrowingArray, GrowingGrid

ScoreRules = Callable[[Sequence[Rule]], Sequence[float]]
"""The scores of some rules; minus infinity for rules that are none."""
Ints = NDArray[np.integer]
NEVER = float("-inf")
UNKNOWN, ILLEGAL = -1, -2
"""In place of numbers in the tables."""


class ScoredGrammar:
    """A grammar whose rules have scores.

    A row is the list of steps that some constituents and gaps allow: `row_begin` and `row_size` say
    where its steps are in `step_rule`, `step_score` and `step_result`. Row 0 has none.
    """

    def __init__(self, grammar: Grammar, score: ScoreRules) -> None:
        self.grammar = grammar
        self.shape = grammar.shape
        self._score = score
        self._scores: list[float] = []  # by the numbers of rules
        self._gaps: list[Words] = [()]
        self._gap_numbers: dict[Words, int] = {(): 0}
        self._frames: dict[tuple[int, int], int] = {}  # gaps before and after one constituent
        self._pair_numbers = GrowingGrid(UNKNOWN)  # by left and right category
        self._pairs: list[tuple[int, int]] = []
        self._joints: list[tuple[int, int]] = []  # by category, on the left and on the right
        self._binary_rows = GrowingGrid(UNKNOWN)  # by pair and gap
        self._unary_rows = GrowingGrid(UNKNOWN)  # by category and frame
        self.row_begin, self.row_size = GrowingArray(np.int32), GrowingArray(np.int32)
        self.step_score = GrowingArray(np.float64)
        self.step_rule, self.step_result = GrowingArray(np.int32), GrowingArray(np.int32)
        self.row_begin.extend([0])
        self.row_size.extend([0])

    def gap_number(self, words: Words) -> int:
        """The number of a run of function words; -1 if one of them is none."""
        number = self._gap_numbers.get(words)
        if number is None:
            if None in words:
                return UNKNOWN
            number = self._gap_numbers[words] = len(self._gaps)
            self._gaps.append(words)
        return number

    def unary_rows(self, category: Ints, before: Ints, after: Ints) -> NDArray[np.int32]:
        """What can be built of one constituent and gaps around it: numbers of rows."""
        width = len(self._gaps)
        codes, places = np.unique(before.astype(np.int64) * width + after, return_inverse=True)
        pairs = [divmod(code, width) for code in codes.tolist()]
        frames = np.array(
            [self._frames.setdefault(pair, len(self._frames)) for pair in pairs], dtype=np.int32
        )[places]
        self._unary_rows.reach(self.grammar.categories.num_categories, len(self._frames))
        rows = self._unary_rows.cells[category, frames]
        new = rows == UNKNOWN
        if new.any():
            gap_pairs = list(self._frames)
            wanted = _distinct(category[new], frames[new])
            found = []
            for number, frame in wanted:
                before_gap, after_gap = (self._gaps[gap] for gap in gap_pairs[frame])
                found.append(self.grammar.unary_applications(before_gap, number, after_gap))
            self._score_new_rules()
            self._unary_rows.put(wanted, self._add_rows(found))
            rows = self._unary_rows.cells[category, frames]
        return rows

    def pairs(self, left: Ints, right: Ints) -> NDArray[np.int32]:
        """The numbers of pairs of constituents, `ILLEGAL` where nothing can be built of them."""
        count = self.grammar.categories.num_categories
        self._pair_numbers.reach(count, count)
        numbers = self._pair_numbers.cells[left, right]
        new = numbers == UNKNOWN
        if new.any():
            self._number_pairs(_distinct(left[new], right[new]))
            numbers = self._pair_numbers.cells[left, right]
        return numbers

    def _number_pairs(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Find out which of some new pairs are legal, and number these."""
        categories = self.grammar.categories
        joints = categories.domain.syntax.joints or _any_joint
        for number in range(len(self._joints), categories.num_categories):
            self._joints.append(joints(categories.example(number)))
        by_category, combinations = self._joints, categories.combinations
        numbers = [ILLEGAL] * len(pairs)
        for place, pair in enumerate(pairs):
            left, right = pair
            if by_category[left][0] & by_category[right][1] and combinations(pair):
                numbers[place] = len(self._pairs)
                self._pairs.append(pair)
        self._pair_numbers.put(pairs, numbers)

    def binary_rows(self, pairs: Ints, gaps: Ints) -> NDArray[np.int32]:
        """What can be built of pairs of constituents with gaps between them: numbers of rows."""
        self._binary_rows.reach(len(self._pairs), len(self._gaps))
        rows = self._binary_rows.cells[pairs, gaps]
        new = rows == UNKNOWN
        if new.any():
            apply = self.grammar.binary_applications
            wanted = _distinct(pairs[new], gaps[new])
            found = []
            for pair, gap in wanted:
                left, right = self._pairs[pair]
                found.append(apply(left, self._gaps[gap], right))
            self._score_new_rules()
            self._binary_rows.put(wanted, self._add_rows(found))
            rows = self._binary_rows.cells[pairs, gaps]
        return rows

    def _score_new_rules(self) -> None:
        """Score the rules that the grammar has numbered since the last time, all at once."""
        new = self.grammar.rules[len(self._scores) :]
        if new:
            self._scores.extend(self._score(new))

    def _add_rows(self, found: Sequence[tuple[Application, ...]]) -> list[int]:
        """New rows, or the empty one."""
        scores = self._scores
        numbers, sizes, begins = list[int](), list[int](), list[int]()
        steps: list[Application] = []
        for applications in found:
            legal = [step for step in applications if scores[step[0]] > NEVER]
            if legal:
                numbers.append(self.row_begin.size + len(sizes))
                begins.append(self.step_rule.size + len(steps))
                sizes.append(len(legal))
                steps += legal
            else:
                numbers.append(0)
        self.row_begin.extend(begins)
        self.row_size.extend(sizes)
        self.step_rule.extend([rule for rule, _ in steps])
        self.step_result.extend([result for _, result in steps])
        self.step_score.extend([scores[rule] for rule, _ in steps])
        return numbers


def _any_joint(meaning: Meaning) -> tuple[int, int]:
    """Where a domain does not tell what can be joined: everything with everything."""
    del meaning
    return 1, 1


def _distinct(first: Ints, second: Ints) -> list[tuple[int, int]]:
    """The different pairs of numbers, in the order in which they come first."""
    return list(dict.fromkeys(zip(first.tolist(), second.tolist(), strict=True)))
