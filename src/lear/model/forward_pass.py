"""The layers of networks in NumPy, for all members of an ensemble at once.

Arrays have the members first, (K, ...), so that one product serves all of them.

A Bi-LSTM over sentences in NumPy, for all members of an ensemble at once.

Both directions of all K members are read together, as if there were 2K members.

The network's forward pass in NumPy, for all members of an ensemble at once.

What `network.network` is to training, this is to parsing: the same weights, the same numbers, no
torch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.grammar.rules import is_symbol, word_of
from lear.model.config import ModelConfig, Vocabulary

Floats = NDArray[np.floating]
"""Of the precision that the weights have."""
Ints = NDArray[np.int64]


class States(NamedTuple):
    """Output and memory of n nodes, for each of K members."""

    h: Floats  # (K, n, D)
    c: Floats  # (K, n, D)

    def pick(self, places: Ints) -> "States":
        """The states at these places."""
        return States(self.h[:, places], self.c[:, places])


class Linear(NamedTuple):
    """The same linear layer of all members."""

    weight: Floats  # (K, in, out): transposed, so that x @ weight
    bias: Floats  # (K, 1, out)

    def __call__(self, x: Floats) -> Floats:
        """(K, n, in) -> (K, n, out)."""
        outputs: Floats = product(x, self.weight) + self.bias
        return outputs


MAX_PRODUCT = 200_000
"""Multiplications in one matrix product at most. Beyond that BLAS brings in threads, which cost
matrices as small as ours far more than they save."""


def product(x: Floats, weight: Floats) -> Floats:
    """(K, n, in) @ (K, in, out), some rows at a time."""
    rows = max(1, MAX_PRODUCT // (weight.shape[1] * weight.shape[2]))
    if x.shape[1] <= rows:
        outputs: Floats = np.matmul(x, weight)
        return outputs
    parts = [np.matmul(x[:, n : n + rows], weight) for n in range(0, x.shape[1], rows)]
    return np.concatenate(parts, axis=1)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    squashed: Floats = 0.5 * x
    np.tanh(squashed, out=squashed)
    squashed *= 0.5
    squashed += 0.5
    return squashed


def gated(gates: Floats, left_c: Floats, right_c: Floats) -> States:
    """The Tree-LSTM behind its linear layer: gates (K, n, 5 D) and the memories of children."""
    hidden = gates.shape[-1] // 5
    squashed = sigmoid(gates[..., : 4 * hidden])
    i, f_left, f_right, o = (squashed[..., n * hidden : (n + 1) * hidden] for n in range(4))
    c = i * np.tanh(gates[..., 4 * hidden :]) + f_left * left_c + f_right * right_c
    return States(o * np.tanh(c), c)


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


class ForwardPass:
    """The weights of a model at work; layers are put together when first used."""

    def __init__(
        self, config: ModelConfig, vocabulary: Vocabulary, weights: Mapping[str, Floats]
    ) -> None:
        """Weights by the names that `Network.state_dict` has; they must not change any more."""
        self.config = config
        self.vocabulary = vocabulary
        self.weights = weights
        self._stacked: dict[str, Floats] = {}
        self._layers: dict[str, Linear] = {}
        self._encoders: dict[str, SentenceEncoder] = {}

    @property
    def num_members(self) -> int:
        """K: how many networks have a say."""
        return self.config.members

    def stacked(self, name: str) -> Floats:
        """A weight of all members, (K, ...)."""
        if name not in self._stacked:
            prefixes = ("", *(f"others.{k}." for k in range(self.num_members - 1)))
            self._stacked[name] = np.stack([self.weights[prefix + name] for prefix in prefixes])
        return self._stacked[name]

    def linear(self, name: str) -> Linear:
        """A linear layer by its name."""
        if name not in self._layers:
            weight, bias = self.stacked(f"{name}.weight"), self.stacked(f"{name}.bias")
            transposed = np.ascontiguousarray(weight.transpose(0, 2, 1))
            self._layers[name] = Linear(transposed, bias[:, None, :])
        return self._layers[name]

    @cached_property
    def merge(self) -> Linear:
        """How well two nodes merge."""
        return self.linear("composer.merge")

    @cached_property
    def nonterminal(self) -> Linear:
        """Whether a node is a nonterminal, and of which class."""
        return self.linear("composer.nonterminal")

    @cached_property
    def operation(self) -> Linear:
        """The operation of an algebraic node."""
        return self.linear("algebraic.operation")

    @cached_property
    def gates(self) -> Linear:
        """Of the Tree-LSTM."""
        return self.linear("composer.cell.gates")

    def embedded(self, name: str, numbers: Ints) -> States:
        """Linear(Emb(x)) of words (`composer.words`) or symbols (`composer.symbols`)."""
        embedding = self.stacked(f"{name}.embedding.weight")[:, numbers]
        return _halves(self.linear(f"{name}.linear")(embedding))

    def part_states(self, parts: Sequence[str]) -> States:
        """States of words and of bracketed symbols."""
        symbols, words = self.vocabulary.symbol_numbers, self.vocabulary.word_numbers
        flags = np.array([is_symbol(part) for part in parts], dtype=bool)
        numbers = [
            symbols[part[1:-1]] if is_symbol(part) else words.get(word_of(part), 0)
            for part in parts
        ]
        every = np.array(numbers, dtype=np.int64)
        if flags.all():  # mostly, and then it takes half as long
            return self.embedded("composer.symbols", every)
        symbol = self.embedded("composer.symbols", np.where(flags, every, 0))
        word = self.embedded("composer.words", np.where(flags, 0, every))
        mask = flags[None, :, None]
        return States(np.where(mask, symbol.h, word.h), np.where(mask, symbol.c, word.c))

    def compose(self, left: States, right: States) -> States:
        """The Tree-LSTM: states of left and right children -> states of parents."""
        return gated(self.gates(np.concatenate((left.h, right.h), axis=2)), left.c, right.c)

    def encode(self, name: str, sentences: Sequence[Sequence[int]]) -> Floats:
        """A Bi-LSTM over sentences of word numbers -> (K, B, T, 2D), zero beyond their ends."""
        return self._encoder(name).encode(sentences)

    def _encoder(self, name: str) -> SentenceEncoder:
        """An encoder by its name."""
        if name not in self._encoders:
            self._encoders[name] = SentenceEncoder.of(name, self.stacked)
        return self._encoders[name]

    def primitive_logits(
        self, sentences: Sequence[Sequence[int]], rows: Ints, begins: Ints, ends: Ints
    ) -> Floats:
        """Sentences, and spans (S,) in rows (S,) of them -> logits of primitives (K, S, P)."""
        spans = self._encoder("lexical.sentences").spans(sentences, rows, begins, ends)
        return self.linear("lexical.primitive")(spans)

    def token_states(self, encoded: Floats, rows: Ints, places: Ints) -> States:
        """Tokens (n,) of encoded sentences (K, B, T, 2D), for the contextual encoder."""
        return _halves(self.linear("composer.token")(encoded[:, rows, places]))

    def span_states(self, encoded: Floats, rows: Ints, begins: Ints, ends: Ints) -> States:
        """Spans (n,) of encoded sentences (K, B, T, 2D), for the span encoder."""
        both = np.concatenate((encoded[:, rows, begins], encoded[:, rows, ends - 1]), axis=2)
        return _halves(np.tanh(self.linear("composer.span")(both)))


def _halves(both: Floats) -> States:
    h, c = np.split(both, 2, axis=2)
    return States(h, c)


def weight_shapes(config: ModelConfig, vocabulary: Vocabulary) -> dict[str, tuple[int, ...]]:
    """Name -> shape of every weight that a network with these settings has."""
    hidden, words = config.hidden, len(vocabulary.words)
    shapes: dict[str, tuple[int, ...]] = {}

    def linear(name: str, inputs: int, outputs: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)

    def embedding(name: str, count: int) -> None:
        shapes[f"{name}.embedding.weight"] = (count, hidden)

    def sentences(name: str) -> None:
        embedding(name, words)
        for direction in ("l0", "l0_reverse"):
            for side in ("ih", "hh"):
                shapes[f"{name}.lstm.weight_{side}_{direction}"] = (4 * hidden, hidden)
                shapes[f"{name}.lstm.bias_{side}_{direction}"] = (4 * hidden,)

    embedding("composer.symbols", len(vocabulary.symbols))
    linear("composer.symbols.linear", hidden, 2 * hidden)
    match config.encoder:
        case "tree":
            embedding("composer.words", words)
            linear("composer.words.linear", hidden, 2 * hidden)
        case "contextual":
            sentences("composer.sentences")
            linear("composer.token", 2 * hidden, 2 * hidden)
        case "span":
            sentences("composer.sentences")
            linear("composer.span", 4 * hidden, 2 * hidden)
    linear("composer.cell.gates", 2 * hidden, 5 * hidden)
    linear("composer.merge", hidden, 1)
    linear("composer.nonterminal", hidden, 1 + config.num_classes)
    linear("algebraic.operation", hidden, len(vocabulary.operations))
    sentences("lexical.sentences")
    linear("lexical.primitive", 2 * hidden, len(vocabulary.primitives))
    others = {
        f"others.{member}.{name}": shape
        for member in range(config.members - 1)
        for name, shape in shapes.items()
    }
    return shapes | others
