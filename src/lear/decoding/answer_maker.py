"""From what a decoder found to the answer that a user gets."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lear.core.algebra import Meaning, MeaningTable
from lear.decoding.answer_probabilities import AnswerProbabilities, LikelyAnswer
from lear.decoding.chart_decoder import ChartDecoder
from lear.decoding.explanation import explain
from lear.decoding.parse import Evidence, Parse
from lear.decoding.refusal import Refusal, no_derivation_refusal, unknown_word_reason
from lear.decoding.remembered_probabilities import Keys, Known, RememberedProbabilities
from lear.decoding.request import Request
from lear.domain.domain import Execute
from lear.errors import SearchLimitError, UsageError
from lear.grammar.rules import Rule
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.model.calibration import Calibration, TraitCounts
from lear.search.program_rules import rules_of_program
from lear.search.skeleton_derivation import Decoded, Program
from lear.storage.data_folder import DataFolder

if TYPE_CHECKING:
    from lear.decoding.greedy_decoder import GreedyDecoder


class Belief(NamedTuple):
    """An answer, and how sure its model is of it before calibration."""

    parse: Parse
    probability_at: Callable[[float], float]
    """Temperature -> probability, before what its traits cost it."""
    traits: TraitCounts
    """What makes it less sure than its derivations say."""


Tempered = Callable[[float], tuple[float, bool]]
"""Temperature -> the probability of an answer, and whether it is that of its skeleton."""


@dataclass
class AnswerMaker:
    """Makes answers, and finds out how likely they are."""

    reader: SentenceReader
    decoder: "ChartDecoder | GreedyDecoder"
    calibration: Calibration
    known_rules: frozenset[Rule] = frozenset()
    """Those that training derivations use; none where that is not known."""
    min_probability: float = 0.0
    """Give no answer that is less likely than this."""
    skip_steps: tuple[str, ...] = ()
    """Finishing steps of the domain to leave out."""
    _execute: Execute | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.domain = self.reader.domain
        self.lexicon = self.reader.lexicon
        decoder = self.decoder
        # A greedy decoder knows the probability of what it did.
        most = decoder.max_remembered if isinstance(decoder, ChartDecoder) else 0
        self._remembered = RememberedProbabilities(most)

    def answer(self, request: Request, decoded: Decoded, nbest: int) -> Parse:
        """The answer to a sentence, with as many others as are asked for."""
        reading = request.reading
        if decoded.program is None:
            return request.no_answer(*self._refusal(request, decoded))
        try:
            meaning = self._finish(decoded.program.meaning(reading, self.domain), reading)
            form = self.domain.language.render(meaning)
        except RecursionError:
            return request.no_answer("the meaning is nested too deeply")
        probability = partial(self._probability, request, decoded, form)
        parse = self._parse(request, form, meaning, decoded.program, probability)
        if nbest > 1:
            others = self._other_answers(request, decoded, parse, nbest - 1)
            parse = replace(parse, alternatives=others)
        if self.min_probability:
            return self._abstaining(request, parse)
        return parse

    def _abstaining(self, request: Request, parse: Parse) -> Parse:
        if parse.probability is not None and parse.probability >= self.min_probability:
            return parse
        sure = "no" if parse.probability is None else f"a probability of {parse.probability:.2f}"
        wanted = f"less than {self.min_probability:g}"
        return request.no_answer(f"the best answer has {sure}, {wanted}: {parse.form}")

    def _parse(
        self,
        request: Request,
        form: str,
        meaning: Meaning,
        program: Program,
        probability: Callable[[], float | None],
    ) -> Parse:
        execution = self.domain.execution
        evidence = Evidence(
            partial(program.derivation, request.reading),
            probability,
            partial(request.overlooked, program),
            partial(request.unused, program, self.lexicon),
            partial(explain, program, request.reading, self.domain, self.decoder),
            None if execution is None else self._run,
            None if execution is None else execution.unit,
        )
        return Parse(
            form=form,
            meaning=meaning,
            score=program.score,
            reason="",
            _evidence=evidence,
            **request.answer_fields(),
        )

    def _other_answers(
        self, request: Request, decoded: Decoded, answer: Parse, count: int
    ) -> tuple[Parse, ...]:
        """The likeliest answers beside the one that is given, best first."""
        try:
            likely = self._likely(request, decoded, count + 1)
        except SearchLimitError:  # the answer stands, whatever else there may be
            return ()
        adjusted = [
            (self._adjusted(request, other.program, other.probability), other)
            for other in likely
            if other.form != answer.form
        ]
        chosen = sorted(adjusted, key=lambda pair: -pair[0])[:count]
        # They may come of a wider search, whose sum is larger: together all are 1 at most.
        total = sum(probability for probability, _ in chosen)
        room = 1.0 - (answer.probability or 0.0)
        share = min(1.0, room / total) if total else 1.0
        return tuple(
            self._parse(
                request, other.form, other.meaning, other.program, partial(float, share * p)
            )
            for p, other in chosen
        )

    def _likely(self, request: Request, decoded: Decoded, count: int) -> list[LikelyAnswer]:
        """The likeliest answers; a greedy decoder has one way only."""
        if not isinstance(self.decoder, ChartDecoder):
            raise UsageError("this model decodes greedily and has one answer only")
        probabilities = AnswerProbabilities(self.domain, self.decoder, self._finish)
        temperature = self.calibration.temperature
        return probabilities.answers(request.reading, decoded, temperature, count)

    def _probability(self, request: Request, decoded: Decoded, form: str) -> float | None:
        assert decoded.program is not None  # only answers are asked
        keys = Keys.of(request.reading, decoded, self.skip_steps)
        known = self._remembered.get(keys)
        if known is None:
            try:
                at = self._tempered(request, decoded, form)
            except SearchLimitError:
                return None
            probability, is_of_skeleton = at(self.calibration.temperature)
            known = Known(probability, self._num_novel(request, decoded.program))
            self._remembered.put(keys, known, is_of_skeleton=is_of_skeleton)
        traits = request.traits(decoded.program, self.lexicon, known.num_novel)
        return known.probability * self.calibration.factor(traits)

    def _tempered(self, request: Request, decoded: Decoded, form: str) -> Tempered:
        """How likely an answer is, before what words cost it."""
        if not isinstance(self.decoder, ChartDecoder):  # of the one way that led to it
            assert decoded.program is not None
            return partial(_tempered_score, decoded.program.score)
        probabilities = AnswerProbabilities(self.domain, self.decoder, self._finish)
        chart = probabilities.chart(request.reading, decoded)

        def at(temperature: float) -> tuple[float, bool]:
            tempered = replace(chart, temperature=temperature)
            likely = probabilities.answers_of(tempered, request.reading)
            found = (a for a in likely if a.form == form)
            return next(((a.probability, a.is_only) for a in found), (0.0, False))

        return at

    def belief(self, request: Request, decoded: Decoded) -> Belief | None:
        """The answer to a sentence with all that calibration needs; None if there is none."""
        parse = self.answer(request, decoded, 1)
        if parse.form is None:
            return None
        assert decoded.program is not None  # as there is an answer
        traits = self._traits(request, decoded.program)
        try:
            at = self._tempered(request, decoded, parse.form)
            return Belief(parse, lambda temperature: at(temperature)[0], traits)
        except SearchLimitError:  # nothing is known of it
            return Belief(parse, lambda _: 0.0, traits)

    def _adjusted(self, request: Request, program: Program, probability: float) -> float:
        return probability * self.calibration.factor(self._traits(request, program))

    def _traits(self, request: Request, program: Program) -> TraitCounts:
        return request.traits(program, self.lexicon, self._num_novel(request, program))

    def _num_novel(self, request: Request, program: Program) -> int:
        """How many of its rules no training derivation uses."""
        if not self.known_rules:
            return 0
        rules = rules_of_program(program, request.reading, self.domain)
        return sum(rule not in self.known_rules for rule in rules)

    def _finish(self, meaning: Meaning, reading: Reading) -> Meaning:
        language = self.domain.language
        if not language.finishing:
            return meaning
        return language.finish(
            meaning, reading.tokens, MeaningTable(language.algebra), self.skip_steps
        )

    def _refusal(self, request: Request, decoded: Decoded) -> Refusal:
        """Why there is no derivation."""
        if request.words.unknown:
            return Refusal(unknown_word_reason(self.reader, request.words.unknown))
        if not isinstance(self.decoder, ChartDecoder) or decoded.is_beyond_limits:
            return Refusal(decoded.reason)
        return no_derivation_refusal(request.reading, decoded.pieces)

    def _run(self, form: str) -> object:
        if self._execute is None:
            assert self.domain.execution is not None  # only then is this asked
            self._execute = self.domain.execution.open_store(None, DataFolder.choose(None).find)
        return self._execute(form)


def _tempered_score(score: float, temperature: float) -> tuple[float, bool]:
    return math.exp(min(0.0, score / temperature)), False
