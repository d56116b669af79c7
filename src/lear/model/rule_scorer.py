"""Scores of single rules as decoding asks for them: `rule_scores` without torch's overhead.

Every prefix of a yield is composed once, and all operations over a yield are scored together.
"""

import numpy as np
from numpy.typing import NDArray
from torch import nn

from lear.model.network import Network
from lear.model.rule_scores import CLOSED, OPEN
from lear.rules import Rule

Floats = NDArray[np.float32]


class RuleScorer:
    """Remembers what it computed; a network that has changed since needs a new one."""

    def __init__(self, network: Network) -> None:
        self._members = [_MemberScorer(member) for member in network.members]

    def __call__(self, rule: Rule) -> float:
        """The score of a rule whose symbols the network knows."""
        return sum(score(rule) for score in self._members) / len(self._members)


class _MemberScorer:
    """The scores of one of a network's members."""

    def __init__(self, network: Network) -> None:
        composer = network.composer
        self.network = network
        self._gates = _linear(composer.cell.gates)
        self._merge = _linear(composer.merge)
        self._nonterminal = _linear(composer.nonterminal)
        self._operation = _linear(network.algebraic.operation)
        self._parts: dict[str, tuple[Floats, Floats]] = {}
        # Prefix -> its state, the sum of the scores of its open nodes, those of each operation.
        self._prefixes: dict[tuple[str, ...], tuple[Floats, Floats, float, Floats]] = {}

    def __call__(self, rule: Rule) -> float:
        scores = self._prefix(rule.parts)[3]
        return float(scores[self.network.vocabulary.operation_numbers[rule.operation]])

    def _prefix(self, parts: tuple[str, ...]) -> tuple[Floats, Floats, float, Floats]:
        known = self._prefixes.get(parts)
        if known is None:
            h, c = self._part(parts[-1])
            opened = closed = 0.0
            operations = np.zeros(len(self.network.vocabulary.operations), dtype=np.float32)
            if len(parts) > 1:
                left_h, left_c, below, _ = self._prefix(parts[:-1])
                h, c = self._compose((left_h, left_c), (h, c))
                merge = float(_apply(self._merge, h)[0])
                classes = _apply(self._nonterminal, h)
                opened = below + merge + float(classes[OPEN])
                closed = below + merge + float(classes[CLOSED])
                operations = _apply(self._operation, h)
            known = self._prefixes[parts] = (h, c, opened, operations + np.float32(closed))
        return known

    def _compose(
        self, left: tuple[Floats, Floats], right: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats]:
        gates = _apply(self._gates, np.concatenate((left[0], right[0])))
        i, f_left, f_right, o, u = np.split(gates, 5)
        c = _sigmoid(i) * np.tanh(u) + _sigmoid(f_left) * left[1] + _sigmoid(f_right) * right[1]
        return _sigmoid(o) * np.tanh(c), c

    def _part(self, part: str) -> tuple[Floats, Floats]:
        if part not in self._parts:
            state = self.network.part_states([part])
            self._parts[part] = (
                state.h[0].detach().cpu().float().numpy(),
                state.c[0].detach().cpu().float().numpy(),
            )
        return self._parts[part]


def _linear(layer: nn.Linear) -> tuple[Floats, Floats]:
    weight = layer.weight.detach().cpu().float().numpy()
    return weight, layer.bias.detach().cpu().float().numpy()


def _apply(layer: tuple[Floats, Floats], x: Floats) -> Floats:
    weight, bias = layer
    found: Floats = weight @ x + bias
    return found


def _sigmoid(x: Floats) -> Floats:
    found: Floats = (1 / (1 + np.exp(-x))).astype(np.float32)
    return found
