"""The network: Composer (3.1) and Interpreter (3.2) as layers, without any search."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from lear.model.config import ModelConfig
from lear.model.tree_lstm import State, StateEmbedding, TreeLSTMCell
from lear.model.vocabulary import Vocabulary


class Composer(nn.Module):
    """States of nodes, how well two nodes merge, and whether a node is a nonterminal."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        num_classes = config.nonterminals if config.symbols == "latent" else 1
        self.words = StateEmbedding(len(vocabulary.words), config.hidden)
        self.symbols = StateEmbedding(len(vocabulary.symbols), config.hidden)
        self.cell = TreeLSTMCell(config.hidden)
        self.merge = nn.Linear(config.hidden, 1)
        self.nonterminal = nn.Linear(config.hidden, 1 + num_classes)


class AlgebraicInterpreter(nn.Module):
    """The operation of an algebraic node, from the node's own state (semantic locality)."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.operation = nn.Linear(config.hidden, len(vocabulary.operations))


class LexicalInterpreter(nn.Module):
    """The primitive of a lexical node, from a Bi-LSTM over the sentence."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(vocabulary.words), config.hidden)
        self.lstm = nn.LSTM(config.hidden, config.hidden, batch_first=True, bidirectional=True)
        self.primitive = nn.Linear(2 * config.hidden, len(vocabulary.primitives))

    def forward(self, words: Tensor, begins: Tensor, ends: Tensor, rows: Tensor) -> Tensor:
        """Padded words (B, T) and spans (S,) in rows (S,) -> logits of primitives (S, P)."""
        states, _ = self.lstm(self.embedding(words))  # (B, T, 2D)
        forward, backward = states.chunk(2, dim=-1)
        spans = torch.cat((forward[rows, ends - 1], backward[rows, begins]), dim=-1)  # (S, 2D)
        logits: Tensor = self.primitive(spans)
        return logits


class Network(nn.Module):
    """The three parts that the paper trains with three learning rates."""

    def __init__(self, config: ModelConfig, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.config = config
        self.vocabulary = vocabulary
        self.composer = Composer(config, vocabulary)
        self.algebraic = AlgebraicInterpreter(config, vocabulary)
        self.lexical = LexicalInterpreter(config, vocabulary)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.composer.merge.weight.device

    def part_states(self, parts: Sequence[str]) -> State:
        """States of words and of bracketed symbols."""
        symbols = self.vocabulary.symbol_numbers
        words = self.vocabulary.word_numbers
        is_symbol = [part.startswith("[") for part in parts]
        symbol_ids = [symbols[p[1:-1]] if s else 0 for p, s in zip(parts, is_symbol, strict=True)]
        word_ids = [0 if s else words.get(p, 0) for p, s in zip(parts, is_symbol, strict=True)]
        mask = torch.tensor(is_symbol, device=self.device)[:, None]
        symbol = self.composer.symbols(torch.tensor(symbol_ids, device=self.device))
        word = self.composer.words(torch.tensor(word_ids, device=self.device))
        return State(torch.where(mask, symbol.h, word.h), torch.where(mask, symbol.c, word.c))
