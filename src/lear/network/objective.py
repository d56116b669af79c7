"""What the training loop asks of an objective."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from torch import Tensor

from lear.grammar.rules import Rule


class StepResult(NamedTuple):
    """What one step did."""

    loss: float
    """To be minimised: negative log-likelihood, or negative reward."""
    num_rows: int
    """Training rows that it stands for."""


class Objective(Protocol):
    """Rows to learn from, and how."""

    def training_items(self, max_tokens: int) -> list[int]:
        """What an epoch goes through, by number: rows or problems of at most `max_tokens` tokens.

        0 is no limit.
        """

    def rules(self) -> tuple[Rule, ...]:
        """Rules that decoders try first, given the weights; empty means all legal rules."""

    def state(self) -> dict[str, Tensor]:
        """What it remembers besides weights, for checkpoints."""

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what `state` gave."""

    def begin_lesson(self, entropy: float) -> None:
        """Go by the settings of a lesson: the weight of entropy, if the objective has such."""

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of some items to the network's; all randomness comes from `rng`."""
