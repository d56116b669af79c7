"""Parsing with a trained model: the best legal derivation by chart, or the paper's greedy merging.

With typed symbols derivations are looked for first among the rules that training derivations use,
which are few; only where these give none are all legal rules tried, scored by the network. Without
lexical choices a result depends on the skeleton only, and is remembered: most sentences cost a
dictionary look-up.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from lear.categories import CategoryTable
from lear.chart import DEFAULT_BUDGET, Budget
from lear.decoding import Instruction, Program, best_programs
from lear.errors import SearchLimitError
from lear.grammar import Analyser, CategoryLeaf, Grammar, Reading, Skeleton
from lear.lookahead import Lookahead
from lear.model.cells import Machine
from lear.model.lexical import LexicalDraws, leaf_scores
from lear.model.network import Network
from lear.model.policy import SiteTable, roll_out
from lear.model.rule_scorer import RuleScorer
from lear.model.rule_scores import is_expressible, network_scores
from lear.rules import Rule
from lear.viterbi import NO_CHOICE, LeafChoice, Viterbi

LeafScores = dict[CategoryLeaf, list[float]]


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
        whole = Grammar(categories)
        self.grammars: tuple[Grammar, ...] = (whole,)
        self.fast: tuple[Viterbi, ...] = (Viterbi(whole, partial(self._score, whole), budget),)
        self.num_unfit = 0
        """Rules that no phrase of the domain can be put together by."""
        if network.config.search == "used":
            small = Grammar(categories, rules)
            lookahead = Lookahead.of(small, leaves, {(), *(rule.words for rule in rules)})
            self.num_unfit = len(rules) - len(small.rules)
            self.grammars = (small, whole)
            used = Viterbi(small, partial(self._score, small), budget, lookahead)
            self.fast = (used, *self.fast)
        self._scores = dict(zip(rules, network_scores(network, rules), strict=True))
        self._scorer = RuleScorer(network)
        self._known: dict[Skeleton, Decoded] = {}

    def best_of_each(self, readings: Sequence[Reading]) -> list[Decoded]:
        """The best derivation of each sentence, or why there is none."""
        leaves = leaf_scores(self.network, readings)
        return [self._decode(*pair) for pair in zip(readings, leaves, strict=True)]

    def _decode(self, reading: Reading, leaves: LeafScores) -> Decoded:
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
        found = self._search(skeleton, choices)
        if found.program is None and self.network.config.search == "legal":
            # Better to overlook a word than to have no answer.
            found = self._search(reading.relaxed, choices)
        return found

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
        (leaves,) = leaf_scores(self.network, [reading])
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
        score = self._scores.get(rule)
        if score is None:
            is_known = is_expressible(self.network, rule)
            score = self._scores[rule] = self._scorer(rule) if is_known else float("-inf")
        return score


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
