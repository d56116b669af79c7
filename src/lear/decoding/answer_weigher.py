"""How sure a model is of its answers: worked out for many of them together, and remembered."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lear.core.algebra import Meaning, MeaningTable
from lear.core.garbage_collection import give_memory_back
from lear.decoding.answer_probabilities import AnswerProbabilities, LikelyAnswer, Share, share_of
from lear.decoding.chart_decoder import ChartDecoder
from lear.decoding.remembered_probabilities import Keys, Known, RememberedProbabilities
from lear.decoding.request import Request
from lear.decoding.word_check import WordMark
from lear.errors import SearchLimitError, UsageError
from lear.grammar.rules import Rule
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.model.calibration import Calibration, TraitCounts
from lear.search.program_rules import rules_of_program
from lear.search.skeleton_derivation import Decoded, Program

if TYPE_CHECKING:
    from lear.decoding.greedy_decoder import GreedyDecoder

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
