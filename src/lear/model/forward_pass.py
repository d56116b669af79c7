"""The network's forward pass in NumPy, for all members of an ensemble at once.

What `network.network` is to training, this is to parsing: the same weights, the same numbers, no
torch. Arrays have the members first, (K, ...), so that one product serves all of them.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.grammar.rules import is_symbol, word_of
from lear.model.config import ModelConfig
from lear.model.vocabulary import Vocabulary

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
    squashed: Floats = 0.5 * np.tanh(0.5 * x) + 0.5
    return squashed


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
        symbol = self.embedded("composer.symbols", np.where(flags, every, 0))
        word = self.embedded("composer.words", np.where(flags, 0, every))
        mask = flags[None, :, None]
        return States(np.where(mask, symbol.h, word.h), np.where(mask, symbol.c, word.c))

    def compose(self, left: States, right: States) -> States:
        """The Tree-LSTM: states of left and right children -> states of parents."""
        return gated(self.gates(np.concatenate((left.h, right.h), axis=2)), left.c, right.c)

    def encode(self, name: str, sentences: Sequence[Sequence[int]]) -> Floats:
        """A Bi-LSTM over sentences of word numbers -> (K, B, T, 2D), zero beyond their ends."""
        every = np.array([len(sentence) for sentence in sentences])
        # Long ones first: then those that have a token at some place are always the first ones.
        order = np.argsort(-every, kind="stable")
        lengths = every[order]
        words = np.zeros((2, len(sentences), int(lengths[0])), dtype=np.int64)
        for row, number in enumerate(order.tolist()):
            words[0, row, : lengths[row]] = sentences[number]
            words[1, row, : lengths[row]] = sentences[number][::-1]
        forward = self._lstm(f"{name}.lstm", "l0", name, words[0], lengths)
        backward = self._lstm(f"{name}.lstm", "l0_reverse", name, words[1], lengths)
        members, _, steps, hidden = forward.shape
        encoded = np.zeros((members, len(sentences), steps, 2 * hidden), dtype=forward.dtype)
        encoded[:, order, :, :hidden] = forward
        # What was read backwards stands at its place counted from the end.
        rows, places = np.nonzero(np.arange(steps) < lengths[:, None])
        encoded[:, order[rows], lengths[rows] - 1 - places, hidden:] = backward[:, rows, places]
        return encoded

    def _lstm(self, lstm: str, direction: str, name: str, words: Ints, lengths: Ints) -> Floats:
        """One direction over words (B, T), long sentences first -> outputs (K, B, T, D)."""
        hidden_weight = self.stacked(f"{lstm}.weight_hh_{direction}").transpose(0, 2, 1)
        inputs, number = self._input_gates(lstm, direction, name, words)
        batch, steps = words.shape
        members, hidden = hidden_weight.shape[:2]
        outputs = np.zeros((members, batch, steps, hidden), dtype=inputs.dtype)
        h = c = np.zeros((members, batch, hidden), dtype=inputs.dtype)
        for step in range(steps):
            active = int(np.searchsorted(-lengths, -step))  # sentences of more tokens than this
            gates = inputs[:, number[:active, step]] + product(h[:, :active], hidden_weight)
            squashed = sigmoid(gates)  # input, forget, cell, output; of the cell it is not used
            i, f, o = (squashed[..., n * hidden : (n + 1) * hidden] for n in (0, 1, 3))
            c = f * c[:, :active] + i * np.tanh(gates[..., 2 * hidden : 3 * hidden])
            h = o * np.tanh(c)
            outputs[:, :active, step] = h
        return outputs

    def _input_gates(
        self, lstm: str, direction: str, name: str, words: Ints
    ) -> tuple[Floats, Ints]:
        """What the different words add to the gates, (K, n, 4D), and which of them each word is."""
        different, number = np.unique(words, return_inverse=True)
        embedded = self.stacked(f"{name}.embedding.weight")[:, different]
        weight = self.stacked(f"{lstm}.weight_ih_{direction}").transpose(0, 2, 1)
        first, second = (self.stacked(f"{lstm}.bias_{side}_{direction}") for side in ("ih", "hh"))
        return product(embedded, weight) + (first + second)[:, None, :], number.reshape(words.shape)

    def primitive_logits(
        self, sentences: Sequence[Sequence[int]], rows: Ints, begins: Ints, ends: Ints
    ) -> Floats:
        """Sentences, and spans (S,) in rows (S,) of them -> logits of primitives (K, S, P)."""
        encoded = self.encode("lexical.sentences", sentences)
        forward, backward = np.split(encoded, 2, axis=3)
        spans = np.concatenate((forward[:, rows, ends - 1], backward[:, rows, begins]), axis=2)
        return self.linear("lexical.primitive")(spans)

    def token_states(self, encoded: Floats, rows: Ints, places: Ints) -> States:
        """Tokens (n,) of encoded sentences (K, B, T, 2D), for the contextual encoder."""
        return _halves(self.linear("composer.token")(encoded[:, rows, places]))

    def span_states(self, encoded: Floats, rows: Ints, begins: Ints, ends: Ints) -> States:
        """Spans (n,) of encoded sentences (K, B, T, 2D), for the span encoder."""
        both = np.concatenate((encoded[:, rows, begins], encoded[:, rows, ends - 1]), axis=2)
        return _halves(np.tanh(self.linear("composer.span")(both)))


def gated(gates: Floats, left_c: Floats, right_c: Floats) -> States:
    """The Tree-LSTM behind its linear layer: gates (K, n, 5 D) and the memories of children."""
    hidden = gates.shape[-1] // 5
    squashed = sigmoid(gates[..., : 4 * hidden])
    i, f_left, f_right, o = (squashed[..., n * hidden : (n + 1) * hidden] for n in range(4))
    c = i * np.tanh(gates[..., 4 * hidden :]) + f_left * left_c + f_right * right_c
    return States(o * np.tanh(c), c)


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
