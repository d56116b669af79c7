"""Scores of single rules, as decoding asks for them: `rule_scores` without torch's overhead.

Every prefix of a yield is composed once. All operations over a yield are scored together, and so
are all members of an ensemble.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor, nn

from lear.grammar.rules import Rule
from lear.network.network import Network
from lear.network.rule_scores import NONTERMINAL, OPEN

Floats = NDArray[np.floating]
"""Of the precision that the network has."""


class _Layers(NamedTuple):
    """The same linear layer of all K members."""

    weight: Floats  # (K, out, in)
    bias: Floats  # (K, out)

    @classmethod
    def of(cls, layers: Sequence[nn.Linear]) -> "_Layers":
        weights, biases = zip(*((layer.weight, layer.bias) for layer in layers), strict=True)
        stacked = (np.stack([_array(tensor) for tensor in part]) for part in (weights, biases))
        return cls(*stacked)

    def __call__(self, x: Floats) -> Floats:
        """(K, in) -> (K, out)."""
        outputs: Floats = np.matmul(self.weight, x[:, :, None])[:, :, 0] + self.bias
        return outputs


class _Prefix(NamedTuple):
    """The beginning of a yield."""

    h: Floats  # (K, D)
    c: Floats  # (K, D)
    opened: Floats  # (K,) the sum of the scores of its nodes, all of them open
    scores: Floats  # (operations,) of rules that end here, the mean over members


class RuleScorer:
    """Caches what it computed; make a new one when the network has changed."""

    def __init__(self, network: Network) -> None:
        members = network.members
        self.network = network
        self._gates = _Layers.of([member.composer.cell.gates for member in members])
        self._merge = _Layers.of([member.composer.merge for member in members])
        self._nonterminal = _Layers.of([member.composer.nonterminal for member in members])
        self._operation = _Layers.of([member.algebraic.operation for member in members])
        self._parts: dict[str, tuple[Floats, Floats]] = {}
        self._prefixes: dict[tuple[str, ...], _Prefix] = {}

    def __call__(self, rule: Rule) -> float:
        """The score of a rule whose symbols the network knows."""
        operation = self.network.vocabulary.operation_numbers[rule.operation]
        return float(self._prefix(rule.parts).scores[operation])

    def _prefix(self, parts: tuple[str, ...]) -> _Prefix:
        prefix = self._prefixes.get(parts)
        if prefix is None:
            prefix = self._prefixes[parts] = self._compose(parts)
        return prefix

    def _compose(self, parts: tuple[str, ...]) -> _Prefix:
        h, c = self._part(parts[-1])
        if len(parts) == 1:
            operations = len(self.network.vocabulary.operations)
            return _Prefix(h, c, np.zeros(len(h), h.dtype), np.zeros(operations, h.dtype))
        left = self._prefix(parts[:-1])
        gates = self._gates(np.concatenate((left.h, h), axis=1))
        i, f_left, f_right, o, u = np.split(gates, 5, axis=1)
        c = _sigmoid(i) * np.tanh(u) + _sigmoid(f_left) * left.c + _sigmoid(f_right) * c
        h = _sigmoid(o) * np.tanh(c)
        base = left.opened + self._merge(h)[:, 0]
        classes = self._nonterminal(h)
        scores = (base + classes[:, NONTERMINAL])[:, None] + self._operation(h)
        return _Prefix(h, c, base + classes[:, OPEN], scores.mean(axis=0))

    def _part(self, part: str) -> tuple[Floats, Floats]:
        if part not in self._parts:
            states = [member.part_states([part]) for member in self.network.members]
            h, c = (np.stack([_array(state[k][0]) for state in states]) for k in (0, 1))
            self._parts[part] = (h, c)
        return self._parts[part]


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().cpu().numpy()
    return array


def _sigmoid(x: Floats) -> Floats:
    squashed: Floats = 1 / (1 + np.exp(-x))
    return squashed
