"""States of nodes, and the binary Tree-LSTM cell that makes a parent's from its children's."""

from typing import NamedTuple

import torch
from torch import Tensor, nn


class State(NamedTuple):
    """Output and memory of nodes."""

    h: Tensor  # (B, D)
    c: Tensor  # (B, D)

    def pick(self, indices: Tensor) -> "State":
        """The states at these rows."""
        return State(self.h[indices], self.c[indices])


class StateEmbedding(nn.Module):
    """r = Linear(Emb(x)): the state of a word or a symbol by itself."""

    def __init__(self, count: int, hidden: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(count, hidden)
        self.linear = nn.Linear(hidden, 2 * hidden)

    def forward(self, indices: Tensor) -> State:
        """(B,) -> states."""
        h, c = self.linear(self.embedding(indices)).chunk(2, dim=-1)
        return State(h, c)


class TreeLSTMCell(nn.Module):
    """The parent of two adjacent nodes; word order counts, so the children are not summed."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        self.gates = nn.Linear(2 * hidden, 5 * hidden)

    def forward(self, left: State, right: State) -> State:
        """States of left and right children -> states of parents."""
        children = torch.cat((left.h, right.h), dim=-1)  # (B, 2D)
        i, f_left, f_right, o, u = self.gates(children).chunk(5, dim=-1)  # 5 x (B, D)
        c = i.sigmoid() * u.tanh() + f_left.sigmoid() * left.c + f_right.sigmoid() * right.c
        return State(o.sigmoid() * c.tanh(), c)
