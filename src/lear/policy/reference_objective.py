"""REINFORCE as the paper writes it: one sentence at a time, every tree through autograd.

The slow and obvious version of `objective`; `lear bench` says how many times slower.
"""

from collections.abc import Sequence

import numpy as np
import torch

from lear.core.algebra import MeaningTable
from lear.core.derivation import evaluate
from lear.domain.rewards import Target
from lear.network.objective import StepResult
from lear.policy.choice_points import NONE
from lear.policy.objective import ReinforceObjective
from lear.policy.reference import Trajectory, sample


class ReferenceReinforce:
    """Steps on the same rows, settings and network as a `ReinforceObjective`."""

    def __init__(self, objective: ReinforceObjective) -> None:
        self.objective = objective
        # What is legal is looked up as in the fast version; only the learning is plain.
        self.transitions = objective.new_transitions()

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        config = self.objective.config
        scale = 1.0 / (config.samples * len(batch))
        total = 0.0
        for row in batch:
            target = self.objective.target(row)
            reading = self.objective.readings[row]
            trajectories = [
                sample(self.objective.network, self.transitions, reading, rng)
                for _ in range(config.samples)
            ]
            rewards = np.array([self._reward(t, reading.tokens, target) for t in trajectories])
            total += rewards.sum()
            loss = torch.zeros(())
            for trajectory, advantage in zip(trajectories, rewards - rewards.mean(), strict=True):
                entropy = trajectory.entropy(config.entropy_of)
                loss = loss - advantage * trajectory.log_prob - self.objective.entropy * entropy
            (loss * scale).backward()  # type: ignore[no-untyped-call]
        return StepResult(-total * scale, len(batch))

    def _reward(self, trajectory: Trajectory, tokens: tuple[str, ...], target: Target) -> float:
        outcome = trajectory.outcome
        if outcome.final == NONE or not self.transitions.is_answer(outcome.final):
            return 0.0
        assert outcome.derivation is not None
        domain = self.objective.reader.domain
        table = MeaningTable(domain.language.algebra)
        meaning = evaluate(outcome.derivation, table, domain.words.ground)
        finished = domain.language.finish(meaning, tokens, table)
        return self.objective.reward(finished, target)
