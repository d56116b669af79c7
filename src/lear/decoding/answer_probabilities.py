"""How likely the answers to a sentence are, by a model that is decoded by chart."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lear.core.algebra import Meaning, MeaningTable
from lear.decoding.chart_decoder import ChartDecoder
from lear.domain.domain import Domain
from lear.errors import SearchLimitError
from lear.grammar.sentence_reading import Candidate, Reading, Skeleton
from lear.model.lexical_choices import best_primitives, leaf_scores
from lear.search.answer_distribution import (
    Floats,
    InsideOutside,
    LikelyParts,
    ScoredChart,
    WeighedMeaning,
    log_p_of_only,
    log_sum,
    weighed_meanings,
)
from lear.search.chart import Budget, out_of_budget
from lear.search.forest import Forest
from lear.search.legal_chart import complete_items, legal_chart
from lear.search.packed_forests import PackedForests
from lear.search.skeleton_derivation import Decoded, Program

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
        scores = np.full((self.decoder.forward.num_members, len(grammar.rules)), -np.inf)
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
