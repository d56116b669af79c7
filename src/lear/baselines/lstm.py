"""An LSTM encoder and decoder with attention."""

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lear.baselines.config import BaselineConfig
from lear.baselines.seq2seq import Memory, Seq2Seq
from lear.baselines.text import PAD


class AttentionLSTM(Seq2Seq):
    """Attention sits between the two LSTMs of the decoder, so the upper one knows what was read."""

    def __init__(self, config: BaselineConfig, num_sources: int, num_targets: int) -> None:
        super().__init__()
        hidden, dropout = config.hidden, config.dropout
        self.sources = nn.Embedding(num_sources, hidden, padding_idx=PAD)
        self.targets = nn.Embedding(num_targets, hidden, padding_idx=PAD)
        self.encoder = nn.LSTM(
            hidden,
            hidden // 2 if config.bidirectional else hidden,
            config.layers,
            batch_first=True,
            dropout=dropout if config.layers > 1 else 0.0,
            bidirectional=config.bidirectional,
        )
        self.lower = nn.LSTM(hidden, hidden, batch_first=True)
        self.attention = nn.MultiheadAttention(hidden, config.heads, batch_first=True)
        self.upper = nn.LSTM(2 * hidden, hidden, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.out = nn.Linear(2 * hidden, num_targets)

    def start(self, source: Tensor) -> Memory:
        """Encode sources; both LSTMs of the decoder begin with the encoder's last state."""
        is_padding = source == PAD
        lengths = (~is_padding).sum(dim=1)
        embedded = self.dropout(self.sources(source))
        packed = pack_padded_sequence(embedded, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        encoded, _ = pad_packed_sequence(states, batch_first=True)  # (B, S, D)
        directions = 2 if self.encoder.bidirectional else 1
        h, c = (part[-directions:].transpose(0, 1).flatten(1) for part in last)  # (B, D)
        return is_padding, encoded, h, c, h, c

    def _decoded(self, memory: Memory, tokens: Tensor) -> tuple[Tensor, Memory]:
        """Logits (B, T, V) of tokens (B, T), and the memory after them."""
        is_padding, encoded, *states = memory
        lower_h, lower_c, upper_h, upper_c = (state[None] for state in states)
        embedded = self.dropout(self.targets(tokens))
        below, lower = self.lower(embedded, (lower_h, lower_c))
        context, _ = self.attention(
            below, encoded, encoded, key_padding_mask=is_padding, need_weights=False
        )
        above, upper = self.upper(
            self.dropout(torch.cat((below, context), dim=-1)), (upper_h, upper_c)
        )
        logits = self.out(self.dropout(torch.cat((above, context), dim=-1)))
        after = (state[0] for state in (*lower, *upper))
        return logits, (is_padding, encoded, *after)

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits of all targets."""
        return self._decoded(self.start(source), target)[0]

    def step(self, memory: Memory, token: Tensor) -> tuple[Tensor, Memory]:
        """Logits of one more token."""
        logits, after = self._decoded(memory, token[:, None])
        return logits[:, 0], after
