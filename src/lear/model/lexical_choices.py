"""Which primitive a unit stands for, where the lexicon leaves a choice (section 3.2).

The Interpreter chooses among the candidates of the phrase table only, from a Bi-LSTM over the
sentence. It does so once a sentence, however many trees are drawn over it. Units with one
candidate need no choice and cost nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lear.grammar.reading import Candidate, CategoryLeaf, Reading, Span
from lear.model.config import ModelConfig, Vocabulary
from lear.model.forward_pass import Floats, ForwardPass, Ints

LeafScores = dict[CategoryLeaf, Floats]
"""The scores of the primitives behind each leaf that has any, (K, primitives)."""


@dataclass(frozen=True)
class LexicalChoices:
    """The open choices of some sentences, numbered in their order."""

    readings: Sequence[Reading]
    spans: tuple[tuple[int, int, int], ...]
    """Number of the sentence, begin and end of the span."""
    candidates: tuple[tuple[Candidate, ...], ...]
    views: Sequence[tuple[str, ...]]
    """The tokens of each sentence, as the network sees them."""

    @classmethod
    def of(cls, readings: Sequence[Reading]) -> "LexicalChoices":
        """All choices of some sentences."""
        return cls._of(readings, [reading.choices for reading in readings], None)

    @classmethod
    def beside_grammar(
        cls,
        config: ModelConfig,
        readings: Sequence[Reading],
        views: Sequence[tuple[str, ...]] | None = None,
    ) -> "LexicalChoices":
        """The choices that have scores of their own beside the rules of a grammar.

        Args:
            config: Says which choices these are (`model.lexical`).
            readings: The sentences.
            views: Tokens to show to the network in place of the readings' own.
        """
        return cls._of(readings, [scored_units(config, reading) for reading in readings], views)

    @classmethod
    def _of(
        cls,
        readings: Sequence[Reading],
        choices_of: Sequence[Mapping[Span, tuple[Candidate, ...]]],
        views: Sequence[tuple[str, ...]] | None,
    ) -> "LexicalChoices":
        spans, candidates = [], []
        for number, choices in enumerate(choices_of):
            for (begin, end), options in choices.items():
                spans.append((number, begin, end))
                candidates.append(options)
        if views is None:
            views = [reading.view for reading in readings]
        return cls(readings, tuple(spans), tuple(candidates), views)

    @property
    def width(self) -> int:
        """The most candidates that a choice has."""
        return max(map(len, self.candidates), default=0)

    def is_candidate(self) -> NDArray[np.bool_]:
        """Where a choice has a candidate, (choices, width)."""
        sizes = np.array([len(options) for options in self.candidates])
        mask: NDArray[np.bool_] = np.arange(self.width) < sizes[:, None]
        return mask

    def places(
        self, vocabulary: Vocabulary
    ) -> tuple[list[list[int]], tuple[list[int], list[int], list[int]]]:
        """The sentences that have choices, as word numbers; rows, begins and ends of the spans.

        Sentences that the network cannot tell apart are one.
        """
        views = [self.views[sentence] for sentence, _, _ in self.spans]
        row = {view: index for index, view in enumerate(dict.fromkeys(views))}
        words = vocabulary.word_numbers
        numbered = [[words.get(token, 0) for token in view] for view in row]
        rows = [row[view] for view in views]
        begins, ends = [begin for _, begin, _ in self.spans], [end for _, _, end in self.spans]
        return numbered, (rows, begins, ends)

    def primitive_numbers(self, vocabulary: Vocabulary) -> Ints:
        """Of each candidate, (choices, width); one beyond the last for what is not known."""
        number_of = vocabulary.primitive_numbers
        unseen = len(number_of)
        numbers = np.full((len(self.spans), self.width), unseen, dtype=np.int64)
        for choice, (sentence, _, _) in enumerate(self.spans):
            reading = self.readings[sentence]
            numbers[choice, : len(self.candidates[choice])] = [
                number_of.get(reading.alike(reading.primitive(candidate)), unseen)
                for candidate in self.candidates[choice]
            ]
        return numbers

    def logits(self, forward: ForwardPass) -> Floats:
        """Scores of candidates, (K, choices, width); minus infinity where there is none."""
        sentences, (rows, begins, ends) = self.places(forward.vocabulary)
        every = forward.primitive_logits(
            sentences, np.array(rows), np.array(begins), np.array(ends)
        )  # (K, choices, primitives)
        # A word never seen may stand for primitives that no weight belongs to: they score 0.
        every = np.concatenate((every, np.zeros_like(every[:, :, :1])), axis=2)
        numbers = self.primitive_numbers(forward.vocabulary)
        chosen = np.take_along_axis(every, numbers[None], axis=2)
        return np.where(self.is_candidate(), chosen, -np.inf)

    def log_probs(self, forward: ForwardPass) -> Floats:
        """The log-probability of each candidate of each choice, (K, choices, width)."""
        logits = self.logits(forward)
        top = logits.max(axis=2, keepdims=True)
        log_p: Floats = logits - top - np.log(np.exp(logits - top).sum(axis=2, keepdims=True))
        return log_p


def scored_units(config: ModelConfig, reading: Reading) -> Mapping[Span, tuple[Candidate, ...]]:
    """The units of a sentence that score beside the rules of a grammar."""
    return reading.units if config.lexical == "units" else reading.hidden_choices


def leaf_scores(forward: ForwardPass, readings: Sequence[Reading]) -> list[LeafScores]:
    """For each sentence, what each member says of the primitives behind leaves."""
    scores: list[dict[CategoryLeaf, list[Floats]]] = [{} for _ in readings]
    choices, values = _scored_choices(forward, readings)
    for number, ((sentence, _, _), options) in enumerate(
        zip(choices.spans, choices.candidates, strict=True)
    ):
        for rank, candidate in enumerate(options):
            # Candidates of one leaf come in the order of their ranks.
            scores[sentence].setdefault(candidate.leaf, []).append(values[:, number, rank])
    return [{leaf: np.stack(v, axis=1) for leaf, v in group.items()} for group in scores]


def best_primitives(
    forward: ForwardPass, readings: Sequence[Reading]
) -> list[dict[CategoryLeaf, tuple[float, int]]]:
    """For each sentence and leaf, the mean score of its best primitive, and which one that is."""
    best: list[dict[CategoryLeaf, tuple[float, int]]] = [{} for _ in readings]
    choices, values = _scored_choices(forward, readings)
    if not choices.spans:
        return best
    means = values.mean(axis=0).tolist()
    for (sentence, _, _), options, scores in zip(
        choices.spans, choices.candidates, means, strict=True
    ):
        leaves = best[sentence]
        for candidate, score in zip(options, scores, strict=False):  # scores are padded
            if candidate.rank == 0 or score > leaves[candidate.leaf][0]:
                leaves[candidate.leaf] = (score, candidate.rank)
    return best


def _scored_choices(
    forward: ForwardPass, readings: Sequence[Reading]
) -> tuple[LexicalChoices, Floats]:
    """The choices that have scores of their own, and the scores, (K, choices, width).

    Where a unit may also be a function word, the choice is not among candidates alone, so nothing
    is normalised.
    """
    choices = LexicalChoices.beside_grammar(forward.config, readings)
    if not choices.spans:
        return choices, np.zeros((forward.num_members, 0, 0))
    is_open = forward.config.lexical == "units"
    return choices, choices.logits(forward) if is_open else choices.log_probs(forward)
