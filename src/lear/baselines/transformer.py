"""A Transformer, pre-norm, with sinusoidal positions; decoding keeps keys and values."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from lear.baselines.config import BaselineConfig
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import PAD


class KeysValues(NamedTuple):
    """What attention looks at."""

    keys: Tensor  # (B, heads, T, D / heads)
    values: Tensor  # (B, heads, T, D / heads)


class Memory(NamedTuple):
    """The encoded source and what the decoder has said so far, for each layer."""

    mask: Tensor  # (B, 1, 1, S): what is no padding
    sources: tuple[KeysValues, ...]
    said: tuple[KeysValues, ...]
    length: int


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

    def look(self, states: Tensor) -> KeysValues:
        """Keys and values of states (B, T, D)."""
        keys, values = self.key_value(states).chunk(2, dim=-1)
        return KeysValues(self._split(keys), self._split(values))

    def forward(
        self, states: Tensor, seen: KeysValues, mask: Tensor | None, *, causal: bool = False
    ) -> Tensor:
        """States (B, T, D) that look at what was seen -> (B, T, D)."""
        query = self._split(self.query(states))
        found = scaled_dot_product_attention(query, *seen, attn_mask=mask, is_causal=causal)
        result: Tensor = self.out(found.transpose(1, 2).flatten(2))
        return result


def feed_forward(config: BaselineConfig) -> nn.Sequential:
    """The part of a layer that sees one position only."""
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
        found = self.attention(normed, self.attention.look(normed), mask)
        states = states + self.dropout(found)
        changed: Tensor = self.dropout(self.feed_forward(self.norms[1](states)))
        return states + changed


class DecoderLayer(nn.Module):
    """Attention to what was said, attention to the source, feed-forward."""

    def __init__(self, config: BaselineConfig) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(config.hidden) for _ in range(3))
        self.said = Attention(config)
        self.source = Attention(config)
        self.feed_forward = feed_forward(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self,
        states: Tensor,
        said: KeysValues | None,
        source: KeysValues,
        mask: Tensor,
        *,
        causal: bool,
    ) -> tuple[Tensor, KeysValues]:
        """New states (B, T, D), after what was said before -> (B, T, D), and all that was said."""
        normed = self.norms[0](states)
        new = self.said.look(normed)
        if said is not None:
            pairs = zip(said, new, strict=True)
            new = KeysValues(*(torch.cat(pair, dim=2) for pair in pairs))
        states = states + self.dropout(self.said(normed, new, None, causal=causal))
        states = states + self.dropout(self.source(self.norms[1](states), source, mask))
        return states + self.dropout(self.feed_forward(self.norms[2](states))), new


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
        # Small embeddings times a large root: without it positions drown words.
        for embedding in (self.sources, self.targets):
            nn.init.normal_(embedding.weight, std=config.hidden**-0.5)

    def _embedded(self, embedding: nn.Embedding, tokens: Tensor, begin: int) -> Tensor:
        places = positions(begin, begin + tokens.shape[1], self.hidden)
        found: Tensor = self.dropout(embedding(tokens) * math.sqrt(self.hidden) + places)
        return found

    def start(self, source: Tensor) -> Memory:
        """Encode sources (B, S)."""
        mask = (source != PAD)[:, None, None, :]
        states = self._embedded(self.sources, source, 0)
        for layer in self.encoder:
            states = layer(states, mask)
        states = self.norms[0](states)
        seen = []
        for layer in self.decoder:
            assert isinstance(layer, DecoderLayer)
            seen.append(layer.source.look(states))
        return Memory(mask, tuple(seen), (), 0)

    def decoded(self, memory: Memory, tokens: Tensor) -> tuple[Tensor, Memory]:
        """Tokens (B, T) after what was said before."""
        states = self._embedded(self.targets, tokens, memory.length)
        said = []
        for index, layer in enumerate(self.decoder):
            before = memory.said[index] if memory.said else None
            states, now = layer(
                states, before, memory.sources[index], memory.mask, causal=not memory.said
            )
            said.append(now)
        after = memory._replace(said=tuple(said), length=memory.length + tokens.shape[1])
        return self.out(self.norms[1](states)), after

    def select(self, memory: Memory, rows: Tensor) -> Memory:
        """The memory of some rows only."""

        def chosen(layers: tuple[KeysValues, ...]) -> tuple[KeysValues, ...]:
            return tuple(KeysValues(layer.keys[rows], layer.values[rows]) for layer in layers)

        sources, said = chosen(memory.sources), chosen(memory.said)
        return Memory(memory.mask[rows], sources, said, memory.length)
