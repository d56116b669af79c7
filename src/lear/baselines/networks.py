"""Sequence-to-sequence networks: settings, text as numbers, an attention LSTM and a Transformer.

Decoding is greedy and remembers what it has computed; step by step it gives what training saw.
"""

import itertools
import math
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import linear, scaled_dot_product_attention
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from lear.baselines.config import BaselineConfig

PAD, BEGIN, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<begin>", "<end>", "<unknown>")
PIECE = re.compile(r"\s*(?:[(),']|[^\s(),']+)")
"""A word, a bracket, a comma or a quote, with the space before it."""
FREQUENT = 0.05
"""Only a piece in this share of the forms is bound to the one before it: rare words stay free."""

Bonds = frozenset[tuple[str, str]]
"""Pairs of pieces that are written as one."""


def pieces(form: str) -> list[str]:
    """Cut a form into the pieces that a decoder writes; joined, they are the form again."""
    return PIECE.findall(f" {form}")


def bonds(texts: Sequence[Sequence[str]]) -> Bonds:
    """Find pairs whose second piece is frequent and only ever follows the first, such as `x _`."""
    before: dict[str, set[str]] = {}
    for text in texts:
        for first, second in itertools.pairwise(("", *text)):
            before.setdefault(second, set()).add(first)
    spread = Counter(piece for text in texts for piece in set(text))
    return frozenset(
        (first, second)
        for second, firsts in before.items()
        if len(firsts) == 1 and spread[second] >= FREQUENT * len(texts)
        for first in firsts - {""}
    )


def joined(text: Iterable[str], bound: Bonds) -> list[str]:
    """Join bound pieces of a text."""
    found: list[str] = []
    before = ""
    for piece in text:
        if (before, piece) in bound:
            found[-1] += piece
        else:
            found.append(piece)
        before = piece
    return found


@dataclass(frozen=True)
class Words:
    """A vocabulary: words with their numbers."""

    names: tuple[str, ...]
    numbers: dict[str, int]

    @classmethod
    def of(cls, texts: Iterable[Sequence[str]]) -> "Words":
        """Collect the vocabulary of some texts; the special words come first."""
        names = (*SPECIAL, *sorted({word for text in texts for word in text}))
        return cls(names, {name: number for number, name in enumerate(names)})

    def encode(self, text: Iterable[str]) -> list[int]:
        """Return the numbers of the words, followed by END."""
        return [*(self.numbers.get(word, UNKNOWN) for word in text), END]

    def decode(self, numbers: Sequence[int]) -> str:
        """Return the text before END."""
        stop = numbers.index(END) if END in numbers else len(numbers)
        return "".join(self.names[number] for number in numbers[:stop]).strip()


def batches(
    lengths: Sequence[int], tokens: int, rng: np.random.Generator | None = None
) -> list[list[int]]:
    """Cut texts into batches of similar length, of at most so many tokens with their padding.

    With a generator, batches come in random order and mix texts of similar length at random.
    """
    noise = rng.random(len(lengths)) * 4 if rng else np.zeros(len(lengths))
    found: list[list[int]] = []
    longest = 0
    for index in np.argsort(np.array(lengths) + noise, kind="stable").tolist():
        longest = max(longest, lengths[index])
        if not found or (len(found[-1]) + 1) * longest > tokens:
            found.append([])
            longest = lengths[index]
        found[-1].append(index)
    return [found[number] for number in rng.permutation(len(found))] if rng else found


def padded(texts: Sequence[Sequence[int]]) -> Tensor:
    """Make one tensor (B, T) of texts, filled up with PAD."""
    tensors = [torch.tensor(text) for text in texts]
    return torch.nn.utils.rnn.pad_sequence(tensors, batch_first=True, padding_value=PAD)


Memory = tuple[Tensor, ...]
"""The state of decoding, one row a sentence: every tensor is (B, ...)."""


class Seq2Seq(nn.Module, ABC):
    """An encoder and a decoder."""

    @abstractmethod
    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Map sources (B, S) and targets (B, T) that begin with BEGIN to logits (B, T, V)."""

    @abstractmethod
    def start(self, source: Tensor) -> Memory:
        """Map sources (B, S) to the memory before the first token."""

    @abstractmethod
    def step(self, memory: Memory, token: Tensor) -> tuple[Tensor, Memory]:
        """Map memory and the next tokens (B,) to logits (B, V) and the memory after them."""

    @torch.no_grad()
    def decode(self, source: Tensor, longest: int) -> list[list[int]]:
        """Decode greedily, until END or for `longest` tokens."""
        memory = self.start(source)
        rows = torch.arange(len(source))
        token = torch.full((len(source),), BEGIN)
        outputs = torch.full((len(source), longest), END)
        for place in range(longest):
            logits, memory = self.step(memory, token)
            token = logits.argmax(dim=-1)
            outputs[rows, place] = token
            unfinished = token != END
            if not unfinished.any():
                break
            if not unfinished.all():
                rows, token = rows[unfinished], token[unfinished]
                memory = tuple(tensor[unfinished] for tensor in memory)
        return outputs.tolist()


class AttentionLSTM(Seq2Seq):
    """LSTMs with attention between the two of the decoder: the upper one knows what was read."""

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
        """Return logits (B, T, V) of tokens (B, T), and the memory after them."""
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
        """Return the logits of all targets."""
        return self._decoded(self.start(source), target)[0]

    def step(self, memory: Memory, token: Tensor) -> tuple[Tensor, Memory]:
        """Return the logits of one more token."""
        logits, after = self._decoded(memory, token[:, None])
        return logits[:, 0], after


class Transformer(Seq2Seq):
    """Torch's pre-norm Transformer between embeddings with sinusoidal positions and a layer."""

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
        """Return the logits of all targets."""
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
        """Return a mask, and keys and values by layer: those of the source, and of no target."""
        is_padding = source == PAD
        embedded = self._embedded(self.sources, source)
        encoded = self.transformer.encoder(embedded, src_key_padding_mask=is_padding)
        sources = [keys_values(layer.multihead_attn, encoded) for layer in self._layers]
        return (~is_padding[:, None, None, :], *sources, *(kv[..., :0, :] for kv in sources))

    def step(self, memory: Memory, token: Tensor) -> tuple[Tensor, Memory]:
        """Compute what torch's decoder does for one more token, with keys and values kept."""
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
    """Map states (B, T, D) to what attention reads: (B, 2, heads, T, D / heads)."""
    batch, length, hidden = states.shape
    weight, bias = attention.in_proj_weight[hidden:], attention.in_proj_bias[hidden:]
    both = linear(states, weight, bias).view(batch, length, 2, attention.num_heads, -1)
    return both.permute(0, 2, 3, 1, 4)


def attended(
    attention: nn.MultiheadAttention, states: Tensor, read: Tensor, mask: Tensor | None = None
) -> Tensor:
    """Let states (B, T, D) attend to keys and values; return (B, T, D)."""
    batch, length, hidden = states.shape
    weight, bias = attention.in_proj_weight[:hidden], attention.in_proj_bias[:hidden]
    query = linear(states, weight, bias).view(batch, length, attention.num_heads, -1)
    mixed = scaled_dot_product_attention(
        query.transpose(1, 2), read[:, 0], read[:, 1], attn_mask=mask
    )
    result: Tensor = attention.out_proj(mixed.transpose(1, 2).flatten(2))
    return result


def positions(begin: int, end: int, hidden: int) -> Tensor:
    """Return sines and cosines of the positions, (T, D)."""
    places = torch.arange(begin, end)[:, None]
    rates = torch.exp(torch.arange(0, hidden, 2) * (-math.log(10_000.0) / hidden))
    return torch.stack((torch.sin(places * rates), torch.cos(places * rates)), dim=-1).flatten(1)
