"""The network: Composer (3.1) and Interpreter (3.2) as layers, without any search."""

from collections.abc import Sequence

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lear.grammar.rules import is_symbol, word_of
from lear.model.config import ModelConfig
from lear.model.vocabulary import Vocabulary
from lear.network.sentence_encoder import SentenceEncoder
from lear.network.tree_lstm import State, StateEmbedding, TreeLSTMCell


class Composer(nn.Module):
    """States of nodes, how well two nodes merge, and whether a node is a nonterminal."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.symbols = StateEmbedding(len(vocabulary.symbols), config.hidden)
        match config.encoder:
            case "tree":
                self.words = StateEmbedding(len(vocabulary.words), config.hidden)
            case "contextual":
                self.sentences = SentenceEncoder(len(vocabulary.words), config.hidden)
                self.token = nn.Linear(2 * config.hidden, 2 * config.hidden)
            case "span":
                self.sentences = SentenceEncoder(len(vocabulary.words), config.hidden)
                self.span = nn.Linear(4 * config.hidden, 2 * config.hidden)
        self.cell = TreeLSTMCell(config.hidden)
        self.merge = nn.Linear(config.hidden, 1)
        self.nonterminal = nn.Linear(config.hidden, 1 + config.num_classes)

    def token_states(self, encoded: Tensor, sentences: Tensor, places: Tensor) -> State:
        """Encoded sentences (B, T, 2D), and which tokens of them (n,) -> states."""
        h, c = self.token(encoded[sentences, places]).chunk(2, dim=-1)
        return State(h, c)

    def span_states(self, encoded: Tensor, sentences: Tensor, begin: Tensor, end: Tensor) -> State:
        """Encoded sentences (B, T, 2D), and which spans of them (n,) -> states."""
        ends = torch.cat((encoded[sentences, begin], encoded[sentences, end - 1]), dim=-1)
        h, c = self.span(ends).tanh().chunk(2, dim=-1)
        return State(h, c)


class AlgebraicInterpreter(nn.Module):
    """The operation of an algebraic node, from the node's own state (semantic locality)."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.operation = nn.Linear(config.hidden, len(vocabulary.operations))


class LexicalInterpreter(nn.Module):
    """The primitive of a lexical node, from a Bi-LSTM over the sentence."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.sentences = SentenceEncoder(len(vocabulary.words), config.hidden)
        self.primitive = nn.Linear(2 * config.hidden, len(vocabulary.primitives))

    def forward(
        self, sentences: Sequence[Sequence[int]], rows: Tensor, begins: Tensor, ends: Tensor
    ) -> Tensor:
        """Sentences, and spans (S,) in rows (S,) of them -> logits of primitives (S, P)."""
        forward, backward = self.sentences(sentences).chunk(2, dim=-1)  # 2 x (B, T, D)
        spans = torch.cat((forward[rows, ends - 1], backward[rows, begins]), dim=-1)  # (S, 2D)
        logits: Tensor = self.primitive(spans)
        return logits


def initialise_orthogonally(network: nn.Module) -> None:
    """Orthogonal weights, no biases; forget gates begin open."""
    for module in network.modules():
        if isinstance(module, nn.Linear):
            nn.init.orthogonal_(module.weight)
            nn.init.zeros_(module.bias)
        elif isinstance(module, nn.LSTM):
            _initialise_lstm(module)
    for module in network.modules():
        if isinstance(module, TreeLSTMCell):  # gates: input, forget left and right, output, update
            for gate in module.gates.bias.data.chunk(5)[1:3]:
                gate.fill_(1.0)


def _initialise_lstm(lstm: nn.LSTM) -> None:
    for name, weight in lstm.named_parameters():
        if name.startswith("weight"):
            for gate in weight.chunk(4):
                nn.init.orthogonal_(gate)
        else:
            nn.init.zeros_(weight)
            if name.startswith("bias_ih"):  # gates: input, forget, cell, output
                weight.data.chunk(4)[1].fill_(1.0)


class Network(nn.Module):
    """The three parts that the paper trains with three learning rates."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.composer = Composer(config, vocabulary)
        self.algebraic = AlgebraicInterpreter(config, vocabulary)
        self.lexical = LexicalInterpreter(config, vocabulary)
        if config.initialisation == "orthogonal":
            initialise_orthogonally(self)
        alone = msgspec.structs.replace(config, members=1)
        others = (Network(alone, vocabulary) for _ in range(config.members - 1))
        self.others = nn.ModuleList(others)

    @property
    def members(self) -> "tuple[Network, ...]":
        """This network, and the others that have a say in its scores."""
        return (self, *(other for other in self.others if isinstance(other, Network)))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.composer.merge.weight.device

    def weights(self) -> dict[str, NDArray[np.floating]]:
        """The weights as they are now, by name, for a `ForwardPass` or a model file."""
        return {name: tensor.cpu().numpy().copy() for name, tensor in self.state_dict().items()}

    def index(self, values: Sequence[int]) -> Tensor:
        """Numbers as a tensor to index with."""
        return torch.tensor(values, dtype=torch.long, device=self.device)

    def part_states(self, parts: Sequence[str]) -> State:
        """States of words and of bracketed symbols."""
        symbols = self.vocabulary.symbol_numbers
        words = self.vocabulary.word_numbers
        symbol_ids = [symbols[part[1:-1]] if is_symbol(part) else 0 for part in parts]
        word_ids = [0 if is_symbol(part) else words.get(word_of(part), 0) for part in parts]
        flags = [is_symbol(part) for part in parts]
        mask = torch.tensor(flags, dtype=torch.bool, device=self.device)[:, None]
        symbol = self.composer.symbols(self.index(symbol_ids))
        word = self.composer.words(self.index(word_ids))
        return State(torch.where(mask, symbol.h, word.h), torch.where(mask, symbol.c, word.c))
