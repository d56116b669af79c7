"""The layers of a network in NumPy, for all members of an ensemble at once: parsing without torch.

`Network` has the same layers in torch, with the same numbers: `Layers` are either of them. Arrays
have the members first, (K, ...), so that one product serves all of them; tensors have not.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lear.grammar.rules import is_symbol, word_of
from lear.model.config import ModelConfig, Vocabulary

if TYPE_CHECKING:
    from lear.model.network import Network

Layers: TypeAlias = "ForwardPass | Network"
Floats = NDArray[np.floating]
"""Arrays of the precision that the weights have."""
Ints = NDArray[np.int64]
Sentences = Sequence[Sequence[int]]
"""Sentences as numbers of words."""


class States(NamedTuple):
    """Output and memory of nodes."""

    h: Any  # (..., n, D)
    c: Any  # (..., n, D)

    def pick(self, places: Ints) -> "States":
        """Return the states at these places."""
        return States(self.h[..., places, :], self.c[..., places, :])


def part_states(layers: Layers, parts: Sequence[str]) -> States:
    """Return the states of words and of bracketed symbols."""
    symbols, words = layers.vocabulary.symbol_numbers, layers.vocabulary.word_numbers
    flags = np.array([is_symbol(part) for part in parts], dtype=bool)
    symbol_numbers = [symbols[part[1:-1]] if is_symbol(part) else 0 for part in parts]
    word_numbers = [0 if is_symbol(part) else words.get(word_of(part), 0) for part in parts]
    symbol = layers.symbol_states(np.array(symbol_numbers, dtype=np.int64))
    word = layers.word_states(np.array(word_numbers, dtype=np.int64))
    return States(*(layers.where(flags[:, None], *both) for both in zip(symbol, word, strict=True)))


class Linear(NamedTuple):
    """The same linear layer of all members."""

    weight: Floats  # (K, in, out): transposed, so that x @ weight
    bias: Floats  # (K, 1, out)

    def __call__(self, x: Floats) -> Floats:
        """(K, n, in) -> (K, n, out)."""
        outputs: Floats = product(x, self.weight) + self.bias
        return outputs


MAX_PRODUCT = 200_000
"""The most multiplications in one matrix product. Beyond that BLAS brings in threads, which cost
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


class Embedding(NamedTuple):
    """Linear(Emb(x)): the states of words or of symbols by themselves."""

    embedding: Floats  # (K, count, D)
    linear: Linear

    def __call__(self, numbers: Ints) -> States:
        """(n,) -> states."""
        return _halves(self.linear(self.embedding[:, numbers]))


@dataclass(frozen=True)
class SentenceEncoder:
    """A Bi-LSTM over sentences; its gates are in the order input, forget, output, cell.

    Both directions of all K members are read together, as if there were 2K members.
    """

    embedding: Floats  # (K, words, D)
    inputs: Floats  # (2K, D, 4D)
    hidden: Floats  # (2K, D, 4D)
    bias: Floats  # (2K, 1, 4D)

    def __call__(self, sentences: Sentences) -> Floats:
        """Return each token in its context, one sentence after the other, (K, tokens, 2D)."""
        lengths = np.array(list(map(len, sentences)))
        forward, backward = self._read(sentences, lengths)
        rows, places = np.nonzero(np.arange(forward.shape[2]) < lengths[:, None])
        states = forward[:, rows, places], backward[:, rows, lengths[rows] - 1 - places]
        return np.concatenate(states, axis=2)

    def _read(self, sentences: Sentences, lengths: Ints) -> Floats:
        """Return the outputs in both directions, (2, K, B, T, D).

        Backwards, the last token comes first. Beyond the end of a sentence outputs mean nothing.
        """
        # Long ones first: then those that have a token at some place are always the first ones.
        order = np.argsort(-lengths, kind="stable")
        lengths = lengths[order]
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
            i, f, o = np.split(sigmoid(gates[..., : 3 * width]), 3, axis=2)
            c = f * c[:, :active] + i * np.tanh(gates[..., 3 * width :])
            h = o * np.tanh(c)
            outputs[:, order[:active], step] = h
        return outputs.reshape(2, members, *outputs.shape[1:])

    def _input_gates(self, words: Ints) -> tuple[Floats, Ints]:
        """Return what each distinct word adds to the gates, (2K, n, 4D), and these by number."""
        distinct, number = np.unique(words, return_inverse=True)
        embedded = self.embedding[:, distinct]
        inputs = product(np.concatenate((embedded, embedded)), self.inputs) + self.bias
        return inputs, number.reshape(words.shape)


class ForwardPass:
    """The layers of a model at work."""

    def __init__(
        self, config: ModelConfig, vocabulary: Vocabulary, weights: Mapping[str, Floats]
    ) -> None:
        """Take weights by the names that `Network.state_dict` has; they must not change."""
        self.config = config
        self.vocabulary = vocabulary
        self._weights = weights
        match config.encoder:
            case "tree":
                self._words = self._embedding("composer.words")
            case "contextual":
                self._sentences = self._encoder("composer.sentences")
                self._token = self._linear("composer.token")
            case "span":
                self._sentences = self._encoder("composer.sentences")
                self._span = self._linear("composer.span")
        self._symbols = self._embedding("composer.symbols")
        self.gates = self._linear("composer.cell.gates")
        self.merge = self._linear("composer.merge")
        self.nonterminal = self._linear("composer.nonterminal")
        self.operation = self._linear("algebraic.operation")
        self._lexical = self._encoder("lexical.sentences")
        self._primitive = self._linear("lexical.primitive")

    def _stacked(self, name: str) -> Floats:
        """Return a weight of all members, (K, ...)."""
        prefixes = ("", *(f"others.{k}." for k in range(self.config.members - 1)))
        return np.stack([self._weights[prefix + name] for prefix in prefixes])

    def _linear(self, name: str) -> Linear:
        weight, bias = self._stacked(f"{name}.weight"), self._stacked(f"{name}.bias")
        return Linear(np.ascontiguousarray(weight.transpose(0, 2, 1)), bias[:, None])

    def _embedding(self, name: str) -> Embedding:
        return Embedding(self._stacked(f"{name}.embedding.weight"), self._linear(f"{name}.linear"))

    def _encoder(self, name: str) -> SentenceEncoder:
        def both(kind: str) -> Floats:
            weights = [self._stacked(f"{name}.lstm.{kind}_{side}") for side in DIRECTIONS]
            i, f, cell, o = np.split(np.concatenate(weights), 4, axis=1)
            return np.concatenate((i, f, o, cell), axis=1)

        return SentenceEncoder(
            self._stacked(f"{name}.embedding.weight"),
            np.ascontiguousarray(both("weight_ih").transpose(0, 2, 1)),
            np.ascontiguousarray(both("weight_hh").transpose(0, 2, 1)),
            (both("bias_ih") + both("bias_hh"))[:, None],
        )

    def symbol_states(self, symbols: Ints) -> States:
        """Return the states of symbols, (n,)."""
        return self._symbols(symbols)

    def word_states(self, words: Ints) -> States:
        """Return the states of words by themselves, (n,)."""
        return self._words(words)

    def encode(self, sentences: Sentences) -> Floats:
        """Return the tokens of sentences in context, one after the other, (K, tokens, 2D)."""
        return self._sentences(sentences)

    def token_states(self, encoded: Floats, tokens: Ints) -> States:
        """Return the states of some encoded tokens, (n,): the contextual encoder."""
        return _halves(self._token(encoded[:, tokens]))

    def span_states(self, encoded: Floats, begins: Ints, ends: Ints) -> States:
        """Return the states of spans of encoded tokens, (n,): the span encoder."""
        both = np.concatenate((encoded[:, begins], encoded[:, ends - 1]), axis=2)
        return _halves(np.tanh(self._span(both)))

    def compose(self, left: States, right: States) -> States:
        """Return the states of parents from those of left and right children: the Tree-LSTM."""
        gates = self.gates(np.concatenate((left.h, right.h), axis=2))
        i, f_left, f_right, o = np.split(sigmoid(gates[..., : 4 * self.config.hidden]), 4, axis=2)
        update = np.tanh(gates[..., 4 * self.config.hidden :])
        c = i * update + f_left * left.c + f_right * right.c
        return States(o * np.tanh(c), c)

    def node_logits(self, h: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the logits of merging (K, n, 1), of classes and of operations for nodes."""
        return self.merge(h), self.nonterminal(h), self.operation(h)

    def primitive_logits(self, sentences: Sentences, begins: Ints, ends: Ints) -> Floats:
        """Return the logits of primitives, (K, n, P), for spans (n,) of all tokens in a row."""
        forward, backward = np.split(self._lexical(sentences), 2, axis=2)
        spans = np.concatenate((forward[:, ends - 1], backward[:, begins]), axis=2)
        return self._primitive(spans)

    def zeros(self, *shape: int) -> Floats:
        """Return zeros, (K, *shape), of the precision of the weights."""
        return np.zeros((self.config.members, *shape), dtype=self.merge.bias.dtype)

    def join(self, arrays: Sequence[Any]) -> Any:
        """Concatenate arrays, (K, n, ...), along their nodes."""
        return np.concatenate(arrays, axis=1)

    def where(self, mask: NDArray[np.bool_], yes: Any, no: Any) -> Any:
        """Choose between two arrays, or an array and a number."""
        return np.where(mask, yes, no)

    def log_softmax(self, logits: Floats) -> Floats:
        """Return log-probabilities along the last axis."""
        top = logits.max(axis=-1, keepdims=True)
        sums = np.exp(logits - top).sum(axis=-1, keepdims=True)
        log_p: Floats = logits - top - np.log(sums)
        return log_p

    def numpy(self, array: Floats) -> NDArray[np.float64]:
        """Return what the first member says, in double precision."""
        first: NDArray[np.float64] = array[0].astype(np.float64)
        return first


def _halves(both: Floats) -> States:
    return States(*np.split(both, 2, axis=2))


DIRECTIONS = ("l0", "l0_reverse")
"""The directions of a Bi-LSTM as torch names them."""


def weight_shapes(config: ModelConfig, vocabulary: Vocabulary) -> dict[str, tuple[int, ...]]:
    """Return the shape of every weight that a network with these settings has, by its name."""
    hidden, words = config.hidden, len(vocabulary.words)
    shapes: dict[str, tuple[int, ...]] = {}

    def linear(name: str, inputs: int, outputs: int) -> None:
        shapes[f"{name}.weight"], shapes[f"{name}.bias"] = (outputs, inputs), (outputs,)

    def embedding(name: str, count: int) -> None:
        shapes[f"{name}.embedding.weight"] = (count, hidden)

    def sentences(name: str) -> None:
        embedding(name, words)
        for direction in DIRECTIONS:
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
