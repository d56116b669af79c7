"""Parsing with a trained model: the best legal derivation by chart, or the paper's greedy merging.

With typed symbols derivations are looked for first among the rules that training derivations use,
which are few; only where these give none are all legal rules tried, scored by the network. A result
depends on the skeleton only, so it is remembered: most sentences cost a dictionary look-up.
"""

from collections.abc import Iterable, Sequence
from functools import partial

import torch

from lear.categories import CategoryTable
from lear.chart import DEFAULT_BUDGET, Budget
from lear.decoding import Program, best_programs
from lear.errors import SearchLimitError
from lear.grammar import Analyser, Grammar, Reading, Skeleton
from lear.lookahead import Lookahead
from lear.model.cells import NONE, Machine
from lear.model.network import Network
from lear.model.policy import SiteTable, roll_out
from lear.model.replay import program_of, steps_of
from lear.model.rule_scores import rule_scores
from lear.rules import Rule
from lear.viterbi import Viterbi


class ChartDecoder:
    """Best programs for skeletons, with typed symbols."""

    def __init__(
        self,
        network: Network,
        categories: CategoryTable,
        rules: tuple[Rule, ...],
        leaves: Iterable[int],
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        self.network = network
        self.budget = budget
        self.grammars = (Grammar(categories, rules), Grammar(categories))
        small, whole = self.grammars
        gaps = {tuple(part for part in rule.parts if not part.startswith("[")) for rule in rules}
        lookahead = Lookahead.of(small, leaves, {(), *gaps})
        self.fast = (
            Viterbi(small, partial(self._score, small), budget, lookahead),
            Viterbi(whole, partial(self._score, whole), budget),
        )
        self._scores = dict(zip(rules, self._network_scores(rules), strict=True))
        self._known: dict[Skeleton, Program | None] = {}

    def best_of_each(self, readings: Sequence[Reading]) -> list[Program | None]:
        """The best derivation of each sentence, None where there is none or the budget ran out."""
        return [self._best_or_none(reading.skeleton) for reading in readings]

    def _best_or_none(self, skeleton: Skeleton) -> Program | None:
        try:
            return self.best(skeleton)
        except SearchLimitError:
            return None

    def best(self, skeleton: Skeleton) -> Program | None:
        """The best derivation, or None if there is none. Raises `SearchLimitError`."""
        if skeleton not in self._known:
            found = (viterbi.best(skeleton) for viterbi in self.fast)
            self._known[skeleton] = next((program for program in found if program), None)
        return self._known[skeleton]

    def best_of(self, skeleton: Skeleton, count: int) -> list[Program]:
        """The `count` best derivations over all legal rules, best first."""
        grammar = self.grammars[1]
        chart = grammar.chart(skeleton, self.budget)
        scores = [self._score(grammar, number) for number in range(len(grammar.rules))]
        return best_programs(grammar, chart, scores, _no_score, count)

    def _score(self, grammar: Grammar, number: int) -> float:
        rule = grammar.rules[number]
        if rule not in self._scores:
            self._scores[rule] = self._network_scores((rule,))[0]
        return self._scores[rule]

    def _network_scores(self, rules: tuple[Rule, ...]) -> list[float]:
        known = [rule for rule in rules if self._is_expressible(rule)]
        scores: dict[Rule, float] = {}
        if known:
            with torch.no_grad():
                scores = dict(zip(known, rule_scores(self.network, known).tolist(), strict=True))
        return [scores.get(rule, float("-inf")) for rule in rules]

    def _is_expressible(self, rule: Rule) -> bool:
        """Whether the network knows every symbol; a sentence may have a category of its own."""
        symbols = self.network.vocabulary.symbol_numbers
        return all(p[1:-1] in symbols for p in rule.parts if p.startswith("["))


class GreedyDecoder:
    """The paper's decoding, for latent symbols: the most likely step each time."""

    def __init__(self, network: Network, analyser: Analyser) -> None:
        self.machine = Machine(analyser, network.config, network.vocabulary)
        self.table = SiteTable(self.machine, network)

    def best_of_each(self, readings: Sequence[Reading]) -> list[Program | None]:
        """The derivation that each sentence is led to, None at a dead end."""
        record = roll_out(self.table, [reading.tokens for reading in readings], None)
        finals = record.final.tolist()
        return [
            program_of(self.machine, reading, steps, score)
            if final != NONE and self.machine.is_answer(final)
            else None
            for reading, steps, score, final in zip(
                readings, steps_of(record), record.log_probs.tolist(), finals, strict=True
            )
        ]


def _no_score(leaf: object) -> float:
    del leaf
    return 0.0
