"""What can be built of constituents, with scores: found out and scored when first asked for.

Everything is kept in tables of numbers, so that a search can look up many steps at once. A gap is a
run of function words, numbered as it is met; number 0 is the empty one.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from lear.grammar.grammar import Grammar
from lear.grammar.rules import Rule, word_part
from lear.grammar.sentence_reading import Words
from lear.search.growing_array import GrowingArray, GrowingGrid
from lear.search.legal_combinations import NOTHING, UNKNOWN, LegalCombinations, distinct
from lear.search.legal_table import LegalTable
from lear.search.rule_numbers import NumberedRules, Parts, RuleNumbers
from lear.search.sentence_grid import NO_GAP, Ints, spread

NEVER = float("-inf")
NO_STEPS = 1
"""The row without steps."""
ListedSteps = list[tuple[int, float, int]]
"""Steps with their scores and results, one by one."""
MAX_LISTED = 50_000
"""What single constituents allow is remembered for so many of them, in about 10 MB."""


class ScoreRules(Protocol):
    """What tells how good rules are."""

    @property
    def numbers(self) -> RuleNumbers:
        """The numbers by which it knows rules."""

    def scores(self, rules: NumberedRules) -> NDArray[np.floating]:
        """The scores of rules; minus infinity for rules that are none."""

    def by_member(self, rules: NumberedRules) -> NDArray[np.floating]:
        """The same by each of K members of a model, (K, rules)."""


class ScoredGrammar:
    """A grammar whose rules have scores.

    A row is the list of steps that some constituents and gaps allow: `row_begin` and `row_size` say
    where its steps are in `step_score` and `step_result`.
    """

    def __init__(
        self, grammar: Grammar, scorer: ScoreRules, legal: LegalTable | None = None
    ) -> None:
        """Nothing found out yet; what a table says is legal need not be."""
        self.grammar = grammar
        self.shape = grammar.shape
        self._scorer = scorer
        self._numbers = scorer.numbers
        self._only = None if grammar.only is None else set(map(self._numbers.number, grammar.only))
        self._legal = LegalCombinations(grammar.categories, self._numbers, legal)
        self._gaps: list[Parts] = [()]
        self._gap_numbers: dict[Words, int] = {(): 0}
        self._frames: list[tuple[int, int]] = [(0, 0)]  # gaps before and after one constituent
        self._frame_numbers = GrowingGrid()  # by these gaps
        self._prefixes = GrowingGrid()  # by symbol and the gap behind it
        self._binary_rows = GrowingGrid()  # by group and gap
        self._unary_rows = GrowingGrid()  # by category and frame
        self._steps_of: dict[tuple[int, ...], ListedSteps] = {}  # of what loops have asked for
        self.row_begin, self.row_size = GrowingArray(np.int64), GrowingArray(np.int64)
        for column in (self.row_begin, self.row_size):
            column.reach(NO_STEPS + 1)
        self.step_score, self.step_result = GrowingArray(np.float64), GrowingArray(np.int64)
        self._step_rules = tuple(GrowingArray(np.int64) for _ in NumberedRules._fields)

    @property
    def num_rules(self) -> int:
        """How many rules it has met, and remembers."""
        return self.step_score.size

    def rule(self, step: int) -> Rule:
        """The rule of a step."""
        operation, prefix, last = (column.values.item(step) for column in self._step_rules)
        return self._numbers.rule(operation, prefix, last)

    def operation(self, step: int) -> str:
        """The operation of a step."""
        return self._numbers.operations[int(self._step_rules[0].values[step])]

    def member_scores(self, steps: Ints) -> NDArray[np.floating]:
        """The scores of the rules of steps by each member, (K, n)."""
        rules = NumberedRules(*(column.values[steps] for column in self._step_rules))
        return self._scorer.by_member(self._scored_as(rules)).astype(np.float64)

    def is_complete(self, category: int) -> bool:
        """Whether meanings of a category can be answers."""
        return self.grammar.categories.is_complete(category)

    def gap_number(self, words: Words) -> int:
        """The number of a run of function words; `NO_GAP` if one of them is none."""
        number = self._gap_numbers.get(words)
        if number is None:
            if None in words:
                return NO_GAP
            number = self._gap_numbers[words] = len(self._gaps)
            self._gaps.append(tuple(map(word_part, words)))
        return number

    def pairs(self, left: Ints, right: Ints) -> Ints:
        """What is legal on pairs of constituents: groups of `LegalCombinations`."""
        return self._legal.of_two(left, right)

    def binary_rows(self, pairs: Ints, gaps: Ints) -> Ints:
        """What can be built of legal pairs with gaps between them: numbers of rows."""
        self._binary_rows.reach(self._legal.num_groups, len(self._gaps))
        rows: Ints = self._binary_rows.cells[pairs, gaps]
        (new,) = np.nonzero(rows == UNKNOWN)
        if len(new):
            group, gap = distinct(pairs[new], gaps[new])
            which, combination = self._combinations(group)
            prefix = self._prefixes_of(self._legal.first.values[combination], gap[which])
            last = self._legal.last.values[combination]
            added = self._add_rows(len(group), which, combination, prefix, last)
            self._binary_rows.put(group, gap, added)
            rows = self._binary_rows.cells[pairs, gaps]
        return rows

    def unary_rows(self, category: Ints, before: Ints, after: Ints) -> Ints:
        """What can be built of one constituent and gaps around it: numbers of rows."""
        frames = self._frames_of(before, after)
        self._unary_rows.reach(self.grammar.categories.num_categories, len(self._frames))
        rows: Ints = self._unary_rows.cells[category, frames]
        (new,) = np.nonzero(rows == UNKNOWN)
        if len(new):
            number, frame = distinct(category[new], frames[new])
            which, combination = self._combinations(self._legal.of_one(number))
            symbols = self._legal.first.values[combination].tolist()
            yields = self._yields_of(symbols, frame[which].tolist())
            added = self._add_rows(len(number), which, combination, *yields)
            self._unary_rows.put(number, frame, added)
            rows = self._unary_rows.cells[category, frames]
        return rows

    def binary_steps(self, left: int, right: int, gap: int) -> ListedSteps:
        """What can be built of one pair of constituents with a gap between them."""
        steps = self._steps_of.get((left, right, gap))
        if steps is None:
            pairs = self.pairs(np.array([left]), np.array([right]))
            is_legal = pairs.item() != NOTHING
            row = self.binary_rows(pairs, np.array([gap])).item() if is_legal else NO_STEPS
            steps = self._listed((left, right, gap), row)
        return steps

    def unary_steps(self, category: int, before: int, after: int) -> ListedSteps:
        """What can be built of one constituent with gaps around it."""
        key = category, before, after, 1  # one number more than pairs have
        steps = self._steps_of.get(key)
        if steps is None:
            gaps = np.array([before]), np.array([after])
            steps = self._listed(key, self.unary_rows(np.array([category]), *gaps).item())
        return steps

    def _listed(self, key: tuple[int, ...], row: int) -> ListedSteps:
        """The steps of a row; remembered by a key."""
        if len(self._steps_of) >= MAX_LISTED:
            self._steps_of.clear()
        begin = self.row_begin.values.item(row)
        steps = range(begin, begin + self.row_size.values.item(row))
        score, result = self.step_score.values.item, self.step_result.values.item
        self._steps_of[key] = [(step, score(step), result(step)) for step in steps]
        return self._steps_of[key]

    def _combinations(self, group: Ints) -> tuple[Ints, Ints]:
        """All that is legal on groups: the place of the group, and the combination's number."""
        which, offset = spread(self._legal.size.values[group])
        return which, self._legal.begin.values[group][which] + offset

    def _frames_of(self, before: Ints, after: Ints) -> Ints:
        """The numbers of pairs of gaps."""
        self._frame_numbers.reach(len(self._gaps), len(self._gaps))
        frames: Ints = self._frame_numbers.cells[before, after]
        (new,) = np.nonzero(frames == UNKNOWN)
        if len(new):
            pairs = distinct(before[new], after[new])
            self._frame_numbers.put(*pairs, len(self._frames) + np.arange(len(pairs[0])))
            self._frames += zip(*(gaps.tolist() for gaps in pairs), strict=True)
            frames = self._frame_numbers.cells[before, after]
        return frames

    def _prefixes_of(self, symbol: Ints, gap: Ints) -> Ints:
        """The beginnings of yields: a symbol and the words behind it."""
        self._prefixes.reach(len(self._numbers.parts), len(self._gaps))
        prefixes: Ints = self._prefixes.cells[symbol, gap]
        (new,) = np.nonzero(prefixes == UNKNOWN)
        if len(new):
            symbols, gaps = distinct(symbol[new], gap[new])
            numbers = [
                self._numbers.prefix((self._numbers.parts[number], *self._gaps[words]))
                for number, words in zip(symbols.tolist(), gaps.tolist(), strict=True)
            ]
            self._prefixes.put(symbols, gaps, numbers)
            prefixes = self._prefixes.cells[symbol, gap]
        return prefixes

    def _yields_of(self, symbols: list[int], frames: list[int]) -> tuple[Ints, Ints]:
        """Symbols with words around them: prefixes, and last parts."""
        prefixes, lasts = list[int](), list[int]()
        for symbol, frame in zip(symbols, frames, strict=True):
            before, after = (self._gaps[gap] for gap in self._frames[frame])
            parts = (*before, self._numbers.parts[symbol], *after)
            prefixes.append(self._numbers.prefix(parts[:-1]))
            lasts.append(self._numbers.part(parts[-1]))
        return np.array(prefixes, dtype=np.int64), np.array(lasts, dtype=np.int64)

    def _add_rows(
        self, num_rows: int, row: Ints, combination: Ints, prefix: Ints, last: Ints
    ) -> Ints:
        """The numbers of so many new rows, or `NO_STEPS`.

        Args:
            num_rows: How many rows.
            row: Which of them each step is in.
            combination: What each step does.
            prefix: With the last part the yield of its rule.
            last: That part.
        """
        rules = NumberedRules(self._legal.operation.values[combination], prefix, last)
        scored = self._scored_as(rules)
        if self._only is not None:
            triples = zip(*(column.tolist() for column in scored), strict=True)
            (kept,) = np.nonzero([rule in self._only for rule in triples])
            rules, row, combination = rules.where(kept), row[kept], combination[kept]
            scored = scored.where(kept)
        scores = self._scorer.scores(scored)
        (kept,) = np.nonzero(scores > NEVER)
        sizes = np.bincount(row[kept], minlength=num_rows)
        (filled,) = np.nonzero(sizes)
        numbers = np.full(num_rows, NO_STEPS)
        numbers[filled] = self.row_size.size + np.arange(len(filled))
        ends = self.step_score.size + np.cumsum(sizes[filled])
        self.row_begin.extend(ends - sizes[filled])
        self.row_size.extend(sizes[filled])
        self.step_score.extend(scores[kept])
        self.step_result.extend(self._legal.result.values[combination[kept]])
        for column, values in zip(self._step_rules, rules.where(kept), strict=True):
            column.extend(values)
        return numbers

    def _scored_as(self, rules: NumberedRules) -> NumberedRules:
        """The rules that rules are the same as to a model."""
        if self.grammar.categories.domain.syntax.scored_as is None:
            return rules
        triples = zip(*(column.tolist() for column in rules), strict=True)
        return self._numbers.columns(
            self.grammar.scored_as(self._numbers.rule(*triple)) for triple in triples
        )
