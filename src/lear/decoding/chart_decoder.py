"""Parsing by chart: the best legal derivation of a sentence, with typed symbols.

Derivations are looked for first among the rules that training derivations use, which are few; only
where these give none are all legal rules tried, scored by the network. A result depends only on the
skeleton and on the scores of lexical choices, and is remembered: most sentences cost a dictionary
look-up.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from lear.decoding.fingerprint import fingerprint
from lear.decoding.limits import DEFAULT_LIMITS, MAX_REMEMBERED
from lear.decoding.refusal import fewest_pieces
from lear.errors import SearchLimitError
from lear.grammar.category_table import CategoryTable
from lear.grammar.grammar import Grammar
from lear.grammar.rules import Rule
from lear.grammar.sentence_reading import Reading, Skeleton
from lear.model.forward_pass import ForwardPass
from lear.model.lexical_choices import best_primitives
from lear.model.rule_scores import RuleScorer
from lear.search.chart import Budget
from lear.search.legal_table import LegalTable
from lear.search.lookahead import Lookahead
from lear.search.skeleton_derivation import NO_DERIVATION, Decoded
from lear.search.span_search import Choices
from lear.search.viterbi import BestWays, Viterbi

DEFAULT_BUDGET = Budget(combinations=DEFAULT_LIMITS.combinations, margin=24.0)
"""Scores are no probabilities: what is far behind in one span may win with the next word. On rows
held out from GEO's training a margin of 12 loses 14 of 1,050 answers, one of 16 loses none."""

RETRIES = ((True, False), (False, True), (True, True))
"""What is tried for sentences without a derivation, one after the other: whether to drop nothing,
and whether to let words be overlooked."""
Sentence = tuple[Skeleton, Choices]
"""A skeleton, and the best primitives of its leaves."""


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
        legal: LegalTable | None = None,
    ) -> None:
        """A decoder of a model.

        Args:
            forward: Scores rules and lexical choices.
            categories: What is legal.
            rules: The rules to try first, where `model.search` is `used`.
            leaves: The categories that units of the lexicon have.
            budget: Bounds on the search of one sentence.
            max_remembered: How many skeletons to remember with their derivations, at most.
            legal: What is legal, as far as that was worked out before.
        """
        self.max_remembered = max_remembered
        self.forward = forward
        self.scorer = RuleScorer(forward)
        self._decoded: dict[bytes, Decoded] = {}  # by fingerprints of sentences
        grammars: tuple[Grammar, ...] = (Grammar(categories),)
        self.num_unfit = 0
        """Rules that no phrase of the domain can be put together by."""
        if forward.config.search == "used":
            grammars = (Grammar(categories, rules), *grammars)
            self._gaps = {(), *(gap for rule in rules for gap in rule.gaps)}
        self.searches = tuple(
            Viterbi(grammar, self.scorer, budget, legal=legal) for grammar in grammars
        )
        """By the rules in use, and by all legal ones; or by these at once."""
        if forward.config.search == "used":
            self._look_ahead(leaves)
            self.num_unfit = len(rules) - len(set(grammars[0].scored))

    def best_of_each(self, readings: Sequence[Reading], *, overlook: bool) -> list[Decoded]:
        """The best derivation of each sentence, or why there is none.

        Args:
            readings: The sentences.
            overlook: Where there is none, let words that have a meaning be overlooked.
        """
        choices = best_primitives(self.forward, readings)
        sentences = [(r.skeleton, c) for r, c in zip(readings, choices, strict=True)]
        decoded = self._remembered(sentences)
        can_overlook = overlook and self.forward.config.search == "legal"
        for is_exhaustive, is_overlooking in RETRIES:
            if is_overlooking and not can_overlook:
                continue
            again = [
                n
                for n, found in enumerate(decoded)
                if found.is_dead_end and (choices[n] or not is_overlooking)
            ]
            sentences = [
                (readings[n].overlooking if is_overlooking else readings[n].skeleton, choices[n])
                for n in again
            ]
            spent = [decoded[n].spent for n in again]
            others = self._search_each(sentences, spent, is_exhaustive=is_exhaustive)
            for n, other in zip(again, others, strict=True):
                if other.program is not None:
                    decoded[n] = other._replace(is_overlooking=is_overlooking)
                elif other.is_beyond_limits and not is_exhaustive:
                    decoded[n] = other
                else:  # why there is none, the first search says
                    decoded[n] = decoded[n]._replace(spent=other.spent)
        return decoded

    def _remembered(self, sentences: Sequence[Sentence]) -> list[Decoded]:
        """The best derivations of sentences; those that are not remembered are searched."""
        keys = [fingerprint((skeleton, tuple(choices.items()))) for skeleton, choices in sentences]
        new = {k: s for k, s in zip(keys, sentences, strict=True) if k not in self._decoded}
        found = self._search_each(list(new.values()), [0] * len(new))
        self._decoded |= zip(new, found, strict=True)
        decoded = [self._decoded[key] for key in keys]
        if len(self._decoded) > self.max_remembered:  # only the newest stay
            num_forgotten = len(self._decoded) - (self.max_remembered + 1) // 2
            self._decoded = dict(islice(self._decoded.items(), num_forgotten, None))
        return decoded

    def _search_each(
        self, sentences: Sequence[Sentence], spent: list[int], *, is_exhaustive: bool = False
    ) -> list[Decoded]:
        """The best derivation of each sentence by the first search that finds one.

        Args:
            sentences: What to search.
            spent: What was taken from the budget of each before: all its searches have one.
            is_exhaustive: Let the last search drop nothing; others are not asked.
        """
        if not sentences:
            return []
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
            if is_exhaustive and viterbi is not self.searches[-1]:
                continue
            searched = viterbi.search_each(
                [sentences[n] for n in left],
                spent=[spent[n] for n in left],
                is_exhaustive=is_exhaustive,
            )
            for n, ways in zip(left, searched, strict=True):
                found = _decoded(sentences[n][0], ways, viterbi.budget)
                decoded[n] = found._replace(search=number, is_exhaustive=is_exhaustive)
                spent[n] = found.spent
            left = [n for n in left if decoded[n].is_dead_end]
        return decoded

    def let_go(self) -> None:
        """Before another decoder takes its place: what it holds is then free at once."""
        for search in self.searches:
            search.let_go()

    @property
    def num_rules(self) -> int:
        """How many rules its searches have met, and remember."""
        return sum(search.num_rules for search in self.searches)

    def _look_ahead(self, leaves: Iterable[int]) -> None:
        """Make the first search look ahead in sentences whose units have these categories."""
        grammar = self.searches[0].grammar
        self.searches[0].lookahead = Lookahead.of(grammar, leaves, self._gaps)


def _decoded(skeleton: Skeleton, ways: BestWays | SearchLimitError, budget: Budget) -> Decoded:
    """What a search says of a sentence."""
    if isinstance(ways, SearchLimitError):
        return Decoded(None, str(ways), is_beyond_limits=True, spent=budget.combinations)
    program = ways.best()
    if program is not None:
        return Decoded(program, spent=ways.spent)
    return NO_DERIVATION._replace(spent=ways.spent, pieces=fewest_pieces(skeleton, ways))
