"""From what a decoder found to the answer that a user gets.

An `Answer` knows all that a `Parse` does not hold yet and works it out when it is asked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from lear.algebra.algebra import Meaning
from lear.algebra.derivations import Derivation, NodeNote
from lear.algebra.meanings import meaning_text, shortened
from lear.answering.decoders import ChartDecoder
from lear.answering.parse import Parse, RunsForms
from lear.answering.probability import MAX_TOGETHER, Known, Probabilities, ProbabilityAt
from lear.answering.request import (
    Refusal,
    Request,
    guessed_word_refusal,
    no_derivation_refusal,
    unknown_word_reason,
)
from lear.answering.words import WordMark
from lear.errors import SearchLimitError
from lear.forest.programs import Decoded, Instruction, Program, rules_of_program
from lear.grammar.reading import Skeleton
from lear.model.config import TraitCounts
from lear.model.lexical_choices import leaf_scores


@dataclass(eq=False)
class Answer:
    """A form that a derivation of a sentence comes to."""

    request: Request
    decoded: Decoded
    program: Program
    form: str
    meaning: Meaning
    probabilities: Probabilities
    fixed_probability: float | None = None
    """Of an answer beside the one that is given."""
    is_weighed: bool = False
    known: Known | None = None
    """What is known of it once it is weighed; None where a limit was met."""

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that was searched."""
        reading = self.request.reading
        return reading.overlooking if self.decoded.is_overlooking else reading.skeleton

    def probability(self, together: Sequence["Answer"]) -> float | None:
        """Return how likely the form is; None where a limit was met.

        Args:
            together: It and others that may be weighed with it, which is faster.
        """
        fixed = self.fixed_probability
        return self.probabilities.of(self, together) if fixed is None else fixed

    def derivation(self) -> Derivation:
        """Return how the form came about."""
        return self.program.derivation(self.request.reading)

    def left_out(self) -> tuple[WordMark, ...]:
        """Return the words that were overlooked, and those without use."""
        return self.probabilities.left_out(self)

    def notes(self) -> tuple[NodeNote, ...]:
        """Return symbol, partial meaning, score and order of nodes, in their post-order."""
        domain, decoder = self.probabilities.domain, self.probabilities.decoder
        meanings: list[Meaning] = []
        self.program.meaning(self.request.reading, domain, lambda _, __, own: meanings.append(own))
        scores: Sequence[float | None] = [None] * len(meanings)
        orders = list(range(len(meanings)))
        if isinstance(decoder, ChartDecoder):
            scores = self._scores(decoder)
            orders = _chart_orders(self.program.instructions)
        render = domain.language.render_part
        return tuple(
            NodeNote(
                domain.syntax.argument_symbol(meaning),
                meaning_text(meaning) if render is None else shortened(render(meaning)),
                score,
                order,
            )
            for meaning, score, order in zip(meanings, scores, orders, strict=True)
        )

    def _scores(self, decoder: ChartDecoder) -> list[float | None]:
        """Return what each node adds to the score."""
        reading = self.request.reading
        (leaves,) = leaf_scores(decoder.forward, [reading])
        rules = rules_of_program(self.program, reading, self.probabilities.domain)
        of_rules = iter(decoder.scorer(rules))
        scores: list[float | None] = []
        for at in self.program.instructions:
            if at.arity:
                scores.append(next(of_rules))
            else:
                found = leaves.get(at.label.leaf)
                scores.append(0.0 if found is None else float(found[:, at.label.rank].mean()))
        return scores


def _chart_orders(instructions: Sequence[Instruction]) -> list[int]:
    """Order nodes as a chart is filled: from short spans to long ones, and from left to right."""
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

    probabilities: Probabilities
    min_probability: float = 0.0
    """Give no answer that is less likely than this."""
    runner: RunsForms | None = None
    """Runs forms, where the domain has facts."""

    def __post_init__(self) -> None:
        self.reader, self.decoder = self.probabilities.reader, self.probabilities.decoder
        self.domain = self.reader.domain

    def answers(self, found: Sequence[tuple[Request, Decoded]], nbest: int) -> list[Parse]:
        """Return the answers to sentences, with as many others as are asked for."""
        parses: list[Parse] = []
        together: list[Answer] = []
        for request, decoded in found:
            if len(together) == MAX_TOGETHER:
                together = []
            parses.append(self._best(request, decoded, together))
        # Only now that all to be weighed together are there: what follows asks for probabilities.
        return [self._told(parse, nbest) for parse in parses]

    def belief(self, request: Request, decoded: Decoded) -> Belief | None:
        """Return an answer with all that calibration needs; None if there is none."""
        (parse,) = self.answers([(request, decoded)], 1)
        if parse._answer is None:
            return None
        at = self.probabilities.at_temperatures(parse._answer)
        return Belief(parse, at, self.probabilities.traits(parse._answer))

    def _best(self, request: Request, decoded: Decoded, together: list[Answer]) -> Parse:
        """Return the answer to a sentence, which is added to those to be weighed together."""
        if decoded.program is None:
            return request.no_answer(*self._refusal(request, decoded))
        try:
            whole = decoded.program.meaning(request.reading, self.domain)
            meaning = self.probabilities.finish(whole, request.reading)
            form = self.domain.language.render(meaning)
        except RecursionError:
            return request.no_answer("the meaning is nested too deeply")
        answer = Answer(request, decoded, decoded.program, form, meaning, self.probabilities)
        together.append(answer)
        return self._parse(answer, together)

    def _parse(self, answer: Answer, together: Sequence[Answer] = ()) -> Parse:
        return Parse(
            form=answer.form,
            meaning=answer.meaning,
            score=answer.program.score,
            reason="",
            _answer=answer,
            _together=together,
            _runner=self.runner,
            **answer.request.answer_fields(),
        )

    def _told(self, parse: Parse, nbest: int) -> Parse:
        """Return what the user gets: nothing that is too unlikely, and other answers."""
        answer = parse._answer
        if answer is None:
            return parse
        if nbest > 1:
            others = tuple(map(self._parse, self._others(answer, parse.probability, nbest - 1)))
            parse = replace(parse, alternatives=others)
        if self.min_probability:
            sure = parse.probability
            if sure is None or sure < self.min_probability:
                said = "no probability" if sure is None else f"a probability of {sure:.2f}"
                wanted = f"less than {self.min_probability:g}"
                return answer.request.no_answer(
                    f"the best answer has {said}, {wanted}: {parse.form}"
                )
        return parse

    def _others(self, answer: Answer, probability: float | None, count: int) -> list[Answer]:
        """Return the likeliest answers beside the one that is given, best first."""
        try:
            likely = self.probabilities.likely(answer, count + 1)
        except SearchLimitError:  # the answer stands, whatever else there may be
            return []
        others = []
        for form, meaning, sure, program in likely:
            if form != answer.form:
                other = replace(answer, form=form, meaning=meaning, program=program)
                other.fixed_probability = self.probabilities.adjusted(other, sure)
                others.append(other)
        others = sorted(others, key=lambda other: -(other.fixed_probability or 0.0))[:count]
        # They may come of a wider search, whose sum is larger: together all are 1 at most.
        total = sum(other.fixed_probability or 0.0 for other in others)
        room = 1.0 - (probability or 0.0)
        share = min(1.0, room / total) if total else 1.0
        for other in others:
            other.fixed_probability = share * (other.fixed_probability or 0.0)
        return others

    def _refusal(self, request: Request, decoded: Decoded) -> Refusal:
        """Return why there is no derivation."""
        if request.words.unknown:
            return Refusal(unknown_word_reason(self.reader, request.words.unknown))
        if not isinstance(self.decoder, ChartDecoder) or decoded.is_beyond_limits:
            return Refusal(decoded.reason)
        structural = no_derivation_refusal(request.reading, decoded.pieces, request.text)
        return guessed_word_refusal(self.reader, request.words, structural) or structural
