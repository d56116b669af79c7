"""Which primitive a unit stands for, where the lexicon leaves a choice (section 3.2).

The Interpreter chooses among the candidates of the phrase table only, from a Bi-LSTM over the
sentence. It does so once a sentence, however many trees are drawn over it. Units with one
candidate need no choice and cost nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lear.grammar.reading import Candidate, CategoryLeaf, Reading, Span
from lear.model.config import ModelConfig, Vocabulary
from lear.model.forward_pass import Floats, ForwardPass, Ints, Layers

LeafScores = dict[CategoryLeaf, Floats]
"""The scores of the primitives behind each leaf that has any, (K, primitives)."""
UNSEEN = -1
"""The number of a primitive that no weight belongs to."""


class LexicalChoices:
    """The open choices of some sentences, numbered in their order."""

    def __init__(
        self,
        readings: Sequence[Reading],
        choices_of: Iterable[Mapping[Span, tuple[Candidate, ...]]] | None = None,
        views: Sequence[tuple[str, ...]] | None = None,
    ) -> None:
        """Number choices.

        Args:
            readings: The sentences.
            choices_of: Some choices of each sentence; by default all of them.
            views: Tokens to show to the network in place of the readings' own.
        """
        every = [r.choices for r in readings] if choices_of is None else list(choices_of)
        self.readings = readings
        self.spans = [(number, *span) for number, choices in enumerate(every) for span in choices]
        """Number of the sentence, begin and end of the span."""
        self.candidates = [options for choices in every for options in choices.values()]
        self.views = [reading.view for reading in readings] if views is None else views
        self.sizes = np.array([len(options) for options in self.candidates], dtype=np.int64)
        """How many candidates each choice has, (choices,)."""
        self.width = int(self.sizes.max(initial=0))

    @classmethod
    def beside_grammar(
        cls,
        config: ModelConfig,
        readings: Sequence[Reading],
        views: Sequence[tuple[str, ...]] | None = None,
    ) -> "LexicalChoices":
        """Take the choices that have scores of their own beside the rules of a grammar."""
        return cls(readings, [scored_units(config, reading) for reading in readings], views)

    def is_candidate(self) -> NDArray[np.bool_]:
        """Tell where a choice has a candidate, (choices, width)."""
        mask: NDArray[np.bool_] = np.arange(self.width) < self.sizes[:, None]
        return mask

    def logits(self, layers: Layers) -> Any:
        """Return the scores of candidates, (..., choices, width); -inf where there is none."""
        every = layers.primitive_logits(*self._places(layers.vocabulary))
        numbers = self._primitive_numbers(layers.vocabulary)
        choices = np.arange(len(numbers))[:, None]
        chosen = every[..., choices, np.maximum(numbers, 0)]
        # A word never seen may stand for primitives that no weight belongs to: they score 0.
        known = layers.where(numbers != UNSEEN, chosen, 0.0)
        return layers.where(self.is_candidate(), known, -np.inf)

    def log_probs(self, layers: Layers) -> Any:
        """Return the log-probability of each candidate of each choice, (..., choices, width)."""
        return layers.log_softmax(self.logits(layers))

    def scores(self, layers: Layers) -> Any:
        """Return the scores of candidates beside those of rules, (..., choices, width).

        Where a unit may also be a function word, the choice is not among candidates alone, so
        nothing is normalised.
        """
        is_open = layers.config.lexical == "units"
        return self.logits(layers) if is_open else self.log_probs(layers)

    def _places(self, vocabulary: Vocabulary) -> tuple[list[list[int]], Ints, Ints]:
        """Return sentences that have choices, and where spans begin and end in all their tokens.

        Sentences that the network cannot tell apart are one.
        """
        first_tokens: dict[tuple[str, ...], int] = {}
        num_tokens = 0
        for sentence, _, _ in self.spans:
            view = self.views[sentence]
            if view not in first_tokens:
                first_tokens[view] = num_tokens
                num_tokens += len(view)
        words = vocabulary.word_numbers
        numbered = [[words.get(token, 0) for token in view] for view in first_tokens]
        sentences, begins, ends = np.array(self.spans, dtype=np.int64).T
        firsts = np.array([first_tokens[self.views[sentence]] for sentence in sentences])
        return numbered, firsts + begins, firsts + ends

    def _primitive_numbers(self, vocabulary: Vocabulary) -> Ints:
        """Return the number of each candidate's primitive, (choices, width)."""
        number_of = vocabulary.primitive_numbers
        numbers = np.full((len(self.spans), self.width), UNSEEN, dtype=np.int64)
        for choice, (sentence, _, _) in enumerate(self.spans):
            reading = self.readings[sentence]
            numbers[choice, : self.sizes[choice]] = [
                number_of.get(reading.alike(reading.primitive(candidate)), UNSEEN)
                for candidate in self.candidates[choice]
            ]
        return numbers


def scored_units(config: ModelConfig, reading: Reading) -> Mapping[Span, tuple[Candidate, ...]]:
    """Return the units of a sentence that score beside the rules of a grammar."""
    return reading.units if config.lexical == "units" else reading.hidden_choices


def leaf_scores(forward: ForwardPass, readings: Sequence[Reading]) -> list[LeafScores]:
    """Return what each member says of the primitives behind leaves, for each sentence."""
    scores: list[dict[CategoryLeaf, list[Floats]]] = [{} for _ in readings]
    choices = LexicalChoices.beside_grammar(forward.config, readings)
    if choices.spans:
        values = choices.scores(forward)
        for number, (sentence, _, _) in enumerate(choices.spans):
            for rank, candidate in enumerate(choices.candidates[number]):
                # Candidates of one leaf come in the order of their ranks.
                scores[sentence].setdefault(candidate.leaf, []).append(values[:, number, rank])
    return [{leaf: np.stack(v, axis=1) for leaf, v in group.items()} for group in scores]


def best_primitives(
    forward: ForwardPass, readings: Sequence[Reading]
) -> list[dict[CategoryLeaf, tuple[float, int]]]:
    """Return the mean score of the best primitive of each leaf, and its rank, for each sentence."""
    best: list[dict[CategoryLeaf, tuple[float, int]]] = [{} for _ in readings]
    choices = LexicalChoices.beside_grammar(forward.config, readings)
    if not choices.spans:
        return best
    means = choices.scores(forward).mean(axis=0).tolist()
    for (sentence, _, _), options, scores in zip(
        choices.spans, choices.candidates, means, strict=True
    ):
        leaves = best[sentence]
        for candidate, score in zip(options, scores, strict=False):  # scores are padded
            if candidate.rank == 0 or score > leaves[candidate.leaf][0]:
                leaves[candidate.leaf] = (score, candidate.rank)
    return best
