"""Scores of rules without a network: any numbers will do for laws of search."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lear.forest.scored_grammar import NumberedRules, RuleNumbers
from lear.grammar.rules import Rule


class RandomScores:
    """Scores of rules, drawn when they are first asked for, and the same from then on."""

    def __init__(self, seed: int, members: int = 1) -> None:
        self._rng = np.random.default_rng(seed)
        self._members = members
        self.are_equal = False
        """Whether all rules score the same, so that ties are everywhere."""
        self.numbers = RuleNumbers()
        self._scores: dict[Rule, NDArray[np.float64]] = {}

    def of_members(self, rules: Sequence[Rule]) -> NDArray[np.float64]:
        """The score of each rule by each member, (K, R)."""
        for rule in rules:
            if rule not in self._scores:
                scores = self._rng.normal(size=self._members)
                self._scores[rule] = np.zeros_like(scores) if self.are_equal else scores
        columns = [self._scores[rule] for rule in rules]
        return np.array(columns).reshape(len(rules), self._members).T

    def __call__(self, rules: Sequence[Rule]) -> list[float]:
        """The mean over members."""
        scores: list[float] = self.of_members(rules).mean(axis=0).tolist()
        return scores

    def scores(self, rules: NumberedRules) -> NDArray[np.float64]:
        """The same for rules in numbers."""
        means: NDArray[np.float64] = self.by_member(rules).mean(axis=0)
        return means

    def by_member(self, rules: NumberedRules) -> NDArray[np.float64]:
        """The same by each member, (K, R)."""
        columns = (column.tolist() for column in rules)
        return self.of_members(list(map(self.numbers.rule, *columns)))
