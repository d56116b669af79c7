"""What both baselines share: what a decoder must offer, and greedy decoding with it."""

from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from lear.baselines.text import BEGIN, END

Memory = tuple[Tensor, ...]
"""What decoding has to remember, one row a sentence: every tensor is (B, ...)."""


class Seq2Seq(nn.Module, ABC):
    """An encoder and a decoder."""

    @abstractmethod
    def forward(self, source: Tensor, target: Tensor) -> Tensor:
        """Sources (B, S), and targets (B, T) that begin with BEGIN -> logits (B, T, V)."""

    @abstractmethod
    def start(self, source: Tensor) -> Memory:
        """Sources (B, S) -> the memory before the first token."""

    @abstractmethod
    def step(self, memory: Memory, token: Tensor) -> tuple[Tensor, Memory]:
        """Memory and the next tokens (B,) -> logits (B, V) and the memory after them."""

    @torch.no_grad()
    def decode(self, source: Tensor, longest: int) -> list[list[int]]:
        """Greedy decoding, until END or for `longest` tokens."""
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
