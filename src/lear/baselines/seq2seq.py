"""What both baselines share: teacher forcing, and greedy decoding token by token."""

from abc import ABC, abstractmethod
from typing import Any

import torch
from torch import Tensor, nn

from lear.baselines.text import BEGIN, END


class Seq2Seq(nn.Module, ABC):
    """An encoder and a decoder; `Any` is the decoder's memory, which each architecture defines."""

    @abstractmethod
    def start(self, source: Tensor) -> Any:
        """Padded sources (B, S) -> the memory before the first token."""

    @abstractmethod
    def decoded(self, memory: Any, tokens: Tensor) -> tuple[Tensor, Any]:
        """Memory and more tokens (B, T) -> logits (B, T, V) and the memory after them."""

    def step(self, memory: Any, token: Tensor) -> tuple[Tensor, Any]:
        """Memory and the next tokens (B,) -> logits (B, V) and the memory after them."""
        logits, after = self.decoded(memory, token[:, None])
        return logits[:, 0], after

    def teacher_forced(self, source: Tensor, target: Tensor) -> Tensor:
        """Sources (B, S) and targets (B, T) that begin with BEGIN -> logits (B, T, V)."""
        return self.decoded(self.start(source), target)[0]

    @abstractmethod
    def select(self, memory: Any, rows: Tensor) -> Any:
        """The memory of some rows only."""

    @torch.no_grad()
    def decode(self, source: Tensor, longest: int) -> list[list[int]]:
        """Greedy decoding, until END or for `longest` tokens."""
        memory = self.start(source)
        outputs: list[list[int]] = [[] for _ in range(len(source))]
        rows = torch.arange(len(source))
        token = torch.full((len(source),), BEGIN)
        for _ in range(longest):
            logits, memory = self.step(memory, token)
            token = logits.argmax(dim=-1)
            for row, number in zip(rows.tolist(), token.tolist(), strict=True):
                outputs[row].append(number)
            unfinished = torch.nonzero(token != END).squeeze(-1)
            if not len(unfinished):
                break
            if len(unfinished) < len(rows):
                rows, token = rows[unfinished], token[unfinished]
                memory = self.select(memory, unfinished)
        return outputs


def parameter_count(model: nn.Module) -> int:
    """The number of weights of a model."""
    return sum(parameter.numel() for parameter in model.parameters())
