"""From the readings of sentences to derivations: decoders by chart and by greedy choice.

A chart decoder finds the best legal derivation. It looks first among the rules that training
derivations use, which are few; only where these give none does it try all legal rules, scored by
the network. A result depends on skeleton and scores of lexical choices alone, and is remembered. A
greedy decoder takes the most likely step each time, as the paper does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import msgspec

from lear.answering.request import DEFAULT_LIMITS, MAX_REMEMBERED, Limits, fewest_pieces
from lear.errors import DataError
from lear.forest.chart import Budget
from lear.forest.programs import NO_DERIVATION, Decoded
from lear.forest.scored_grammar import ScoredGrammar
from lear.forest.search import Sentence, SpanSearch, batches_to_search, num_cells
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import Reading, SentenceReader
from lear.grammar.rules import Grammar, Rule
from lear.model.forward_pass import ForwardPass
from lear.model.lexical_choices import best_primitives
from lear.model.model_file import Model
from lear.model.rule_scores import RuleScorer

if TYPE_CHECKING:
    from lear.policy.rollouts import Policy

T = TypeVar("T")
DEFAULT_BUDGET = Budget(combinations=DEFAULT_LIMITS.combinations, margin=24.0)
"""Scores are no probabilities: what is far behind in one span may win with the next word. On rows
held out from GEO's training a margin of 12 loses 14 of 1,050 answers, one of 16 loses none."""
RETRIES = ((True, False), (False, True), (True, True))
"""What is tried for sentences without a derivation, one after the other: whether to drop nothing,
and whether to let words be overlooked."""
MAX_REMEMBERED_STATES = 60_000
"""States, pieces and choice points that a greedy decoder remembers between batches."""
MAX_KEPT_CELLS = 10_000
"""The last search of a lone sentence is kept if it has no more spans than this."""
MAX_UNFIT = 0.1
"""The share of a model's rules that its domain may have no use for."""

_ENCODER = msgspec.msgpack.Encoder(enc_hook=repr)
"""Domains of one's own may put anything into a primitive."""


def fingerprint(value: object) -> bytes:
    """Return 16 bytes, equal for equal values of words and numbers, however nested.

    That two different ones have the same by chance is less likely than a fault of the machine.
    """
    return blake2b(_ENCODER.encode(value), digest_size=16).digest()


class Newest(Generic[T]):
    """Values by fingerprint, of which only the newest stay."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._values: dict[bytes, T] = {}

    def __len__(self) -> int:
        return len(self._values)

    def get(self, key: bytes) -> T | None:
        """Return a value, or None."""
        return self._values.get(key)

    def update(self, values: Iterable[tuple[bytes, T]]) -> None:
        """Add values; where there are too many, the older half goes."""
        self._values.update(values)
        if len(self._values) > self.most:
            num_forgotten = len(self._values) - (self.most + 1) // 2
            self._values = dict(islice(self._values.items(), num_forgotten, None))


class _LastSearch(NamedTuple):
    """The last search of a lone sentence."""

    search: SpanSearch
    asked: tuple[Sentence, int, bool]
    """The sentence, the number of the grammar, and whether it dropped nothing."""
    cost: int
    """What it took from the budget of the sentence."""

    def is_same(self, asked: tuple[Sentence, int, bool], spent: int) -> bool:
        """Return True if to search again would give the same.

        Who cannot afford to search again must not get it for nothing, or answers would depend on
        what was asked before.
        """
        return asked == self.asked and spent + self.cost <= self.search.budget.combinations


class ChartDecoder:
    """Best programs for sentences."""

    def __init__(
        self,
        forward: ForwardPass,
        categories: CategoryTable,
        rules: tuple[Rule, ...],
        budget: Budget = DEFAULT_BUDGET,
        max_remembered: int = MAX_REMEMBERED,
    ) -> None:
        """A decoder of a model.

        Args:
            forward: Scores rules and lexical choices.
            categories: What is legal.
            rules: The rules to try first, where `model.search` is `used`.
            budget: Bounds on the search of one sentence.
            max_remembered: How many skeletons to remember with their derivations, at most.
        """
        self.max_remembered = max_remembered
        self.forward = forward
        self.scorer = RuleScorer(forward)
        self.budget = budget
        self._decoded = Newest[Decoded](max_remembered)
        self._last: _LastSearch | None = None
        grammars: tuple[Grammar, ...] = (Grammar(categories),)
        if forward.config.search == "used":
            grammars = (Grammar(categories, rules), *grammars)
        self.grammars = tuple(ScoredGrammar(grammar, self.scorer) for grammar in grammars)
        """By the rules in use, and by all legal ones; or by these at once."""

    def best_of_each(self, readings: Sequence[Reading], *, overlook: bool) -> list[Decoded]:
        """Return the best derivation of each sentence, or why there is none.

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
        """Return the best derivations of sentences; those that are not remembered are searched."""
        keys = [fingerprint((skeleton, tuple(choices.items()))) for skeleton, choices in sentences]
        known = {key: self._decoded.get(key) for key in keys}
        new = {k: s for k, s in zip(keys, sentences, strict=True) if known[k] is None}
        found = dict(zip(new, self._search_each(list(new.values()), [0] * len(new)), strict=True))
        self._decoded.update(found.items())
        return [known[key] or found[key] for key in keys]

    def _search_each(
        self, sentences: Sequence[Sentence], spent: list[int], *, is_exhaustive: bool = False
    ) -> list[Decoded]:
        """Return the best derivation of each sentence by the first grammar that has one.

        Args:
            sentences: What to search.
            spent: What was taken from the budget of each before: all its searches have one.
            is_exhaustive: Let the last search drop nothing; others are not asked.
        """
        decoded = [NO_DERIVATION] * len(sentences)
        left = list(range(len(sentences)))
        for number, grammar in enumerate(self.grammars):
            if is_exhaustive and grammar is not self.grammars[-1]:
                continue
            for batch in batches_to_search([sentences[n] for n in left]):
                together = [left[place] for place in batch]
                some = [sentences[n] for n in together]
                search = self.search(
                    some, [spent[n] for n in together], number, is_exhaustive=is_exhaustive
                )
                for place, (n, now_spent) in enumerate(zip(together, search.spent(), strict=True)):
                    found = _decoded(sentences[n], search, place, now_spent)
                    decoded[n] = found._replace(search=number, is_exhaustive=is_exhaustive)
                    spent[n] = found.spent
            left = [n for n in left if decoded[n].is_dead_end]
        return decoded

    def search(
        self,
        sentences: Sequence[Sentence],
        spent: Sequence[int],
        number: int,
        *,
        is_exhaustive: bool,
        keeps_edges: bool = False,
    ) -> SpanSearch:
        """Search sentences by one of the grammars; if it is exhaustive, drop nothing.

        The last search of a lone sentence is kept until the next one, as the probability of its
        answer needs the same once more.
        """
        is_alone = len(sentences) == 1 and num_cells(sentences[0][0]) <= MAX_KEPT_CELLS
        asked = (sentences[0], number, is_exhaustive)
        if is_alone and keeps_edges and self._last and self._last.is_same(asked, spent[0]):
            return self._last.search
        self._last = None
        budget = replace(self.budget, margin=None) if is_exhaustive else self.budget
        grammar = self.grammars[number]
        search = SpanSearch(
            sentences, grammar, budget, spent=spent, keeps_edges=keeps_edges or is_alone
        )
        if is_alone:
            self._last = _LastSearch(search, asked, search.spent()[0] - spent[0])
        return search

    @property
    def num_rules(self) -> int:
        """How many rules its searches have met, and remember."""
        return sum(grammar.num_rules for grammar in self.grammars)


def _decoded(sentence: Sentence, search: SpanSearch, place: int, spent: int) -> Decoded:
    """Return what a search says of a sentence."""
    if error := search.limit_met(place):
        most = search.budget.combinations
        return Decoded(None, str(error), is_beyond_limits=True, spent=most)
    program = search.best(place)
    if program is not None:
        return Decoded(program, spent=spent)
    pieces = fewest_pieces(sentence[0], [at[:2] for at in search.constituents(place)])
    return NO_DERIVATION._replace(spent=spent, pieces=pieces)


class GreedyDecoder:
    """Follows the policy without sampling."""

    def __init__(
        self, forward: ForwardPass, reader: SentenceReader, categories: CategoryTable
    ) -> None:
        self.forward = forward
        self.reader = reader
        self.categories = categories
        self._policy = self._new_policy()

    def _new_policy(self) -> "Policy":
        from lear.policy.rollouts import Policy  # few models need it

        return Policy(self.forward, self.reader, self.categories)

    def best_of_each(self, readings: Sequence[Reading]) -> list[Decoded]:
        """Return the derivation that each sentence is led to, or that it is a dead end."""
        # States of sentences do not come again; and whatever comes, memory has a bound.
        is_local = self.forward.config.encoder == "tree"
        if not is_local or self._policy.transitions.size > MAX_REMEMBERED_STATES:
            self._policy = self._new_policy()
        draws = self._policy.draws(readings, 1, None)
        rollouts = self._policy.roll_out(draws, None)
        answers = rollouts.answers(self._policy)
        programs = {row: rollouts.program(row, self._policy, draws) for row in answers}
        return [
            Decoded(programs[row]) if row in programs else NO_DERIVATION
            for row in range(len(readings))
        ]


def decoder_of_model(
    model: Model, reader: SentenceReader, limits: Limits, max_remembered: int
) -> "ChartDecoder | GreedyDecoder":
    """Return the decoder of a model, over the categories that it may use."""
    header, forward = model.header, model.forward
    categories = reader.categories.restricted(
        header.attested, by_types=header.config.legality != "any"
    )
    try:
        reader.leaf_categories()
    except LookupError as error:
        reason = f"its lexicon does not fit domain {reader.domain.name!r}: {error}"
        raise DataError(f"not a model to be used: {reason}") from None
    if header.decoding == "greedy":
        return GreedyDecoder(forward, reader, categories)
    budget = replace(DEFAULT_BUDGET, combinations=limits.combinations)
    bounds = budget, max_remembered
    return ChartDecoder(forward, categories, header.rules, *bounds)


def check_rules(path: Path, model: Model, reader: SentenceReader) -> None:
    """Raise `DataError` unless the rules of a model file fit its domain.

    A rarely used rule may be cut off from the others; many are in another grammar only.
    """
    header = model.header
    if header.decoding == "greedy" or header.config.search != "used":
        return
    grammar = Grammar(reader.categories.restricted(header.attested), header.rules)
    unfit = num_unfit_rules(grammar, reader.leaf_categories())
    if unfit > MAX_UNFIT * len(header.rules):
        raise DataError(
            f"{path}: {unfit} of its {len(header.rules)} rules do not fit domain "
            f"{reader.domain.name!r} as it is now; train it anew"
        )


def num_unfit_rules(grammar: Grammar, leaves: Iterable[int]) -> int:
    """Count the rules of a grammar that no phrase over units of these categories can use."""
    rules, shape = grammar.only or frozenset(), grammar.shape
    gaps = {(), *(gap for rule in rules for gap in rule.gaps)}
    around = [
        (before, after)
        for before, after in product(gaps, repeat=2)
        if shape.allows_unary(len(before), len(after), is_trailing=True)  # it may be, somewhere
    ]
    between = [gap for gap in gaps if shape.allows_binary(len(gap))]
    categories, num_known = set(leaves), -1
    while len(categories) > num_known:
        num_known = len(categories)
        new = {
            result
            for category, (before, after) in product(categories, around)
            for _, result in grammar.unary_applications(before, category, after)
        } | {
            result
            for left, gap, right in product(categories, between, categories)
            for _, result in grammar.binary_applications(left, gap, right)
        }
        categories |= new
    return len(rules.difference(grammar.scored))
