"""Driving the specification of the policy: greedily, or through everything that it can do."""

import torch
from torch import Tensor

from lear.grammar.reading import Reading
from lear.model.network import Network
from lear.policy.reference import ReferencePolicy, Trajectory, run_course
from lear.policy.steps import TransitionSystem


def greedy(network: Network, transitions: TransitionSystem, reading: Reading) -> Trajectory:
    """The tree of the likeliest step each time."""
    with torch.no_grad():
        course = ReferencePolicy(network, transitions, reading).course()
        return run_course(course, lambda log_p: int(log_p.argmax()))


def all_trajectories(
    network: Network, transitions: TransitionSystem, reading: Reading
) -> list[Trajectory]:
    """Everything the policy can do with a short sentence."""
    policy = ReferencePolicy(network, transitions, reading)
    trajectories = []
    prefixes: list[tuple[int, ...]] = [()]
    while prefixes:
        path = _Path(prefixes.pop())
        trajectories.append(run_course(policy.course(), path.follow))
        prefixes += path.others
    return trajectories


class _Path:
    """Decisions as a prefix says; beyond it the first way each time, the others for later."""

    def __init__(self, prefix: tuple[int, ...]) -> None:
        self.prefix = prefix
        self.taken: list[int] = []
        self.others: list[tuple[int, ...]] = []

    def follow(self, log_p: Tensor) -> int:
        """The next decision."""
        place = len(self.taken)
        if place < len(self.prefix):
            self.taken.append(self.prefix[place])
        else:
            self.others += ((*self.taken, index) for index in range(1, len(log_p)))
            self.taken.append(0)
        return self.taken[-1]
