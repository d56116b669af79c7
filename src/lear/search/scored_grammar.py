"""What can be built of constituents, with scores: found out and scored when first asked for."""

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from lear.grammar.grammar import Application, Grammar
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import Words

ScoredApplication = tuple[float, str, int]
"""Score of a rule, its operation, and the resulting category."""
ScoreRules = Callable[[Sequence[Rule]], Sequence[float]]
"""The scores of some rules; minus infinity for rules that are none."""
NEVER = float("-inf")


class Lefts(NamedTuple):
    """The left constituents of one right constituent, with the words between them."""

    met: set[int]
    """Those that were asked for."""
    built: dict[int, tuple[ScoredApplication, ...]]
    """Those of them with which something can be built, and what."""


class ScoredGrammar:
    """A grammar whose rules have scores."""

    def __init__(self, grammar: Grammar, score: ScoreRules) -> None:
        self.grammar = grammar
        self.shape = grammar.shape
        self._score = score
        self._scores: list[float] = []  # by the numbers of rules
        self._unary: dict[tuple[Words, int, Words], tuple[ScoredApplication, ...]] = {}
        self._binary: dict[tuple[Words, int], Lefts] = {}
        # Right constituent -> the left ones met so far, and those with which it combines.
        self._pairs: dict[int, tuple[set[int], set[int]]] = {}

    def unary(self, before: Words, category: int, after: Words) -> tuple[ScoredApplication, ...]:
        """What can be built of one constituent and words around it."""
        key = (before, category, after)
        scored = self._unary.get(key)
        if scored is None:
            applications = self.grammar.unary_applications(before, category, after)
            self._score_new_rules()
            scored = self._unary[key] = self._best_of(applications)
        return scored

    def binary(self, between: Words, right: int) -> Lefts:
        """What can be built of a constituent, words before it, and any constituent before them."""
        key = (between, right)
        lefts = self._binary.get(key)
        if lefts is None:
            lefts = self._binary[key] = Lefts(set(), {})
        return lefts

    def meet(self, new: Iterable[tuple[Lefts, AbstractSet[int], Words, int]]) -> None:
        """Find out what can be built with left constituents that were not met before.

        Args:
            new: For some `Lefts`: the new categories, the words between, and the right category.
        """
        apply = self.grammar.binary_applications
        found = []
        for lefts, categories, between, right in new:
            lefts.met.update(categories)
            for left in categories & self._legal_lefts(categories, right):
                applications = apply(left, between, right)
                if applications:
                    found.append((lefts.built, left, applications))
        self._score_new_rules()
        for built, left, applications in found:
            if scored := self._best_of(applications):
                built[left] = scored

    def _legal_lefts(self, categories: AbstractSet[int], right: int) -> AbstractSet[int]:
        """The left constituents with which something can be built, whatever words are between."""
        met, legal = self._pairs.setdefault(right, (set(), set()))
        new = categories - met
        if new:
            met |= new
            combinations = self.grammar.categories.combinations
            legal.update(left for left in new if combinations((left, right)))
        return legal

    def _score_new_rules(self) -> None:
        """Score the rules that the grammar has numbered since the last time, all at once."""
        new = self.grammar.rules[len(self._scores) :]
        if new:
            self._scores.extend(self._score(new))

    def _best_of(self, applications: tuple[Application, ...]) -> tuple[ScoredApplication, ...]:
        """For each result only the best rule: the others can never win."""
        best: dict[int, ScoredApplication] = {}
        for rule, result in applications:
            score = self._scores[rule]
            if score > NEVER and (result not in best or score > best[result][0]):
                best[result] = (score, self.grammar.rules[rule].operation, result)
        return tuple(best.values())
