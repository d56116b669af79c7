"""The network's forward pass in NumPy, for all members of an ensemble at once.

What `network.network` is to training, this is to parsing: the same weights, the same numbers, no
torch.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from lear.grammar.rules import is_symbol, word_of
from lear.model.config import ModelConfig
from lear.model.layers import Floats, Ints, Linear, States, gated
from lear.model.sentence_encoder import SentenceEncoder
from lear.model.vocabulary import Vocabulary


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
