"""Parsing by chart: the best legal derivation of a sentence, with typed symbols.

Derivations are looked for first among the rules that training derivations use, which are few; only
where these give none are all legal rules tried, scored by the network. Without lexical choices a
result depends on the skeleton only, and is remembered: most sentences cost a dictionary look-up.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from lear.errors import SearchLimitError
from lear.grammar.category_table import CategoryTable
from lear.grammar.grammar import Grammar
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import Reading, Skeleton
from lear.model.forward_pass import ForwardPass
from lear.model.lexical_choices import best_primitives
from lear.model.rule_scores import RuleScorer
from lear.search.chart import Budget
from lear.search.lookahead import Lookahead
from lear.search.skeleton_derivation import NO_DERIVATION, Decoded
from lear.search.span_search import Choices
from lear.search.viterbi import NO_CHOICE, BestWays, Viterbi

DEFAULT_BUDGET = Budget(combinations=200_000, margin=12.0)
"""With this margin no score of a shipped model changes; the experiment log has narrower ones."""

MAX_REMEMBERED = 10_000


class ChartDecoder:
    """Best programs for sentences."""

    def __init__(
        self,
        forward: ForwardPass,
        categories: CategoryTable,
        rules: tuple[Rule, ...],
        leaves: Iterable[int],
        budget: Budget = DEFAULT_BUDGET,
        max_remembered: int = MAX_REMEMBERED,
    ) -> None:
        """A decoder of a model.

        Args:
            forward: Scores rules and lexical choices.
            categories: What is legal.
            rules: The rules to try first, where `model.search` is `used`.
            leaves: The categories that units of the lexicon have.
            budget: Bounds on the search of one sentence.
            max_remembered: How many skeletons to remember with their derivations, at most.
        """
        self.max_remembered = max_remembered
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
        choices = best_primitives(self.forward, readings)
        # Without choices a result depends on the skeleton only.
        plain = [reading.skeleton for reading, c in zip(readings, choices, strict=True) if not c]
        new = [skeleton for skeleton in dict.fromkeys(plain) if skeleton not in self._decoded]
        sentences: list[tuple[Skeleton, Choices]] = [(skeleton, NO_CHOICE) for skeleton in new]
        sentences += [(r.skeleton, c) for r, c in zip(readings, choices, strict=True) if c]
        found = iter(self._search_each(sentences))
        self._decoded |= zip(new, islice(found, len(new)), strict=True)
        known = self._decoded
        if len(known) > self.max_remembered:  # only the newest stay
            num_forgotten = len(known) - (self.max_remembered + 1) // 2
            self._decoded = dict(islice(known.items(), num_forgotten, None))
        decoded = [
            next(found) if choice else known[reading.skeleton]
            for reading, choice in zip(readings, choices, strict=True)
        ]
        if overlook and self.forward.config.search == "legal":
            again = [n for n, d in enumerate(decoded) if d == NO_DERIVATION and choices[n]]
            sentences = [(readings[n].overlooking, choices[n]) for n in again]
            for n, other in zip(again, self._search_each(sentences), strict=True):
                decoded[n] = other._replace(is_overlooking=other.program is not None)
        return decoded

    def _search_each(self, sentences: Sequence[tuple[Skeleton, Choices]]) -> list[Decoded]:
        """The best derivation of each sentence by the first search that finds one."""
        lookahead = self.searches[0].lookahead
        if lookahead is not None:
            # A word never seen may have a category that no unit of the lexicon has.
            others = [s for s, _ in sentences if not lookahead.covers(s)]
            new = {leaf.category for skeleton in others for leaf in skeleton.leaves}
            if new:
                self._look_ahead(lookahead.leaves | new)
        decoded = [NO_DERIVATION] * len(sentences)
        left = list(range(len(sentences)))
        for number, viterbi in enumerate(self.searches):
            for n, ways in zip(
                left, viterbi.search_each([sentences[n] for n in left]), strict=True
            ):
                if isinstance(ways, SearchLimitError):
                    decoded[n] = Decoded(None, str(ways), is_beyond_limits=True)
                elif (program := ways.best()) is not None:
                    decoded[n] = Decoded(program, search=number)
            left = [n for n in left if decoded[n] == NO_DERIVATION]
        return decoded

    @property
    def num_rules(self) -> int:
        """How many rules its searches have met, and remember."""
        return sum(len(search.grammar.rules) for search in self.searches)

    def all_ways(self, reading: Reading) -> BestWays:
        """Everything that the widest search can build over a sentence that has no derivation."""
        (choices,) = best_primitives(self.forward, [reading])
        return self.searches[-1].search(reading.skeleton, choices)

    def _look_ahead(self, leaves: Iterable[int]) -> None:
        """Make the first search look ahead in sentences whose units have these categories."""
        grammar = self.searches[0].grammar
        self.searches[0].lookahead = Lookahead.of(grammar, leaves, self._gaps)
