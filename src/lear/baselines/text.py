"""Sentences and forms as numbers: vocabularies, padding, and batches of similar length."""

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<begin>", "<end>", "<unknown>")
PIECE = re.compile(r"\s*(?:[(),']|[^\s(),']+)")
"""A word, a bracket, a comma or a quote, with the space before it."""
FREQUENT = 0.05
"""Only a piece in this share of the forms is bound to the one before it: rare words stay free."""

Bonds = frozenset[tuple[str, str]]
"""Pairs of pieces that are written as one."""


def pieces(form: str) -> list[str]:
    """A form cut into the pieces that a decoder writes; joined, they are the form again."""
    return PIECE.findall(f" {form}")


def bonds(texts: Sequence[Sequence[str]]) -> Bonds:
    """Pairs whose second piece is frequent and only ever follows the first, such as `x _`."""
    before: dict[str, set[str]] = {}
    for text in texts:
        for first, second in itertools.pairwise(("", *text)):
            before.setdefault(second, set()).add(first)
    spread = Counter(piece for text in texts for piece in set(text))
    return frozenset(
        (first, second)
        for second, firsts in before.items()
        if len(firsts) == 1 and spread[second] >= FREQUENT * len(texts)
        for first in firsts - {""}
    )


def joined(text: Iterable[str], bound: Bonds) -> list[str]:
    """A text in which bound pieces are one."""
    found: list[str] = []
    before = ""
    for piece in text:
        if (before, piece) in bound:
            found[-1] += piece
        else:
            found.append(piece)
        before = piece
    return found


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

    def encode(self, text: Iterable[str]) -> list[int]:
        """The numbers of the words, followed by END."""
        return [*(self.numbers.get(word, UNKNOWN) for word in text), END]

    def decode(self, numbers: Sequence[int]) -> str:
        """The text before END."""
        stop = numbers.index(END) if END in numbers else len(numbers)
        return "".join(self.names[number] for number in numbers[:stop]).strip()


def batches(
    lengths: Sequence[int], tokens: int, rng: np.random.Generator | None = None
) -> list[list[int]]:
    """Cut texts into batches of similar length, of at most so many tokens with their padding.

    With a generator, which texts of similar length come together is random, and so is the order.
    """
    noise = rng.random(len(lengths)) * 4 if rng else np.zeros(len(lengths))
    found: list[list[int]] = []
    longest = 0
    for index in np.argsort(np.array(lengths) + noise, kind="stable").tolist():
        longest = max(longest, lengths[index])
        if not found or (len(found[-1]) + 1) * longest > tokens:
            found.append([])
            longest = lengths[index]
        found[-1].append(index)
    return [found[number] for number in rng.permutation(len(found))] if rng else found


def padded(texts: Sequence[Sequence[int]]) -> Tensor:
    """Texts as one tensor (B, T), filled up with PAD."""
    tensors = [torch.tensor(text) for text in texts]
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=PAD)
