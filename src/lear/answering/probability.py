"""Probabilities that were worked out before, which takes longer than finding an answer.

How likely the answers to a sentence are, by a model that is decoded by chart.

How sure a model is of its answers: worked out for many of them together, and remembered.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from lear.algebra.algebra import Meaning, MeaningTable
from lear.answering.decoders import ChartDecoder, fingerprint
from lear.answering.parse import WordMark
from lear.answering.request import Request
from lear.domain import Domain
from lear.errors import SearchLimitError, UsageError
from lear.forest.chart import Budget, Forest, out_of_budget
from lear.forest.legal_chart import complete_items, legal_chart
from lear.forest.programs import Decoded, Program, rules_of_program
from lear.forest.sums import (
    Floats,
    InsideOutside,
    LikelyParts,
    PackedForests,
    ScoredChart,
    WeighedMeaning,
    log_p_of_only,
    log_sum,
    weighed_meanings,
)
from lear.grammar.reading import Candidate, Reading, SentenceReader, Skeleton
from lear.grammar.rules import Rule
from lear.memory import give_memory_back
from lear.model.config import Calibration, TraitCounts
from lear.model.lexical_choices import best_primitives, leaf_scores


class Keys(NamedTuple):
    """What the probability of an answer depends on."""

    skeleton: Hashable
    """All of it, where only one derivation is likely, and words have no scores of their own."""
    sentence: Hashable
    """All of it in any case: derivations may come to one meaning by what words stand for."""

    @classmethod
    def of(cls, reading: Reading, decoded: Decoded, skip_steps: Sequence[str]) -> "Keys":
        """The keys of an answer; the model is the same for all."""
        used = reading.overlooking if decoded.is_overlooking else reading.skeleton
        skeleton = (used, decoded.search, decoded.is_overlooking, decoded.is_exhaustive)
        primitives = tuple(reading.primitives.items())
        return cls(skeleton, (skeleton, reading.view, primitives, tuple(skip_steps)))


class Known(NamedTuple):
    """What is remembered of an answer."""

    probability: float
    """Before what its traits cost it."""
    num_novel: int
    """How many of its rules no training derivation uses."""


class RememberedProbabilities:
    """What is known of answers; only the newest are remembered."""

    def __init__(self, max_remembered: int) -> None:
        self.max_remembered = max_remembered
        self._known: dict[bytes, Known] = {}  # by fingerprints

    def __len__(self) -> int:
        """Of how many skeletons and sentences something is known."""
        return len(self._known)

    def get(self, keys: Keys) -> Known | None:
        """What is known of an answer; None if nothing is."""
        known = self._known.get(fingerprint(keys.skeleton))
        return self._known.get(fingerprint(keys.sentence)) if known is None else known

    def put(self, keys: Keys, known: Known, *, is_of_skeleton: bool) -> None:
        """Remember it of all sentences with this skeleton, or of this sentence."""
        self._known[fingerprint(keys.skeleton if is_of_skeleton else keys.sentence)] = known
        if len(self._known) > self.max_remembered:
            num_forgotten = len(self._known) - (self.max_remembered + 1) // 2
            self._known = dict(islice(self._known.items(), num_forgotten, None))


COMBINATIONS_PER_EDGE = 10
"""To weigh an edge, or to put meanings together, takes as long as so many combinations."""
LIKELY, UNLIKELY = 1e-3, 1e-9
"""Parts of derivations below the first are left out, unless more answers are asked for than are
found; then those below the second."""


class LikelyAnswer(NamedTuple):
    """An answer with the probability of all its derivations."""

    form: str
    meaning: Meaning
    probability: float
    program: Program
    """The best of its derivations."""
    is_only: bool = False
    """Whether nothing else was likely enough to be looked at, whatever the words are."""


class Share(NamedTuple):
    """How likely an answer is, before what its traits cost it."""

    probability: float
    is_of_skeleton: bool = False
    """Whether it is the same for all sentences of its skeleton, whatever their words are."""


class AnswerProbabilities:
    """The distribution over answers that a chart decoder's model has."""

    def __init__(
        self, domain: Domain, decoder: ChartDecoder, finish: Callable[[Meaning, Reading], Meaning]
    ) -> None:
        """Of a decoder whose meanings are finished so."""
        self.domain = domain
        self.decoder = decoder
        self.finish = finish

    def answers(
        self, reading: Reading, decoded: Decoded, temperature: float, count: int = 1
    ) -> list[LikelyAnswer]:
        """The likeliest answers, best first: at least `count`, where there are as many.

        Args:
            reading: The sentence.
            decoded: What the decoder found, which says which derivations it looked at.
            temperature: What scores are divided by.
            count: How many answers are wanted.

        Raises:
            SearchLimitError: what the decoder left of the sentence's budget does not suffice.
        """
        forests = self.forests([(reading, decoded)])
        for min_posterior in (LIKELY, UNLIKELY):
            (found,) = self.answers_of_each(forests, temperature, min_posterior)
            if isinstance(found, SearchLimitError):
                raise found
            if len(found) >= count:
                return found
        return self._every_answer(reading, decoded, temperature)

    def forests(self, sentences: Sequence[tuple[Reading, Decoded]]) -> "SentenceForests":
        """The derivations that the decoder looked at, of sentences that it searched alike."""
        readings = [reading for reading, _ in sentences]
        _, first = sentences[0]
        skeletons = [_searched_skeleton(reading, decoded) for reading, decoded in sentences]
        leaves = leaf_scores(self.decoder.forward, readings)
        choices = best_primitives(self.decoder.forward, readings)
        viterbi = self.decoder.searches[first.search]
        packed = viterbi.packed(
            list(zip(skeletons, choices, strict=True)),
            leaves,
            spent=[decoded.spent for _, decoded in sentences],
            is_exhaustive=first.is_exhaustive,
        )
        most = viterbi.budget.combinations
        left = [
            most - decoded.spent - COMBINATIONS_PER_EDGE * count
            for (_, decoded), count in zip(sentences, packed.num_edges, strict=True)
        ]
        limits = {
            n: packed.limit_met(n) or out_of_budget(len(skeleton.words), most)
            for n, (skeleton, rest) in enumerate(zip(skeletons, left, strict=True))
            if rest < 0 or packed.limit_met(n)
        }
        charts = [
            ScoredChart(
                packed.operations,
                packed.rule_scores,
                leaf,
                max_meanings=max(0, rest) // COMBINATIONS_PER_EDGE,
            )
            for leaf, rest in zip(leaves, left, strict=True)
        ]
        return SentenceForests(readings, packed, charts, limits)

    def answers_of_each(
        self, forests: "SentenceForests", temperature: float, min_posterior: float = LIKELY
    ) -> list[list[LikelyAnswer] | SearchLimitError]:
        """The answers to each sentence, likeliest first, without parts that are less likely."""
        found: dict[int, list[LikelyAnswer] | SearchLimitError] = {**forests.limits}
        for place, likely in forests.likely(temperature, min_posterior):
            found[place] = self._answers_or_limit(likely)
        return [found[place] for place in range(len(forests.readings))]

    def shares(
        self, forests: "SentenceForests", answers: Sequence[tuple[Program, str]], temperature: float
    ) -> list[Share | SearchLimitError]:
        """How likely one answer to each sentence is: a program, and the form that it comes to."""
        found: dict[int, Share | SearchLimitError] = {**forests.limits}
        for place, likely in forests.likely(temperature, LIKELY):
            program, form = answers[place]
            log_p = log_p_of_only(likely.chart, likely.parts, program)
            if log_p is not None:
                found[place] = Share(_mean_probability(log_p), is_of_skeleton=True)
                continue
            others = self._answers_or_limit(likely)
            if isinstance(others, SearchLimitError):
                found[place] = others
            else:
                found[place] = share_of(form, others)
        return [found[place] for place in range(len(forests.readings))]

    def _answers_or_limit(self, likely: "LikelySentence") -> list[LikelyAnswer] | SearchLimitError:
        try:
            return self._answers_of(*likely)
        except SearchLimitError as error:
            return error

    def _every_answer(
        self, reading: Reading, decoded: Decoded, temperature: float
    ) -> list[LikelyAnswer]:
        """All answers, also those that the decoder dropped on the way as hopeless."""
        viterbi = self.decoder.searches[decoded.search]
        grammar, skeleton = viterbi.grammar, _searched_skeleton(reading, decoded)
        num_left = viterbi.budget.combinations - decoded.spent
        roots = complete_items(grammar, legal_chart(grammar, skeleton, Budget(num_left)))
        if not roots:
            return []
        items = {item for root in roots for item in Forest(root).items()}
        used = sorted({edge.label for item in items for edge in item.edges if edge.children})
        num_left -= COMBINATIONS_PER_EDGE * sum(len(item.edges) for item in items)
        if num_left < 0:
            raise out_of_budget(len(skeleton.words), viterbi.budget.combinations)
        scores = np.full((self.decoder.forward.config.members, len(grammar.rules)), -np.inf)
        scores[:, used] = self.decoder.scorer.of_members([grammar.scored[n] for n in used])
        (leaves,) = leaf_scores(self.decoder.forward, [reading])
        operations = [rule.operation for rule in grammar.rules]
        most = num_left // COMBINATIONS_PER_EDGE
        chart = ScoredChart(operations, scores, leaves, temperature, most)
        return self._answers_of(chart, InsideOutside(chart, roots).likely(0.0), reading)

    def _answers_of(
        self, chart: ScoredChart, likely: LikelyParts, reading: Reading
    ) -> list[LikelyAnswer]:
        """The answers that the likely parts of a chart come to, likeliest first."""
        language, words = self.domain.language, self.domain.words
        table = MeaningTable(language.algebra)

        def ground(candidate: Candidate) -> Meaning:
            return words.ground(reading.primitive(candidate), candidate.leaf.begin, table)

        def apply(operation: str, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return table.apply(language.algebra.by_name[operation], arguments)

        by_form: dict[str, list[WeighedMeaning]] = {}
        for weighed in weighed_meanings(chart, likely, ground, apply):
            finished = weighed._replace(meaning=self.finish(weighed.meaning, reading))
            by_form.setdefault(language.render(finished.meaning), []).append(finished)
        answers = []
        for form, group in by_form.items():
            meaning, _, program, is_only = max(group, key=lambda entry: entry.program.score)
            log_p = log_sum(np.stack([entry.log_p for entry in group], axis=-1))
            probability = _mean_probability(log_p)
            answers.append(LikelyAnswer(form, meaning, probability, program, is_only))
        return sorted(answers, key=lambda answer: -answer.probability)


class LikelySentence(NamedTuple):
    """A sentence with the likely parts of its derivations."""

    chart: ScoredChart
    parts: LikelyParts
    reading: Reading


class SentenceForests(NamedTuple):
    """The derivations of some sentences, with what they may cost."""

    readings: list[Reading]
    packed: PackedForests
    charts: list[ScoredChart]
    limits: dict[int, SearchLimitError]
    """Sentences, by place, of whose answers nothing is known since a limit was met."""

    def likely(
        self, temperature: float, min_posterior: float
    ) -> Iterator[tuple[int, LikelySentence]]:
        """The sentences that met no limit, by place, with parts that are so likely."""
        every = self.packed.likely(temperature, min_posterior)
        for place, (chart, parts) in enumerate(zip(self.charts, every, strict=True)):
            if place not in self.limits:
                tempered = replace(chart, temperature=temperature)
                yield place, LikelySentence(tempered, parts, self.readings[place])


def share_of(form: str, answers: Iterable[LikelyAnswer]) -> Share:
    """How likely a form is, by the likeliest answers."""
    found = (Share(a.probability, is_of_skeleton=a.is_only) for a in answers if a.form == form)
    return next(found, Share(0.0))


def _mean_probability(log_p: Floats) -> float:
    """Of what members say, (K,), the mean."""
    return min(1.0, float(np.exp(log_p).mean()))


def _searched_skeleton(reading: Reading, decoded: Decoded) -> Skeleton:
    return reading.overlooking if decoded.is_overlooking else reading.skeleton


if TYPE_CHECKING:
    from lear.answering.decoders import GreedyDecoder

MAX_TOGETHER, MAX_CELLS = 64, 20_000
"""So many answers are weighed together, and so many spans: who asks for one waits for these."""
MIN_CLEARED = 8
"""After so many, free memory is given back to the system: it takes a millisecond."""
ProbabilityAt = Callable[[float], float]
"""Temperature -> the probability of an answer, before what its traits cost it."""


class Found(NamedTuple):
    """An answer that a decoder has found."""

    request: Request
    decoded: Decoded
    program: Program
    form: str


@dataclass(eq=False)
class AnswerGroup:
    """Answers that are weighed when the first of them is asked for its probability."""

    answers: list[Found] = field(default_factory=list)
    known: dict[int, Known | None] = field(default_factory=dict)
    """Of answers by place, as soon as they are weighed; None where a limit was met."""


@dataclass
class AnswerWeigher:
    """Finds out how likely answers are."""

    reader: SentenceReader
    decoder: "ChartDecoder | GreedyDecoder"
    calibration: Calibration
    known_rules: frozenset[Rule] = frozenset()
    """Those that training derivations use; none where that is not known."""
    skip_steps: tuple[str, ...] = ()
    """Finishing steps of the domain to leave out."""

    def __post_init__(self) -> None:
        self.domain = self.reader.domain
        self.lexicon = self.reader.lexicon
        decoder = self.decoder
        # A greedy decoder knows the probability of what it did.
        most = decoder.max_remembered if isinstance(decoder, ChartDecoder) else 0
        self._remembered = RememberedProbabilities(most)

    def finish(self, meaning: Meaning, reading: Reading) -> Meaning:
        """A whole meaning after its finishing steps."""
        language = self.domain.language
        if not language.finishing:
            return meaning
        return language.finish(
            meaning, reading.tokens, MeaningTable(language.algebra), self.skip_steps
        )

    def probability(self, group: AnswerGroup, place: int) -> float | None:
        """How likely an answer of a group is; None where a limit was met."""
        answer = group.answers[place]
        known = group.known.get(place) or self._remembered.get(self._keys(answer))
        if known is None and place not in group.known:
            self._weigh(group)
            known = group.known[place]
        if known is None:
            return None
        traits = answer.request.traits(answer.program, self.lexicon, known.num_novel)
        return known.probability * self.calibration.factor(traits)

    def probability_at(self, answer: Found) -> ProbabilityAt:
        """How likely an answer is at any temperature, before what its traits cost it.

        At a temperature where a limit is met nothing is known of it: there it is 0. The higher, the
        more derivations are likely, so that this may be so at some temperatures only.
        """
        if not isinstance(self.decoder, ChartDecoder):  # of the one way that led to it
            return partial(_of_one_way, answer.program.score)
        probabilities = self._probabilities(self.decoder)
        forests = probabilities.forests([(answer.request.reading, answer.decoded)])

        def at(temperature: float) -> float:
            (likely,) = probabilities.answers_of_each(forests, temperature)
            if isinstance(likely, SearchLimitError):
                return 0.0
            return share_of(answer.form, likely).probability

        return at

    def likely(self, request: Request, decoded: Decoded, count: int) -> list[LikelyAnswer]:
        """The likeliest answers; a greedy decoder has one way only."""
        if not isinstance(self.decoder, ChartDecoder):
            raise UsageError("this model decodes greedily and has one answer only")
        temperature = self.calibration.temperature
        return self._probabilities(self.decoder).answers(
            request.reading, decoded, temperature, count
        )

    def traits(self, request: Request, program: Program) -> TraitCounts:
        """What makes an answer less sure than its derivations say."""
        return request.traits(program, self.lexicon, self._num_novel(request, program))

    def left_out(self, request: Request, program: Program) -> tuple[WordMark, ...]:
        """Words that an answer overlooks, or takes for function words as no training row does."""
        overlooked, unused = request.overlooked(program), request.unused(program, self.lexicon)
        if not unused or not self.known_rules:
            return (*overlooked, *unused)
        rules = rules_of_program(program, request.reading, self.domain)
        parts = {part for rule in rules if rule not in self.known_rules for part in rule.parts}
        told = (mark for mark in unused if not parts.isdisjoint(mark.text.split()))
        return (*overlooked, *told)

    def adjusted(self, request: Request, program: Program, probability: float) -> float:
        """A probability with what the traits of an answer cost it."""
        return probability * self.calibration.factor(self.traits(request, program))

    def _weigh(self, group: AnswerGroup) -> None:
        """Find out about all answers of a group of which nothing is known."""
        first_of_skeleton = {
            self._keys(answer).skeleton: place
            for place, answer in reversed(list(enumerate(group.answers)))
        }
        # What is found out about one sentence of a skeleton often holds for the others.
        for places in (first_of_skeleton.values(), range(len(group.answers))):
            new: dict[int, Found] = {}
            for place in places:
                answer = group.answers[place]
                known = self._remembered.get(self._keys(answer))
                if known is not None:
                    group.known.setdefault(place, known)
                elif place not in group.known:
                    new[place] = answer
            for together in _together(new):
                shares = self._shares([new[place] for place in together])
                for place, share in zip(together, shares, strict=True):
                    group.known[place] = self._noted(new[place], share)
                if len(together) >= MIN_CLEARED:
                    give_memory_back()

    def _noted(self, answer: Found, share: Share | SearchLimitError) -> Known | None:
        """What is known of an answer from now on."""
        if isinstance(share, SearchLimitError):
            return None
        known = Known(share.probability, self._num_novel(answer.request, answer.program))
        self._remembered.put(self._keys(answer), known, is_of_skeleton=share.is_of_skeleton)
        return known

    def _shares(self, answers: Sequence[Found]) -> Sequence[Share | SearchLimitError]:
        """How likely answers are that were searched alike."""
        temperature = self.calibration.temperature
        if not isinstance(self.decoder, ChartDecoder):
            return [Share(_of_one_way(a.program.score, temperature)) for a in answers]
        probabilities = self._probabilities(self.decoder)
        forests = probabilities.forests([(a.request.reading, a.decoded) for a in answers])
        return probabilities.shares(forests, [(a.program, a.form) for a in answers], temperature)

    def _probabilities(self, decoder: ChartDecoder) -> AnswerProbabilities:
        return AnswerProbabilities(self.domain, decoder, self.finish)

    def _keys(self, answer: Found) -> Keys:
        return Keys.of(answer.request.reading, answer.decoded, self.skip_steps)

    def _num_novel(self, request: Request, program: Program) -> int:
        """How many of its rules no training derivation uses."""
        if not self.known_rules:
            return 0
        rules = rules_of_program(program, request.reading, self.domain)
        return sum(rule not in self.known_rules for rule in rules)


def _together(answers: dict[int, Found]) -> Iterator[list[int]]:
    """The places of answers that were searched alike, a bounded number at a time."""
    alike: dict[tuple[int, bool], list[int]] = {}
    for place, answer in answers.items():
        alike.setdefault((answer.decoded.search, answer.decoded.is_exhaustive), []).append(place)
    for places in alike.values():
        batch: list[int] = []
        num_cells = 0
        for place in places:
            size = (len(answers[place].request.reading.tokens) + 1) ** 2
            if batch and num_cells + size > MAX_CELLS:
                yield batch
                batch, num_cells = [], 0
            batch.append(place)
            num_cells += size
        yield batch


def _of_one_way(score: float, temperature: float) -> float:
    """The probability of the one derivation that a greedy decoder knows of."""
    return math.exp(min(0.0, score / temperature))
