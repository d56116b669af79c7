"""How likely the answers to a sentence are, by a model that is decoded by chart."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lear.core.algebra import Meaning, MeaningTable
from lear.decoding.chart_decoder import ChartDecoder
from lear.domain.domain import Domain
from lear.grammar.sentence_reading import Candidate, Reading
from lear.model.lexical_choices import best_primitives, leaf_scores
from lear.search.answer_distribution import Floats, ScoredChart, log_sum, weighed_meanings
from lear.search.forest import Forest
from lear.search.legal_chart import complete_items, legal_chart
from lear.search.skeleton_derivation import Decoded, Program

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
        """
        chart = replace(self.chart(reading, decoded), temperature=temperature)
        found = self.answers_of(chart, reading, LIKELY)
        if len(found) < count:
            found = self.answers_of(chart, reading, UNLIKELY)
        if len(found) < count:  # then also what is hopelessly unlikely
            chart = replace(self.chart(reading, decoded, widely=True), temperature=temperature)
            found = self.answers_of(chart, reading, 0.0)
        return found

    def chart(self, reading: Reading, decoded: Decoded, *, widely: bool = False) -> ScoredChart:
        """The derivations that the decoder looked at, or also those that it dropped on the way."""
        viterbi = self.decoder.searches[decoded.search]
        skeleton = reading.overlooking if decoded.is_overlooking else reading.skeleton
        (leaves,) = leaf_scores(self.decoder.forward, [reading])
        if widely:
            chart = legal_chart(viterbi.grammar, skeleton, viterbi.budget)
            roots = complete_items(viterbi.grammar, chart)
        else:
            (choices,) = best_primitives(self.decoder.forward, [reading])
            roots = viterbi.forest(skeleton, choices)
        rules = viterbi.grammar.rules
        items = {item for root in roots for item in Forest(root).items()}
        used = sorted({edge.label for item in items for edge in item.edges if edge.children})
        scores = np.full((self.decoder.forward.num_members, len(rules)), -np.inf)
        scores[:, used] = self.decoder.scorer.of_members([rules[number] for number in used])
        operations = [rule.operation for rule in rules]
        return ScoredChart(roots, operations, scores, leaves)

    def answers_of(
        self, chart: ScoredChart, reading: Reading, min_posterior: float = LIKELY
    ) -> list[LikelyAnswer]:
        """The answers of a chart, likeliest first, without parts that are less likely."""
        language, words = self.domain.language, self.domain.words
        table = MeaningTable(language.algebra)

        def ground(candidate: Candidate) -> Meaning:
            return words.ground(reading.primitive(candidate), candidate.leaf.begin, table)

        def apply(operation: str, arguments: tuple[Meaning, ...]) -> Meaning | None:
            return table.apply(language.algebra.by_name[operation], arguments)

        by_form: dict[str, list[tuple[Meaning, Floats, Program]]] = {}
        for composed, log_p, program in weighed_meanings(chart, ground, apply, min_posterior):
            meaning = self.finish(composed, reading)
            by_form.setdefault(language.render(meaning), []).append((meaning, log_p, program))
        answers = []
        for form, group in by_form.items():
            meaning, _, program = max(group, key=lambda entry: entry[2].score)
            log_p = log_sum(np.stack([entry[1] for entry in group], axis=-1))
            probability = min(1.0, float(np.exp(log_p).mean()))
            answers.append(LikelyAnswer(form, meaning, probability, program))
        return sorted(answers, key=lambda answer: -answer.probability)
