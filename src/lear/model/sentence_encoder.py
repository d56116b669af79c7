"""A Bi-LSTM over sentences in NumPy, for all members of an ensemble at once.

Both directions of all K members are read together, as if there were 2K members.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from lear.model.layers import Floats, Ints, product, sigmoid

Sentences = Sequence[Sequence[int]]
"""Words by number."""
DIRECTIONS = ("l0", "l0_reverse")
"""As torch names them."""


@dataclass(frozen=True)
class SentenceEncoder:
    """The weights; gates are in the order input, forget, output, cell."""

    embedding: Floats  # (K, words, D)
    inputs: Floats  # (2K, D, 4D)
    hidden: Floats  # (2K, D, 4D)
    bias: Floats  # (2K, 1, 4D)

    @classmethod
    def of(cls, name: str, weight: Callable[[str], Floats]) -> "SentenceEncoder":
        """The encoder of this name, with the weights (K, ...) that torch has."""

        def both(kind: str) -> Floats:
            weights = [weight(f"{name}.lstm.{kind}_{direction}") for direction in DIRECTIONS]
            i, f, cell, o = np.split(np.concatenate(weights), 4, axis=1)
            return np.concatenate((i, f, o, cell), axis=1)

        return cls(
            weight(f"{name}.embedding.weight"),
            np.ascontiguousarray(both("weight_ih").transpose(0, 2, 1)),
            np.ascontiguousarray(both("weight_hh").transpose(0, 2, 1)),
            (both("bias_ih") + both("bias_hh"))[:, None],
        )

    def encode(self, sentences: Sentences) -> Floats:
        """Each token with what is around it -> (K, B, T, 2D), zero beyond the ends of sentences."""
        forward, backward = self._read(sentences)
        lengths = np.array(list(map(len, sentences)))
        rows, places = np.nonzero(np.arange(forward.shape[2]) < lengths[:, None])
        encoded = np.zeros((*forward.shape[:3], 2 * forward.shape[3]), dtype=forward.dtype)
        states = forward[:, rows, places], backward[:, rows, lengths[rows] - 1 - places]
        encoded[:, rows, places] = np.concatenate(states, axis=2)
        return encoded

    def spans(self, sentences: Sentences, rows: Ints, begins: Ints, ends: Ints) -> Floats:
        """Spans (S,) in rows (S,) of sentences: both directions at their last token, (K, S, 2D)."""
        forward, backward = self._read(sentences)
        lengths = np.array(list(map(len, sentences)))[rows]
        states = forward[:, rows, ends - 1], backward[:, rows, lengths - 1 - begins]
        return np.concatenate(states, axis=2)

    def _read(self, sentences: Sentences) -> Floats:
        """The outputs in both directions, (2, K, B, T, D).

        Backwards, the last token comes first. Beyond the end of a sentence outputs mean nothing.
        """
        every = np.array(list(map(len, sentences)))
        # Long ones first: then those that have a token at some place are always the first ones.
        order = np.argsort(-every, kind="stable")
        lengths = every[order]
        words = np.zeros((2, len(sentences), int(lengths[0])), dtype=np.int64)
        for row, sentence in enumerate(order.tolist()):
            words[0, row, : lengths[row]] = sentences[sentence]
            words[1, row, : lengths[row]] = sentences[sentence][::-1]
        inputs, number = self._input_gates(words)
        members, width = len(self.embedding), self.hidden.shape[1]
        outputs = np.empty((2 * members, *words.shape[1:], width), dtype=inputs.dtype)
        h = c = np.zeros((2 * members, len(sentences), width), dtype=inputs.dtype)
        for step in range(words.shape[2]):
            active = int(np.searchsorted(-lengths, -step))  # sentences of more tokens than this
            gates = product(h[:, :active], self.hidden)
            gates[:members] += inputs[:members, number[0, :active, step]]
            gates[members:] += inputs[members:, number[1, :active, step]]
            squashed = sigmoid(gates[..., : 3 * width])
            i, f, o = (squashed[..., n * width : (n + 1) * width] for n in range(3))
            c = f * c[:, :active] + i * np.tanh(gates[..., 3 * width :])
            h = o * np.tanh(c)
            outputs[:, order[:active], step] = h
        return outputs.reshape(2, members, *outputs.shape[1:])

    def _input_gates(self, words: Ints) -> tuple[Floats, Ints]:
        """What different words add to the gates, (2K, n, 4D), and which of them each word is."""
        different, number = np.unique(words, return_inverse=True)
        embedded = self.embedding[:, different]
        inputs = product(np.concatenate((embedded, embedded)), self.inputs) + self.bias
        return inputs, number.reshape(words.shape)
