"""An LSTM encoder and decoder with attention over the source."""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lear.baselines.config import BaselineConfig
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import PAD


class Memory(NamedTuple):
    """The encoded source and the state of the decoder."""

    is_padding: Tensor  # (B, S)
    encoded: Tensor  # (B, S, D)
    h: Tensor  # (layers, B, D)
    c: Tensor  # (layers, B, D)


class AttentionLSTM(Seq2Seq):
    """Unidirectional LSTMs, with global attention on top of the decoder."""

    def __init__(self, config: BaselineConfig, num_sources: int, num_targets: int) -> None:
        super().__init__()
        hidden, layers = config.hidden, config.layers
        self.sources = nn.Embedding(num_sources, hidden)
        self.targets = nn.Embedding(num_targets, hidden)
        dropout = config.dropout if layers > 1 else 0.0
        self.encoder = nn.LSTM(hidden, hidden, layers, batch_first=True, dropout=dropout)
        self.decoder = nn.LSTM(hidden, hidden, layers, batch_first=True, dropout=dropout)
        self.query = nn.Linear(hidden, hidden, bias=False)
        self.mix = nn.Linear(2 * hidden, hidden)
        self.dropout = nn.Dropout(config.dropout)
        self.out = nn.Linear(hidden, num_targets)

    def start(self, source: Tensor) -> Memory:
        """Encode sources (B, S)."""
        is_padding = source == PAD
        embedded = self.dropout(self.sources(source))
        lengths = (~is_padding).sum(dim=1)
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, (h, c) = self.encoder(packed)
        encoded, _ = pad_packed_sequence(states, batch_first=True)
        return Memory(is_padding, encoded, h, c)

    def decoded(self, memory: Memory, tokens: Tensor) -> tuple[Tensor, Memory]:
        """Logits of target tokens (B, T) that follow those in memory, and the new memory."""
        embedded = self.dropout(self.targets(tokens))
        states, (h, c) = self.decoder(embedded, (memory.h, memory.c))  # (B, T, D)
        scores = self.query(states) @ memory.encoded.transpose(1, 2)  # (B, T, S)
        weights = scores.masked_fill(memory.is_padding[:, None, :], -torch.inf).softmax(dim=-1)
        mixed = self.mix(torch.cat((states, weights @ memory.encoded), dim=-1)).tanh()
        return self.out(self.dropout(mixed)), memory._replace(h=h, c=c)

    def select(self, memory: Memory, rows: Tensor) -> Memory:
        """The memory of some rows only."""
        return Memory(
            memory.is_padding[rows], memory.encoded[rows], memory.h[:, rows], memory.c[:, rows]
        )
