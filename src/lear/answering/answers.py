"""What a derivation does not say by itself: the meaning of each node, its symbol and its score.

From what a decoder found to the answer that a user gets.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

from lear.algebra.algebra import Meaning
from lear.algebra.derivations import NodeNote
from lear.algebra.meanings import meaning_text, shortened
from lear.answering.decoders import ChartDecoder
from lear.answering.parse import Evidence, Parse, RunsForms
from lear.answering.probability import (
    MAX_TOGETHER,
    AnswerGroup,
    AnswerWeigher,
    Found,
    ProbabilityAt,
)
from lear.answering.request import (
    Refusal,
    Request,
    guessed_word_refusal,
    no_derivation_refusal,
    unknown_word_reason,
)
from lear.domain import Domain
from lear.errors import SearchLimitError
from lear.forest.programs import Decoded, Instruction, Program, rules_of_program
from lear.grammar.reading import Reading
from lear.model.config import TraitCounts
from lear.model.lexical_choices import leaf_scores


def explain(
    program: Program, reading: Reading, domain: Domain, decoder: object
) -> tuple[NodeNote, ...]:
    """The notes on the nodes of a program, in its post-order."""
    meanings: list[Meaning] = []
    program.meaning(reading, domain, seen=meanings.append)
    scores: Sequence[float | None] = [None] * len(meanings)
    orders = list(range(len(meanings)))
    if isinstance(decoder, ChartDecoder):
        scores = _scores(program, reading, domain, decoder)
        orders = _chart_orders(program.instructions)
    return tuple(
        NodeNote(domain.syntax.argument_symbol(meaning), _text(meaning, domain), score, order)
        for meaning, score, order in zip(meanings, scores, orders, strict=True)
    )


def _text(meaning: Meaning, domain: Domain) -> str:
    render_part = domain.language.render_part
    return meaning_text(meaning) if render_part is None else shortened(render_part(meaning))


def _scores(
    program: Program, reading: Reading, domain: Domain, decoder: ChartDecoder
) -> list[float | None]:
    (leaves,) = leaf_scores(decoder.forward, [reading])
    rules = iter(decoder.scorer(rules_of_program(program, reading, domain)))
    scores: list[float | None] = []
    for at in program.instructions:
        if at.arity:
            scores.append(next(rules))
        else:
            found = leaves.get(at.label.leaf)
            scores.append(0.0 if found is None else float(found[:, at.label.rank].mean()))
    return scores


def _chart_orders(instructions: Sequence[Instruction]) -> list[int]:
    """A chart is filled from short spans to long ones, and from left to right."""
    numbers = range(len(instructions))
    built = sorted(numbers, key=lambda n: (instructions[n].end - instructions[n].begin, n))
    order = dict(zip(built, numbers, strict=True))
    return [order[n] for n in numbers]


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
