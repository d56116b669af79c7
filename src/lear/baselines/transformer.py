"""A pre-norm Transformer with sinusoidal positions and a key-value cache for decoding."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from lear.baselines.config import BaselineConfig
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import PAD


class KeysValues(NamedTuple):
    """What attention attends to."""

    keys: Tensor  # (B, heads, T, D / heads)
    values: Tensor  # (B, heads, T, D / heads)


class Memory(NamedTuple):
    """For each layer of the decoder: the encoded source, and the target tokens so far."""

    mask: Tensor  # (B, 1, 1, S): True where the source is no padding
    sources: tuple[KeysValues, ...]
    targets: tuple[KeysValues, ...]
    """Empty before the first token."""
    length: int
    """The number of target tokens so far."""


class Attention(nn.Module):
    """Multi-head attention."""

    def __init__(self, config: BaselineConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.query = nn.Linear(config.hidden, config.hidden)
        self.key_value = nn.Linear(config.hidden, 2 * config.hidden)
        self.out = nn.Linear(config.hidden, config.hidden)

    def _split(self, states: Tensor) -> Tensor:
        batch, length, hidden = states.shape
        return states.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)

    def keys_values(self, states: Tensor) -> KeysValues:
        """Keys and values of states (B, T, D)."""
        keys, values = self.key_value(states).chunk(2, dim=-1)
        return KeysValues(self._split(keys), self._split(values))

    def forward(
        self, states: Tensor, context: KeysValues, mask: Tensor | None, *, causal: bool = False
    ) -> Tensor:
        """States (B, T, D) that attend to a context -> (B, T, D)."""
        query = self._split(self.query(states))
        mixed = scaled_dot_product_attention(query, *context, attn_mask=mask, is_causal=causal)
        result: Tensor = self.out(mixed.transpose(1, 2).flatten(2))
        return result


def feed_forward(config: BaselineConfig) -> nn.Sequential:
    """The feed-forward part of a layer, for each position by itself."""
    wide = nn.Linear(config.hidden, 4 * config.hidden)
    return nn.Sequential(wide, nn.ReLU(), nn.Linear(4 * config.hidden, config.hidden))


class EncoderLayer(nn.Module):
    """Self-attention and feed-forward."""

    def __init__(self, config: BaselineConfig) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(config.hidden) for _ in range(2))
        self.attention = Attention(config)
        self.feed_forward = feed_forward(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(B, S, D) -> (B, S, D)."""
        normed = self.norms[0](states)
        attended = self.attention(normed, self.attention.keys_values(normed), mask)
        states = states + self.dropout(attended)
        transformed: Tensor = self.dropout(self.feed_forward(self.norms[1](states)))
        return states + transformed


class DecoderLayer(nn.Module):
    """Self-attention, attention to the source, and feed-forward."""

    def __init__(self, config: BaselineConfig) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(config.hidden) for _ in range(3))
        self.self_attention = Attention(config)
        self.source_attention = Attention(config)
        self.feed_forward = feed_forward(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        states: Tensor,
        before: KeysValues | None,
        source: KeysValues,
        mask: Tensor,
        *,
        causal: bool,
    ) -> tuple[Tensor, KeysValues]:
        """States (B, T, D) of new tokens -> (B, T, D), and the cache with the new tokens added."""
        normed = self.norms[0](states)
        cache = self.self_attention.keys_values(normed)
        if before is not None:
            pairs = zip(before, cache, strict=True)
            cache = KeysValues(*(torch.cat(pair, dim=2) for pair in pairs))
        states = states + self.dropout(self.self_attention(normed, cache, None, causal=causal))
        states = states + self.dropout(self.source_attention(self.norms[1](states), source, mask))
        return states + self.dropout(self.feed_forward(self.norms[2](states))), cache


def positions(begin: int, end: int, hidden: int) -> Tensor:
    """Sines and cosines of the positions, (T, D)."""
    places = torch.arange(begin, end)[:, None]
    rates = torch.exp(torch.arange(0, hidden, 2) * (-math.log(10_000.0) / hidden))
    return torch.stack((torch.sin(places * rates), torch.cos(places * rates)), dim=-1).flatten(1)


class Transformer(Seq2Seq):
    """Encoder and decoder."""

    def __init__(self, config: BaselineConfig, num_sources: int, num_targets: int) -> None:
        super().__init__()
        self.hidden = config.hidden
        self.sources = nn.Embedding(num_sources, config.hidden)
        self.targets = nn.Embedding(num_targets, config.hidden)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.layers))
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.layers))
        self.norms = nn.ModuleList(nn.LayerNorm(config.hidden) for _ in range(2))
        self.dropout = nn.Dropout(config.dropout)
        self.out = nn.Linear(config.hidden, num_targets)
        # Scaled up by sqrt(hidden) later: otherwise positions would dominate words.
        for embedding in (self.sources, self.targets):
            nn.init.normal_(embedding.weight, std=config.hidden**-0.5)

    def _embedded(self, embedding: nn.Embedding, tokens: Tensor, begin: int) -> Tensor:
        places = positions(begin, begin + tokens.shape[1], self.hidden)
        embedded: Tensor = self.dropout(embedding(tokens) * math.sqrt(self.hidden) + places)
        return embedded

    def start(self, source: Tensor) -> Memory:
        """Encode sources (B, S)."""
        mask = (source != PAD)[:, None, None, :]
        states = self._embedded(self.sources, source, 0)
        for layer in self.encoder:
            states = layer(states, mask)
        states = self.norms[0](states)
        sources = []
        for layer in self.decoder:
            assert isinstance(layer, DecoderLayer)
            sources.append(layer.source_attention.keys_values(states))
        return Memory(mask, tuple(sources), (), 0)

    def decoded(self, memory: Memory, tokens: Tensor) -> tuple[Tensor, Memory]:
        """Logits of target tokens (B, T) that follow those in memory, and the new memory."""
        states = self._embedded(self.targets, tokens, memory.length)
        targets = []
        for index, layer in enumerate(self.decoder):
            before = memory.targets[index] if memory.targets else None
            states, cache = layer(
                states, before, memory.sources[index], memory.mask, causal=not memory.targets
            )
            targets.append(cache)
        after = memory._replace(targets=tuple(targets), length=memory.length + tokens.shape[1])
        return self.out(self.norms[1](states)), after

    def select(self, memory: Memory, rows: Tensor) -> Memory:
        """The memory of some rows only."""

        def chosen(layers: tuple[KeysValues, ...]) -> tuple[KeysValues, ...]:
            return tuple(KeysValues(layer.keys[rows], layer.values[rows]) for layer in layers)

        sources, targets = chosen(memory.sources), chosen(memory.targets)
        return Memory(memory.mask[rows], sources, targets, memory.length)
