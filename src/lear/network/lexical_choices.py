"""Which primitive a unit stands for, where the lexicon leaves a choice (section 3.2).

The Interpreter chooses among the candidates of the phrase table only, from a Bi-LSTM over the
sentence. It does so once a sentence, however many trees are drawn over it. Units with one
candidate need no choice and cost nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lear.grammar.sentence_reading import Candidate, CategoryLeaf, Reading, Span
from lear.network.config import ModelConfig
from lear.network.network import Network


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

    def log_probs(self, network: Network) -> Tensor:
        """The log-probability of each candidate of each choice, (choices, width)."""
        logits = self.logits(network)
        return logits.log_softmax(dim=-1)

    def potentials(self, network: Network) -> Tensor:
        """The scores of candidates beside those of rules.

        Where a unit may also be a function word, the choice is not among candidates alone, so
        nothing is normalised.
        """
        if network.config.lexical == "units":
            return self.logits(network)
        return self.log_probs(network)

    def logits(self, network: Network) -> Tensor:
        """Scores of candidates, (choices, width); minus infinity where there is none."""
        sentences = sorted({span[0] for span in self.spans})
        row = {number: index for index, number in enumerate(sentences)}
        words = network.vocabulary.word_numbers
        every = network.lexical(
            [[words.get(t, 0) for t in self.views[number]] for number in sentences],
            *(
                network.index(column)
                for column in zip(*((row[s], b, e) for s, b, e in self.spans), strict=True)
            ),
        )  # (choices, primitives)
        # A word never seen may stand for primitives that no weight belongs to: they score 0.
        every = torch.cat((every, every.new_zeros(len(self.spans), 1)), dim=1)
        return every.gather(1, self._numbers(network)).masked_fill(
            ~torch.tensor(self.is_candidate(), device=network.device), -torch.inf
        )

    def is_candidate(self) -> NDArray[np.bool_]:
        """Where a choice has a candidate, (choices, width)."""
        sizes = np.array([len(options) for options in self.candidates])
        mask: NDArray[np.bool_] = np.arange(self.width) < sizes[:, None]
        return mask

    def _numbers(self, network: Network) -> Tensor:
        number_of = network.vocabulary.primitive_numbers
        unseen = len(number_of)
        numbers = torch.full((len(self.spans), self.width), unseen, dtype=torch.long)
        for choice, (sentence, _, _) in enumerate(self.spans):
            reading = self.readings[sentence]
            for rank, candidate in enumerate(self.candidates[choice]):
                primitive = reading.alike(reading.primitive(candidate))
                numbers[choice, rank] = number_of.get(primitive, unseen)
        return numbers.to(network.device)


def scored_units(config: ModelConfig, reading: Reading) -> Mapping[Span, tuple[Candidate, ...]]:
    """The units of a sentence that score beside the rules of a grammar."""
    return reading.units if config.lexical == "units" else reading.hidden_choices


def leaf_scores(
    network: Network, readings: Sequence[Reading]
) -> list[dict[CategoryLeaf, list[float]]]:
    """For each sentence, the scores of the primitives behind each leaf that has any."""
    scores: list[dict[CategoryLeaf, list[float]]] = [{} for _ in readings]
    choices = LexicalChoices.beside_grammar(network.config, readings)
    if choices.spans:
        with torch.no_grad():
            members = [choices.potentials(member) for member in network.members]
            rows = torch.stack(members).mean(dim=0).tolist()
        for (sentence, _, _), options, row in zip(
            choices.spans, choices.candidates, rows, strict=True
        ):
            for candidate, value in zip(options, row, strict=False):
                # Candidates of one leaf come in the order of their ranks.
                scores[sentence].setdefault(candidate.leaf, []).append(value)
    return scores
