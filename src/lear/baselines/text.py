"""Sentences and forms as numbers: vocabularies, padding, and batches of similar length."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lear.domain.example import Example

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<begin>", "<end>", "<unknown>")


@dataclass(frozen=True)
class Words:
    """A vocabulary: words with their numbers."""

    names: tuple[str, ...]
    numbers: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> "Words":
        """The vocabulary of some texts; the special words come first."""
        names = (*SPECIAL, *sorted({word for text in texts for word in text}))
        return cls(names, {name: number for number, name in enumerate(names)})

    def encode(self, text: Sequence[str]) -> list[int]:
        """The numbers of the words, followed by END."""
        return [*(self.numbers.get(word, UNKNOWN) for word in text), END]

    def decode(self, numbers: Sequence[int]) -> str:
        """The text before END."""
        stop = numbers.index(END) if END in numbers else len(numbers)
        return " ".join(self.names[number] for number in numbers[:stop])


@dataclass(frozen=True)
class Pairs:
    """Encoded rows."""

    sources: list[list[int]]
    targets: list[list[int]]

    @classmethod
    def of(cls, rows: Sequence[Example], sources: Words, targets: Words) -> "Pairs":
        """Encode rows."""
        return cls(
            [sources.encode(row.tokens) for row in rows],
            [targets.encode(row.form.split()) for row in rows],
        )

    def batches(self, tokens: int, rng: np.random.Generator) -> Iterator[list[int]]:
        """Batches of at most so many target tokens, of similar length, in random order."""
        lengths = np.array([len(target) for target in self.targets])
        order = np.argsort(lengths + rng.random(len(lengths)) * 4)
        batches: list[list[int]] = []
        batch: list[int] = []
        for index in order.tolist():
            if batch and (len(batch) + 1) * lengths[index] > tokens:
                batches.append(batch)
                batch = []
            batch.append(index)
        batches.append(batch)
        for number in rng.permutation(len(batches)).tolist():
            yield batches[number]


def padded(texts: Sequence[Sequence[int]]) -> Tensor:
    """Texts as one tensor (B, T), filled up with PAD."""
    tensor = torch.full((len(texts), max(map(len, texts))), PAD, dtype=torch.long)
    for row, text in enumerate(texts):
        tensor[row, : len(text)] = torch.tensor(text)
    return tensor
