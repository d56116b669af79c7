"""Which primitive a unit stands for, where the lexicon leaves a choice (section 3.2).

The Interpreter chooses among the candidates of the phrase table only, from a Bi-LSTM over the
sentence. It does so once a sentence, however many trees are drawn over it. Units with one
candidate need no choice and cost nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lear.grammar import Candidate, CategoryLeaf, Reading, Span
from lear.model.config import ModelConfig
from lear.model.network import Network
from lear.model.trees import Tree

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class LexicalChoices:
    """The open choices of some sentences, numbered in their order."""

    readings: Sequence[Reading]
    places: tuple[tuple[int, int, int], ...]
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
        """What has scores of its own beside the rules of a grammar.

        Args:
            config: Says what that is.
            readings: The sentences.
            views: Their tokens, where the network is to see others than a reading has.
        """
        return cls._of(readings, [scored_units(config, reading) for reading in readings], views)

    @classmethod
    def _of(
        cls,
        readings: Sequence[Reading],
        found: Sequence[Mapping[Span, tuple[Candidate, ...]]],
        views: Sequence[tuple[str, ...]] | None,
    ) -> "LexicalChoices":
        places, candidates = [], []
        for number, choices in enumerate(found):
            for (begin, end), options in choices.items():
                places.append((number, begin, end))
                candidates.append(options)
        if views is None:
            views = [reading.view for reading in readings]
        return cls(readings, tuple(places), tuple(candidates), views)

    @property
    def width(self) -> int:
        """The most candidates that a choice has."""
        return max(map(len, self.candidates), default=0)

    def log_probs(self, network: Network) -> Tensor:
        """The log-probability of each candidate of each choice, (choices, width)."""
        logits = self.logits(network)
        return logits.log_softmax(dim=-1)

    def potentials(self, network: Network) -> Tensor:
        """What candidates score beside rules.

        Where a unit may also be a function word, the choice is not among candidates alone, so
        nothing is normalised.
        """
        if network.config.lexical == "units":
            return self.logits(network)
        return self.log_probs(network)

    def logits(self, network: Network) -> Tensor:
        """Scores of candidates, (choices, width); minus infinity where there is none."""
        sentences = sorted({place[0] for place in self.places})
        row = {number: index for index, number in enumerate(sentences)}
        words = network.vocabulary.word_numbers
        found = network.lexical(
            [[words.get(t, 0) for t in self.views[number]] for number in sentences],
            *(
                network.index(column)
                for column in zip(*((row[s], b, e) for s, b, e in self.places), strict=True)
            ),
        )  # (choices, primitives)
        # A word never seen may stand for primitives that no weight belongs to: they score 0.
        found = torch.cat((found, found.new_zeros(len(self.places), 1)), dim=1)
        return found.gather(1, self._numbers(network)).masked_fill(
            ~torch.tensor(self.is_candidate(), device=network.device), -torch.inf
        )

    def is_candidate(self) -> NDArray[np.bool_]:
        """Where a choice has a candidate, (choices, width)."""
        sizes = np.array([len(options) for options in self.candidates])
        mask: NDArray[np.bool_] = np.arange(self.width) < sizes[:, None]
        return mask

    def _numbers(self, network: Network) -> Tensor:
        known = network.vocabulary.primitive_numbers
        numbers = torch.full((len(self.places), self.width), len(known), dtype=torch.long)
        for choice, (sentence, _, _) in enumerate(self.places):
            reading = self.readings[sentence]
            for rank, candidate in enumerate(self.candidates[choice]):
                primitive = reading.alike(reading.primitive(candidate))
                numbers[choice, rank] = known.get(primitive, len(known))
        return numbers.to(network.device)


@dataclass
class LexicalDraws:
    """What each sample of each sentence takes for each choice, should it come to it.

    A draw that a tree does not use has no part in its probability.
    """

    choices: LexicalChoices
    samples: int
    log_p: Floats  # (choices, width)
    picks: Ints  # (choices, samples): the number of the candidate that is taken
    numbers: dict[tuple[int, int, int], int]
    """Place -> choice."""
    categories: Ints  # (choices, width)

    @classmethod
    def of(
        cls,
        network: Network,
        readings: Sequence[Reading],
        samples: int,
        rng: np.random.Generator | None,
    ) -> "LexicalDraws":
        """Draws for `samples` trees a sentence; the most likely candidates without `rng`."""
        choices = LexicalChoices.of(readings)
        shape = (len(choices.places), choices.width)
        log_p = np.zeros(shape)
        if choices.places:
            with torch.no_grad():
                log_p = choices.log_probs(network).cpu().double().numpy()
        keys = np.repeat(log_p[:, None, :], samples, axis=1)  # (choices, samples, width)
        if rng is not None and choices.places:
            keys = keys + rng.gumbel(size=keys.shape)
        categories = np.full(shape, -1, dtype=np.int64)
        for choice, options in enumerate(choices.candidates):
            categories[choice, : len(options)] = [o.leaf.category for o in options]
        ranks = keys.argmax(axis=2) if choices.places else np.zeros((0, samples), dtype=np.int64)
        numbers = {place: number for number, place in enumerate(choices.places)}
        return cls(choices, samples, log_p, ranks, numbers, categories)

    @property
    def num_rows(self) -> int:
        """Trees to be drawn: the samples of the first sentence, then of the second, and so on."""
        return len(self.choices.readings) * self.samples

    def at(self, rows: Ints, begins: Ints, ends: Ints) -> tuple[Ints, Ints]:
        """The choices at some spans of some rows, and the candidates drawn there."""
        places = zip((rows // self.samples).tolist(), begins.tolist(), ends.tolist(), strict=True)
        choices = np.array([self.numbers[place] for place in places], dtype=np.int64)
        return choices, self.picks[choices, rows % self.samples]

    def picks_of(self, row: int) -> Ints:
        """The candidates that a row takes for the choices of its sentence."""
        return self.picks[self._choices_of(row // self.samples), row % self.samples]

    def prescribe(self, row: int, ranks: Ints) -> None:
        """Let a row take these candidates."""
        self.picks[self._choices_of(row // self.samples), row % self.samples] = ranks

    def _choices_of(self, sentence: int) -> slice:
        return slice(self._bounds[sentence], self._bounds[sentence + 1])

    @cached_property
    def _bounds(self) -> list[int]:
        """The first choice of each sentence, and the number of all choices."""
        owners = [place[0] for place in self.choices.places]
        found: list[int] = np.searchsorted(owners, range(len(self.choices.readings) + 1)).tolist()
        return found

    def candidate(self, tree: Tree) -> Candidate:
        """What a leaf of a derivation stands for."""
        choice = self.numbers.get((tree.first, tree.begin, tree.end))
        if choice is not None:
            return self.choices.candidates[choice][tree.second]
        return self._only[tree.first][tree.begin, tree.end]

    @cached_property
    def _only(self) -> list[dict[Span, Candidate]]:
        """For each sentence, the candidates of spans without a choice."""
        return [
            {(leaf.begin, leaf.end): Candidate(leaf) for leaf in reading.skeleton.leaves}
            for reading in self.choices.readings
        ]


def scored_units(config: ModelConfig, reading: Reading) -> Mapping[Span, tuple[Candidate, ...]]:
    """The units of a sentence that score beside the rules of a grammar."""
    return reading.units if config.lexical == "units" else reading.hidden_choices


def leaf_scores(
    network: Network, readings: Sequence[Reading]
) -> list[dict[CategoryLeaf, list[float]]]:
    """For each sentence, the scores of the primitives behind each leaf that has any."""
    found: list[dict[CategoryLeaf, list[float]]] = [{} for _ in readings]
    choices = LexicalChoices.beside_grammar(network.config, readings)
    if choices.places:
        with torch.no_grad():
            members = [choices.potentials(member) for member in network.members]
            rows = torch.stack(members).mean(dim=0).tolist()
        for (sentence, _, _), options, row in zip(
            choices.places, choices.candidates, rows, strict=True
        ):
            for candidate, value in zip(options, row, strict=False):
                # Candidates of one leaf come in the order of their ranks.
                found[sentence].setdefault(candidate.leaf, []).append(value)
    return found
