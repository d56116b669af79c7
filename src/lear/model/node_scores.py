"""What the network says of nodes: how well they merge, what they are, which operation they have."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lear.model.network import Network
from lear.model.nodes import PAIR, SPAN, SYMBOL, TOKEN, WORD, NodeTable
from lear.model.tree_lstm import State

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class NodeScores:
    """Logits for nodes, by their numbers."""

    merge: Tensor  # (nodes,)
    symbol: Tensor  # (nodes, 1 + N); class 0 is open
    operation: Tensor  # (nodes, operations)


class NodeScorer:
    """Scores of a growing table of nodes."""

    def __init__(self, network: Network, table: NodeTable) -> None:
        self.network = network
        self.table = table
        hidden, device = network.config.hidden, network.device
        nothing = torch.zeros((0, hidden), dtype=network.composer.merge.weight.dtype, device=device)
        self._state = State(nothing, nothing)
        self._encoded = nothing.new_zeros((0, 0, 2 * hidden))
        self._places: Ints = np.zeros(0, dtype=np.int64)  # of nodes, among the states

    def extend(self) -> None:
        """Compute the states of the nodes that have come since the last call, level by level."""
        begin = len(self._places)
        if begin == len(self.table):
            return
        self._encode()
        levels = np.array(self.table.levels[begin:])
        nodes = np.array(self.table.nodes[begin:], dtype=np.int64)  # (new, 4)
        order = np.argsort(levels * PAIR + nodes[:, 0], kind="stable")
        self._places = np.append(self._places, begin + np.argsort(order, kind="stable"))
        nodes, levels = nodes[order], levels[order]
        keys = levels * PAIR + nodes[:, 0]
        borders = [*np.nonzero(np.diff(keys, prepend=-1))[0].tolist(), len(keys)]
        for first, last in pairwise(borders):
            new = self._states(nodes[first:last])
            old = self._state
            self._state = State(torch.cat((old.h, new.h)), torch.cat((old.c, new.c)))

    def _states(self, nodes: Ints) -> State:
        """The states of some nodes of one kind, (n, 4), whose children have states."""
        composer = self.network.composer
        kind = int(nodes[0, 0])
        columns = nodes[:, 1:]
        if kind == PAIR:
            columns = self._places[columns]  # from numbers of nodes to where their states are
        first, second, third = (
            torch.tensor(column, device=self.network.device) for column in columns.T
        )
        state: State
        if kind == SYMBOL:
            state = composer.symbols(first)
        elif kind == WORD:
            state = composer.words(first)
        elif kind == TOKEN:
            state = composer.token_states(self._encoded, first, second)
        elif kind == SPAN:
            state = composer.span_states(self._encoded, first, second, third)
        else:
            state = composer.cell(self._state.pick(first), self._state.pick(second))
        return state

    def _encode(self) -> None:
        """Encode the sentences that have come since the last call."""
        new = self.table.sentences[len(self._encoded) :]
        if not new:
            return
        encoded = self.network.composer.sentences(new)
        length = max(encoded.shape[1], self._encoded.shape[1])
        self._encoded = torch.cat([_padded(part, length) for part in (self._encoded, encoded)])

    def scores(self, nodes: Ints | None = None) -> NodeScores:
        """The logits of some nodes, or of all."""
        places = self._places if nodes is None else self._places[nodes]
        h = self._state.h[torch.tensor(places, device=self.network.device)]
        composer = self.network.composer
        return NodeScores(
            composer.merge(h).squeeze(-1),
            composer.nonterminal(h),
            self.network.algebraic.operation(h),
        )


def _padded(states: Tensor, length: int) -> Tensor:
    """States of sentences (B, T, D) with zeros up to a length."""
    missing = states.new_zeros((states.shape[0], length - states.shape[1], states.shape[2]))
    return torch.cat((states, missing), dim=1)
