"""A pre-norm Transformer with sinusoidal positions and a key-value cache for decoding."""

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention

from lear.baselines.config import BaselineConfig
from lear.baselines.seq2seq import Memory, Seq2Seq
from lear.baselines.text import PAD


class Transformer(Seq2Seq):
    """Torch's Transformer between embeddings and a linear layer."""

    def __init__(self, config: BaselineConfig, num_sources: int, num_targets: int) -> None:
        super().__init__()
        hidden = config.hidden
        sizes = (hidden, config.heads, config.feed_forward, config.dropout)
        layer = nn.TransformerEncoderLayer(*sizes, batch_first=True, norm_first=True)
        self.transformer = nn.Transformer(
            hidden,
            config.heads,
            num_decoder_layers=config.layers,
            dim_feedforward=config.feed_forward,
            dropout=config.dropout,
            custom_encoder=nn.TransformerEncoder(
                layer, config.layers, nn.LayerNorm(hidden), enable_nested_tensor=False
            ),
            batch_first=True,
            norm_first=True,
        )
        self.sources = nn.Embedding(num_sources, hidden, padding_idx=PAD)
        self.targets = nn.Embedding(num_targets, hidden, padding_idx=PAD)
        self.dropout = nn.Dropout(config.dropout)
        self.out = nn.Linear(hidden, num_targets)
        # Embeddings stay as torch makes them, N(0, 1): on COGS dev, smaller ones learn more slowly.

    @property
    def _layers(self) -> list[nn.TransformerDecoderLayer]:
        return cast(list[nn.TransformerDecoderLayer], list(self.transformer.decoder.layers))

    def _embedded(self, embedding: nn.Embedding, tokens: Tensor, begin: int = 0) -> Tensor:
        places = positions(begin, begin + tokens.shape[1], embedding.embedding_dim)
        embedded: Tensor = self.dropout(embedding(tokens) + places)
        return embedded

    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Logits of all targets."""
        is_padding = source == PAD
        states = self.transformer(
            self._embedded(self.sources, source),
            self._embedded(self.targets, target),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(target.shape[1]),
            src_key_padding_mask=is_padding,
            memory_key_padding_mask=is_padding,
            tgt_is_causal=True,
        )
        logits: Tensor = self.out(states)
        return logits

    def start(self, source: Tensor) -> Memory:
        """What may be read, then keys and values: of the source, and of no target, by layer."""
        is_padding = source == PAD
        embedded = self._embedded(self.sources, source)
        encoded = self.transformer.encoder(embedded, src_key_padding_mask=is_padding)
        sources = [keys_values(layer.multihead_attn, encoded) for layer in self._layers]
        return (~is_padding[:, None, None, :], *sources, *(kv[..., :0, :] for kv in sources))

    def step(self, memory: Memory, token: Tensor) -> tuple[Tensor, Memory]:
        """Logits of one more token: what torch's decoder computes, with keys and values kept."""
        mask, count = memory[0], len(self._layers)
        sources, targets = memory[1 : count + 1], memory[count + 1 :]
        states = self._embedded(self.targets, token[:, None], begin=targets[0].shape[-2])
        after = []
        for layer, source, before in zip(self._layers, sources, targets, strict=True):
            normed = layer.norm1(states)
            target = torch.cat((before, keys_values(layer.self_attn, normed)), dim=-2)
            states = states + attended(layer.self_attn, normed, target)
            states = states + attended(layer.multihead_attn, layer.norm2(states), source, mask)
            wide = layer.linear1(layer.norm3(states)).relu()
            states = states + layer.linear2(wide)
            after.append(target)
        normed = cast(nn.LayerNorm, self.transformer.decoder.norm)(states)
        return self.out(normed)[:, 0], (mask, *sources, *after)


def keys_values(attention: nn.MultiheadAttention, states: Tensor) -> Tensor:
    """What attention reads of states (B, T, D): (B, 2, heads, T, D / heads)."""
    batch, length, hidden = states.shape
    weight, bias = attention.in_proj_weight[hidden:], attention.in_proj_bias[hidden:]
    both = linear(states, weight, bias).view(batch, length, 2, attention.num_heads, -1)
    return both.permute(0, 2, 3, 1, 4)


def attended(
    attention: nn.MultiheadAttention, states: Tensor, read: Tensor, mask: Tensor | None = None
) -> Tensor:
    """States (B, T, D) that attend to keys and values -> (B, T, D)."""
    batch, length, hidden = states.shape
    weight, bias = attention.in_proj_weight[:hidden], attention.in_proj_bias[:hidden]
    query = linear(states, weight, bias).view(batch, length, attention.num_heads, -1)
    mixed = scaled_dot_product_attention(
        query.transpose(1, 2), read[:, 0], read[:, 1], attn_mask=mask
    )
    result: Tensor = attention.out_proj(mixed.transpose(1, 2).flatten(2))
    return result


def positions(begin: int, end: int, hidden: int) -> Tensor:
    """Sines and cosines of the positions, (T, D)."""
    places = torch.arange(begin, end)[:, None]
    rates = torch.exp(torch.arange(0, hidden, 2) * (-math.log(10_000.0) / hidden))
    return torch.stack((torch.sin(places * rates), torch.cos(places * rates)), dim=-1).flatten(1)
