"""Parsing by chart: the best legal derivation of a sentence, with typed symbols.

Derivations are looked for first among the rules that training derivations use, which are few; only
where these give none are all legal rules tried, scored by the network. Without lexical choices a
result depends on the skeleton only, and is remembered: most sentences cost a dictionary look-up.
"""

from collections.abc import Iterable, Mapping, Sequence

from lear.errors import SearchLimitError
from lear.grammar.category_table import CategoryTable
from lear.grammar.grammar import Grammar
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import CategoryLeaf, Reading, Skeleton
from lear.model.forward_pass import ForwardPass
from lear.model.lexical_choices import LeafScores, leaf_scores
from lear.model.rule_scores import RuleScorer
from lear.search.chart import Budget
from lear.search.lookahead import Lookahead
from lear.search.skeleton_derivation import NO_DERIVATION, Decoded
from lear.search.viterbi import NO_CHOICE, BestWays, LeafChoice, Viterbi

DEFAULT_BUDGET = Budget(combinations=200_000, margin=12.0)
"""With this margin no score of a shipped model changes; the experiment log has narrower ones."""


class ChartDecoder:
    """Best programs for sentences."""

    def __init__(
        self,
        forward: ForwardPass,
        categories: CategoryTable,
        rules: tuple[Rule, ...],
        leaves: Iterable[int],
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        """A decoder of a model.

        Args:
            forward: Scores rules and lexical choices.
            categories: What is legal.
            rules: The rules to try first, where `model.search` is `used`.
            leaves: The categories that units of the lexicon have.
            budget: Bounds on the search of one sentence.
        """
        self.forward = forward
        self.scorer = RuleScorer(forward)
        self._decoded: dict[Skeleton, Decoded] = {}
        grammars: tuple[Grammar, ...] = (Grammar(categories),)
        self.num_unfit = 0
        """Rules that no phrase of the domain can be put together by."""
        if forward.config.search == "used":
            grammars = (Grammar(categories, rules), *grammars)
            self._gaps = {(), *(gap for rule in rules for gap in rule.gaps)}
        self.searches = tuple(Viterbi(grammar, self.scorer, budget) for grammar in grammars)
        """By the rules in use, and by all legal ones; or by these at once."""
        if forward.config.search == "used":
            self._look_ahead(leaves)
            self.num_unfit = len(rules) - len(grammars[0].rules)

    def best_of_each(self, readings: Sequence[Reading], *, overlook: bool) -> list[Decoded]:
        """The best derivation of each sentence, or why there is none.

        Args:
            readings: The sentences.
            overlook: Where there is none, let words that have a meaning be overlooked.
        """
        leaves = leaf_scores(self.forward, readings)
        return [
            self._decode(reading, scores, overlook=overlook)
            for reading, scores in zip(readings, leaves, strict=True)
        ]

    def _decode(self, reading: Reading, leaves: LeafScores, *, overlook: bool) -> Decoded:
        skeleton = reading.skeleton
        if not leaves:
            if skeleton not in self._decoded:
                self._decoded[skeleton] = self._search(skeleton, NO_CHOICE)
            return self._decoded[skeleton]
        choices = best_choices(leaves)
        decoded = self._search(skeleton, choices)
        if decoded == NO_DERIVATION and overlook and self.forward.config.search == "legal":
            decoded = self._search(reading.overlooking, choices)
            return decoded._replace(is_overlooking=decoded.program is not None)
        return decoded

    def _search(self, skeleton: Skeleton, choices: Mapping[CategoryLeaf, LeafChoice]) -> Decoded:
        lookahead = self.searches[0].lookahead
        if lookahead is not None and not lookahead.covers(skeleton):
            # A word never seen may have a category that no unit of the lexicon has.
            self._look_ahead(lookahead.leaves | {leaf.category for leaf in skeleton.leaves})
        try:
            for number, viterbi in enumerate(self.searches):
                program = viterbi.best(skeleton, choices)
                if program is not None:
                    return Decoded(program, search=number)
        except SearchLimitError as error:
            return Decoded(None, str(error), is_beyond_limits=True)
        return NO_DERIVATION

    def all_ways(self, reading: Reading) -> BestWays:
        """Everything that the widest search can build over a sentence that has no derivation."""
        (leaves,) = leaf_scores(self.forward, [reading])
        return self.searches[-1].search(reading.skeleton, best_choices(leaves))

    def _look_ahead(self, leaves: Iterable[int]) -> None:
        """Make the first search look ahead in sentences whose units have these categories."""
        grammar = self.searches[0].grammar
        self.searches[0].lookahead = Lookahead.of(grammar, leaves, self._gaps)


def best_choices(leaves: LeafScores) -> dict[CategoryLeaf, LeafChoice]:
    """The best of each leaf's primitives, the first of equals: its score and its rank."""
    choices = {}
    for leaf, scores in leaves.items():
        mean = scores.mean(axis=0).tolist()
        rank = max(range(len(mean)), key=mean.__getitem__)
        choices[leaf] = (mean[rank], rank)
    return choices
