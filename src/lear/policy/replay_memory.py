"""What REINFORCE remembers: the best derivation that it has come upon for each row.

A rare construction teaches little while the policy hardly ever builds it. Repeating the best
actions so far, weighted by how much better they are than the mean, brings it back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from lear.policy.rollout import ActionSequence


@dataclass
class Replay:
    """The best actions for each row so far, and their reward."""

    best: dict[int, tuple[float, ActionSequence]] = field(default_factory=dict)
    is_restored: bool = False
    """Whether it comes of a checkpoint, which may hold any actions."""

    def reward(self, row: int) -> float:
        """The best reward so far."""
        return self.best[row][0] if row in self.best else 0.0

    def add(self, row: int, reward: float, actions: ActionSequence) -> None:
        """Keep actions that are better than what there was."""
        if reward > self.reward(row):
            self.best[row] = (reward, actions)

    def state(self) -> dict[str, Tensor]:
        """All of it as tensors, for checkpoints."""
        parts = [
            (row, actions.leaves, actions.positions, actions.options, actions.picks)
            for row, (_, actions) in self.best.items()
        ]
        sizes = [[row, *(len(array) for array in arrays)] for row, *arrays in parts]
        numbers = [array for _, *arrays in parts for array in arrays]
        flat = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
        return {
            "sizes": torch.tensor(sizes, dtype=torch.int32).reshape(-1, 5),
            "numbers": torch.tensor(flat, dtype=torch.int32),
            "rewards": torch.tensor([r for r, _ in self.best.values()], dtype=torch.float64),
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Tensor]) -> "Replay":
        """Read what `state` gave."""
        replay = cls(is_restored=True)
        numbers = state["numbers"].numpy().astype(np.int64)
        sizes = state["sizes"][:, 1:]
        if bool((sizes < 0).any()) or int(sizes.sum()) != len(numbers):
            raise ValueError("actions of another length than their sizes say")
        place = 0
        for (row, *lengths), reward in zip(
            state["sizes"].tolist(), state["rewards"].tolist(), strict=True
        ):
            borders = np.cumsum([place, *lengths]).tolist()
            arrays = [numbers[b:e] for b, e in pairwise(borders)]
            replay.best[row] = (reward, ActionSequence(*arrays))
            place = borders[-1]
        return replay
