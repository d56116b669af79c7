"""From what a decoder found to the answer that a user gets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from lear.core.algebra import Meaning
from lear.decoding.answer_weigher import (
    MAX_TOGETHER,
    AnswerGroup,
    AnswerWeigher,
    Found,
    ProbabilityAt,
)
from lear.decoding.chart_decoder import ChartDecoder
from lear.decoding.explanation import explain
from lear.decoding.parse import Evidence, Parse, RunsForms
from lear.decoding.refusal import (
    Refusal,
    guessed_word_refusal,
    no_derivation_refusal,
    unknown_word_reason,
)
from lear.decoding.request import Request
from lear.errors import SearchLimitError
from lear.model.calibration import TraitCounts
from lear.search.skeleton_derivation import Decoded, Program


class Belief(NamedTuple):
    """An answer, and how sure its model is of it before calibration."""

    parse: Parse
    probability_at: ProbabilityAt
    traits: TraitCounts
    """What makes it less sure than its derivations say."""


@dataclass
class AnswerMaker:
    """Makes answers."""

    weigher: AnswerWeigher
    """Finds out how likely they are."""
    min_probability: float = 0.0
    """Give no answer that is less likely than this."""
    runner: RunsForms | None = None
    """Runs forms, where the domain has facts."""

    def __post_init__(self) -> None:
        self.reader, self.decoder = self.weigher.reader, self.weigher.decoder
        self.domain, self.lexicon = self.reader.domain, self.reader.lexicon

    def answers(self, found: Sequence[tuple[Request, Decoded]], nbest: int) -> list[Parse]:
        """The answers to sentences, with as many others as are asked for."""
        parses: list[Parse] = []
        group = AnswerGroup()
        for request, decoded in found:
            if len(group.answers) == MAX_TOGETHER:
                group = AnswerGroup()
            parses.append(self._best(request, decoded, group))
        # Only now that all of a group are there: what follows asks for probabilities.
        for place, (request, decoded) in enumerate(found):
            parse = parses[place]
            if parse.form is not None and nbest > 1:
                others = self._other_answers(request, decoded, parse, nbest - 1)
                parses[place] = replace(parse, alternatives=others)
            if parse.form is not None and self.min_probability:
                parses[place] = self._abstaining(request, parses[place])
        return parses

    def _best(self, request: Request, decoded: Decoded, group: AnswerGroup) -> Parse:
        """The answer to a sentence, which becomes one of a group."""
        reading = request.reading
        if decoded.program is None:
            return request.no_answer(*self._refusal(request, decoded))
        try:
            whole = decoded.program.meaning(reading, self.domain)
            meaning = self.weigher.finish(whole, reading)
            form = self.domain.language.render(meaning)
        except RecursionError:
            return request.no_answer("the meaning is nested too deeply")
        probability = partial(self.weigher.probability, group, len(group.answers))
        group.answers.append(Found(request, decoded, decoded.program, form))
        return self._parse(request, form, meaning, decoded.program, probability)

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
        evidence = Evidence(
            partial(program.derivation, request.reading),
            probability,
            partial(self.weigher.left_out, request, program),
            partial(explain, program, request.reading, self.domain, self.decoder),
        )
        return Parse(
            form=form,
            meaning=meaning,
            score=program.score,
            reason="",
            _evidence=evidence,
            _runner=self.runner,
            **request.answer_fields(),
        )

    def _other_answers(
        self, request: Request, decoded: Decoded, answer: Parse, count: int
    ) -> tuple[Parse, ...]:
        """The likeliest answers beside the one that is given, best first."""
        try:
            likely = self.weigher.likely(request, decoded, count + 1)
        except SearchLimitError:  # the answer stands, whatever else there may be
            return ()
        adjusted = [
            (self.weigher.adjusted(request, other.program, other.probability), other)
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

    def belief(self, request: Request, decoded: Decoded) -> Belief | None:
        """The answer to a sentence with all that calibration needs; None if there is none."""
        (parse,) = self.answers([(request, decoded)], 1)
        if parse.form is None or decoded.program is None:
            return None
        traits = self.weigher.traits(request, decoded.program)
        answer = Found(request, decoded, decoded.program, parse.form)
        return Belief(parse, self.weigher.probability_at(answer), traits)

    def _refusal(self, request: Request, decoded: Decoded) -> Refusal:
        """Why there is no derivation."""
        if request.words.unknown:
            return Refusal(unknown_word_reason(self.reader, request.words.unknown))
        if not isinstance(self.decoder, ChartDecoder) or decoded.is_beyond_limits:
            return Refusal(decoded.reason)
        structural = no_derivation_refusal(request.reading, decoded.pieces, request.text)
        return guessed_word_refusal(self.reader, request.words, structural) or structural
