"""Parsing with a trained model: the best legal derivation by chart, or the paper's greedy merging.

With typed symbols derivations are looked for first among the rules that training derivations use,
which are few; only where these give none are all legal rules tried, scored by the network. Without
lexical choices a result depends on the skeleton only, and is remembered: most sentences cost a
dictionary look-up.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import torch

from lear.categories import CategoryTable
from lear.chart import DEFAULT_BUDGET, Budget
from lear.decoding import Instruction, Program, best_programs
from lear.errors import SearchLimitError
from lear.grammar import Analyser, CategoryLeaf, Grammar, Reading, Skeleton
from lear.lookahead import Lookahead
from lear.model.cells import Machine
from lear.model.lexical import LexicalDraws, leaf_log_probs
from lear.model.network import Network
from lear.model.policy import SiteTable, roll_out
from lear.model.rule_scores import rule_scores
from lear.rules import Rule
from lear.viterbi import NO_CHOICE, LeafChoice, Viterbi

LeafLogProbs = dict[CategoryLeaf, list[float]]


class Decoded(NamedTuple):
    """What a decoder found for a sentence."""

    program: Program | None
    reason: str = ""
    """Why there is no program."""


LARGEST_MACHINE = 60_000
"""Nodes, cells and words that a greedy decoder remembers between batches."""
NOTHING = Decoded(None, "no derivation")


class ChartDecoder:
    """Best programs for sentences, with typed symbols."""

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
        lookahead = Lookahead.of(small, leaves, {(), *(rule.words for rule in rules)})
        self.num_unfit = len(rules) - len(small.rules)
        """Rules that no phrase of the domain can be put together by."""
        self.fast = (
            Viterbi(small, partial(self._score, small), budget, lookahead),
            Viterbi(whole, partial(self._score, whole), budget),
        )
        self._scores = dict(zip(rules, self._network_scores(rules), strict=True))
        self._known: dict[Skeleton, Decoded] = {}

    def best_of_each(self, readings: Sequence[Reading]) -> list[Decoded]:
        """The best derivation of each sentence, or why there is none."""
        leaves = leaf_log_probs(self.network, readings)
        return [self._decode(*pair) for pair in zip(readings, leaves, strict=True)]

    def _decode(self, reading: Reading, leaves: LeafLogProbs) -> Decoded:
        skeleton = reading.skeleton
        if not leaves:
            if skeleton not in self._known:
                self._known[skeleton] = self._search(skeleton, NO_CHOICE)
            return self._known[skeleton]
        best = {
            leaf: max((value, -rank) for rank, value in enumerate(values))
            for leaf, values in leaves.items()
        }
        choices = {leaf: (value, -rank) for leaf, (value, rank) in best.items()}
        return self._search(skeleton, choices)

    def _search(self, skeleton: Skeleton, choices: Mapping[CategoryLeaf, LeafChoice]) -> Decoded:
        try:
            for viterbi in self.fast:
                program = viterbi.best(skeleton, choices)
                if program is not None:
                    return Decoded(program)
        except SearchLimitError as error:
            return Decoded(None, str(error))
        return NOTHING

    def best_of(self, reading: Reading, count: int) -> list[Program]:
        """The `count` best derivations, those by rules in use before the others, best first."""
        (leaves,) = leaf_log_probs(self.network, [reading])
        found: dict[tuple[Instruction, ...], Program] = {}
        for grammar in self.grammars:
            if len(found) < count:
                chart = grammar.chart(reading.skeleton, self.budget)
                scores = [self._score(grammar, number) for number in range(len(grammar.rules))]
                for program in best_programs(
                    grammar, chart, scores, lambda leaf: leaves.get(leaf, (0.0,)), count
                ):
                    found.setdefault(program.instructions, program)
        return list(found.values())[:count]

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
        return all(symbol in symbols for symbol in rule.symbols)


class GreedyDecoder:
    """The paper's decoding: the most likely step each time."""

    def __init__(self, network: Network, analyser: Analyser) -> None:
        self.network = network
        self.analyser = analyser
        self._table = self._new_table()

    def _new_table(self) -> SiteTable:
        machine = Machine(self.analyser, self.network.config, self.network.vocabulary)
        return SiteTable(machine, self.network)

    def best_of_each(self, readings: Sequence[Reading]) -> list[Decoded]:
        """The derivation that each sentence is led to, or that it is a dead end."""
        # Nodes of sentences do not come again; and whatever comes, memory has a bound.
        is_local = self.network.config.encoder == "tree"
        if not is_local or self._table.machine.size > LARGEST_MACHINE:
            self._table = self._new_table()
        machine = self._table.machine
        draws = LexicalDraws.of(self.network, readings, 1, None)
        record = roll_out(self._table, draws, None)
        answers = record.answers(machine)
        programs = {
            row: record.tree_table.program(
                tree, machine.operation_names, draws.candidate, float(record.log_probs[row])
            )
            for row, tree in answers.items()
        }
        return [
            Decoded(programs[row]) if row in programs else NOTHING for row in range(len(readings))
        ]
