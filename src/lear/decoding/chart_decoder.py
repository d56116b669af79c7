"""Parsing by chart: the best legal derivation of a sentence, with typed symbols.

Derivations are looked for first among the rules that training derivations use, which are few; only
where these give none are all legal rules tried, scored by the network. Without lexical choices a
result depends on the skeleton only, and is remembered: most sentences cost a dictionary look-up.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from lear.errors import SearchLimitError
from lear.grammar.category_table import CategoryTable
from lear.grammar.grammar import Grammar
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import CategoryLeaf, Reading, Skeleton
from lear.network.fast_rule_scores import RuleScorer
from lear.network.lexical_choices import leaf_scores
from lear.network.network import Network
from lear.network.rule_scores import is_expressible, network_scores
from lear.search.chart import DEFAULT_BUDGET, Budget
from lear.search.legal_chart import best_programs, legal_chart
from lear.search.lookahead import Lookahead
from lear.search.skeleton_derivation import NO_DERIVATION, Decoded, Instruction, Program
from lear.search.viterbi import NO_CHOICE, LeafChoice, Viterbi


class ChartDecoder:
    """Best programs for sentences."""

    def __init__(
        self,
        network: Network,
        categories: CategoryTable,
        rules: tuple[Rule, ...],
        leaves: Iterable[int],
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """A decoder of a network that may have been trained since.

        Args:
            network: Scores rules and lexical choices.
            categories: What is legal.
            rules: The rules to try first, where `model.search` is `used`.
            leaves: The categories that units of the lexicon have.
            budget: Bound on the search of one sentence.
        """
        self.network = network
        self.budget = budget
        self._scores = dict(zip(rules, network_scores(network, rules), strict=True))
        self._scorer = RuleScorer(network)
        self._decoded: dict[Skeleton, Decoded] = {}
        self.grammars: tuple[Grammar, ...] = (Grammar(categories),)
        self.num_unfit = 0
        """Rules that no phrase of the domain can be put together by."""
        if network.config.search == "used":
            self.grammars = (Grammar(categories, rules), *self.grammars)
            self._gaps = {(), *(gap for rule in rules for gap in rule.gaps)}
        self._searches = tuple(
            Viterbi(grammar, partial(self._score, grammar), budget) for grammar in self.grammars
        )
        if network.config.search == "used":
            self._look_ahead(leaves)
            self.num_unfit = len(rules) - len(self.grammars[0].rules)

    def best_of_each(self, readings: Sequence[Reading]) -> list[Decoded]:
        """The best derivation of each sentence, or why there is none."""
        leaves = leaf_scores(self.network, readings)
        return [self._decode(*pair) for pair in zip(readings, leaves, strict=True)]

    def _decode(self, reading: Reading, leaves: Mapping[CategoryLeaf, list[float]]) -> Decoded:
        skeleton = reading.skeleton
        if not leaves:
            if skeleton not in self._decoded:
                self._decoded[skeleton] = self._search(skeleton, NO_CHOICE)
            return self._decoded[skeleton]
        choices = {leaf: _best_choice(scores) for leaf, scores in leaves.items()}
        decoded = self._search(skeleton, choices)
        if decoded.program is None and self.network.config.search == "legal":
            # Better to overlook a word than to have no answer.
            decoded = self._search(reading.overlooking, choices)
        return decoded

    def _search(self, skeleton: Skeleton, choices: Mapping[CategoryLeaf, LeafChoice]) -> Decoded:
        if len(self._searches) > 1 and not self._searches[0].lookahead.covers(skeleton):
            # A word never seen may have a category that no unit of the lexicon has.
            new = {leaf.category for leaf in skeleton.leaves}
            self._look_ahead(self._searches[0].lookahead.leaves | new)
        try:
            for viterbi in self._searches:
                program = viterbi.best(skeleton, choices)
                if program is not None:
                    return Decoded(program)
        except SearchLimitError as error:
            return Decoded(None, str(error))
        return NO_DERIVATION

    def _look_ahead(self, leaves: Iterable[int]) -> None:
        """Make the first search look ahead in sentences whose units have these categories."""
        self._searches[0].lookahead = Lookahead.of(self.grammars[0], leaves, self._gaps)

    def best_of(self, reading: Reading, count: int) -> list[Program]:
        """The `count` best derivations, those by rules in use before the others, best first."""
        (leaves,) = leaf_scores(self.network, [reading])
        programs: dict[tuple[Instruction, ...], Program] = {}
        for grammar in self.grammars:
            if len(programs) < count:
                chart = legal_chart(grammar, reading.skeleton, self.budget)
                scores = [self._score(grammar, number) for number in range(len(grammar.rules))]
                for program in best_programs(
                    grammar, chart, scores, lambda leaf: leaves.get(leaf, (0.0,)), count
                ):
                    programs.setdefault(program.instructions, program)
        return list(programs.values())[:count]

    def _score(self, grammar: Grammar, number: int) -> float:
        rule = grammar.rules[number]
        score = self._scores.get(rule)
        if score is None:
            is_known = is_expressible(self.network, rule)
            score = self._scores[rule] = self._scorer(rule) if is_known else float("-inf")
        return score


def _best_choice(scores: Sequence[float]) -> LeafChoice:
    """The best of a leaf's primitives, the first of equals: its score and its rank."""
    rank = max(range(len(scores)), key=scores.__getitem__)
    return scores[rank], rank
