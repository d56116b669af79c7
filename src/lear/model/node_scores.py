"""What the network says of nodes: how well they merge, what they are, which operation they have.

A node's state is a function of its own words and symbols only (semantic locality), so equal nodes
anywhere in a batch are computed once.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from lear.model.network import Network
from lear.model.tree_lstm import State

KINDS = ("symbol", "word", "pair")


@dataclass(frozen=True)
class NodeScores:
    """Logits for nodes, by their numbers."""

    merge: Tensor  # (nodes,)
    symbol: Tensor  # (nodes, 1 + N); class 0 is open
    operation: Tensor  # (nodes, operations)


class NodeScorer:
    """Scores of a growing list of nodes; children have smaller numbers than their parents."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.state: State | None = None
        self.num_nodes = 0
        self._merge: list[Tensor] = []
        self._symbol: list[Tensor] = []
        self._operation: list[Tensor] = []

    def extend(self, nodes: Sequence[tuple[object, ...]]) -> None:
        """Compute the nodes that have come since the last call, level by level."""
        while self.num_nodes < len(nodes):
            end = self.num_nodes
            # A level ends before the first node one of whose children is in it.
            while end < len(nodes) and all(
                not isinstance(part, int) or nodes[end][0] == "symbol" or part < self.num_nodes
                for part in nodes[end][1:]
            ):
                end += 1
            self._add(nodes[self.num_nodes : end])
            self.num_nodes = end

    def _add(self, nodes: Sequence[tuple[object, ...]]) -> None:
        composer = self.network.composer
        device = self.network.device
        words = self.network.vocabulary.word_numbers

        def index(values: list[int]) -> Tensor:
            return torch.tensor(values, dtype=torch.long, device=device)

        kinds = [key[0] for key in nodes]
        symbols = [int(str(key[1])) for key in nodes if key[0] == "symbol"]
        leaves = [words.get(str(key[1]), 0) for key in nodes if key[0] == "word"]
        pairs = [(int(str(k[1])), int(str(k[2]))) for k in nodes if k[0] == "pair"]
        states = [composer.symbols(index(symbols)), composer.words(index(leaves))]
        if pairs:
            assert self.state is not None  # pairs come after what they consist of
            left = self.state.pick(index([pair[0] for pair in pairs]))
            right = self.state.pick(index([pair[1] for pair in pairs]))
            states.append(composer.cell(left, right))
        order = np.argsort([KINDS.index(str(kind)) for kind in kinds], kind="stable").tolist()
        back = torch.argsort(index(order))
        new = State(torch.cat([s.h for s in states])[back], torch.cat([s.c for s in states])[back])
        if self.state is None:
            self.state = new
        else:
            self.state = State(torch.cat((self.state.h, new.h)), torch.cat((self.state.c, new.c)))
        self._merge.append(composer.merge(new.h).squeeze(-1))
        self._symbol.append(composer.nonterminal(new.h))
        self._operation.append(self.network.algebraic.operation(new.h))

    def scores(self) -> NodeScores:
        """The logits of all nodes so far."""
        self._merge = [torch.cat(self._merge)]
        self._symbol = [torch.cat(self._symbol)]
        self._operation = [torch.cat(self._operation)]
        return NodeScores(self._merge[0], self._symbol[0], self._operation[0])
