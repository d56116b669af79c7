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
from lear.search.answer_distribution import ScoredChart, WeighedMeaning, log_sum, weighed_meanings
from lear.search.chart import Budget, out_of_budget
from lear.search.forest import Forest
from lear.search.legal_chart import complete_items, legal_chart
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
        """The derivations that the decoder looked at, or also those that it dropped on the way.

        Raises:
            SearchLimitError: what the decoder left of the sentence's budget does not suffice.
        """
        viterbi = self.decoder.searches[decoded.search]
        skeleton = reading.overlooking if decoded.is_overlooking else reading.skeleton
        (leaves,) = leaf_scores(self.decoder.forward, [reading])
        num_left = viterbi.budget.combinations - decoded.spent
        if widely:
            chart = legal_chart(viterbi.grammar, skeleton, Budget(num_left))
            roots = complete_items(viterbi.grammar, chart)
        else:
            (choices,) = best_primitives(self.decoder.forward, [reading])
            roots = viterbi.forest(
                skeleton, choices, spent=decoded.spent, is_exhaustive=decoded.is_exhaustive
            )
        rules, scored = viterbi.grammar.rules, viterbi.grammar.scored
        items = {item for root in roots for item in Forest(root).items()}
        used = sorted({edge.label for item in items for edge in item.edges if edge.children})
        num_left -= COMBINATIONS_PER_EDGE * sum(len(item.edges) for item in items)
        if num_left < 0:
            raise out_of_budget(len(skeleton.words), viterbi.budget.combinations)
        scores = np.full((self.decoder.forward.num_members, len(rules)), -np.inf)
        scores[:, used] = self.decoder.scorer.of_members([scored[number] for number in used])
        operations = [rule.operation for rule in rules]
        return ScoredChart(
            roots, operations, scores, leaves, max_meanings=num_left // COMBINATIONS_PER_EDGE
        )

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

        by_form: dict[str, list[WeighedMeaning]] = {}
        for weighed in weighed_meanings(chart, ground, apply, min_posterior):
            finished = weighed._replace(meaning=self.finish(weighed.meaning, reading))
            by_form.setdefault(language.render(finished.meaning), []).append(finished)
        answers = []
        for form, group in by_form.items():
            meaning, _, program, is_only = max(group, key=lambda entry: entry.program.score)
            log_p = log_sum(np.stack([entry.log_p for entry in group], axis=-1))
            probability = min(1.0, float(np.exp(log_p).mean()))
            answers.append(LikelyAnswer(form, meaning, probability, program, is_only))
        return sorted(answers, key=lambda answer: -answer.probability)
