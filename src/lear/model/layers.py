"""The layers of networks in NumPy, for all members of an ensemble at once.

Arrays have the members first, (K, ...), so that one product serves all of them.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating]
"""Of the precision that the weights have."""
Ints = NDArray[np.int64]


class States(NamedTuple):
    """Output and memory of n nodes, for each of K members."""

    h: Floats  # (K, n, D)
    c: Floats  # (K, n, D)

    def pick(self, places: Ints) -> "States":
        """The states at these places."""
        return States(self.h[:, places], self.c[:, places])


class Linear(NamedTuple):
    """The same linear layer of all members."""

    weight: Floats  # (K, in, out): transposed, so that x @ weight
    bias: Floats  # (K, 1, out)

    def __call__(self, x: Floats) -> Floats:
        """(K, n, in) -> (K, n, out)."""
        outputs: Floats = product(x, self.weight) + self.bias
        return outputs


MAX_PRODUCT = 200_000
"""Multiplications in one matrix product at most. Beyond that BLAS brings in threads, which cost
matrices as small as ours far more than they save."""


def product(x: Floats, weight: Floats) -> Floats:
    """(K, n, in) @ (K, in, out), some rows at a time."""
    rows = max(1, MAX_PRODUCT // (weight.shape[1] * weight.shape[2]))
    if x.shape[1] <= rows:
        outputs: Floats = np.matmul(x, weight)
        return outputs
    parts = [np.matmul(x[:, n : n + rows], weight) for n in range(0, x.shape[1], rows)]
    return np.concatenate(parts, axis=1)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    squashed: Floats = 0.5 * x
    np.tanh(squashed, out=squashed)
    squashed *= 0.5
    squashed += 0.5
    return squashed


def gated(gates: Floats, left_c: Floats, right_c: Floats) -> States:
    """The Tree-LSTM behind its linear layer: gates (K, n, 5 D) and the memories of children."""
    hidden = gates.shape[-1] // 5
    squashed = sigmoid(gates[..., : 4 * hidden])
    i, f_left, f_right, o = (squashed[..., n * hidden : (n + 1) * hidden] for n in range(4))
    c = i * np.tanh(gates[..., 4 * hidden :]) + f_left * left_c + f_right * right_c
    return States(o * np.tanh(c), c)
