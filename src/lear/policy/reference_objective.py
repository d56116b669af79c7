"""REINFORCE as the paper writes it: one sentence at a time, every tree through autograd.

The slow and obvious version of `objective`; `lear bench` says how many times slower.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import torch

from lear.core.algebra import MeaningTable
from lear.core.derivation import evaluate
from lear.domain.rewards import Target, reward
from lear.grammar.rules import Rule
from lear.network.objective import StepResult
from lear.policy.objective import ReinforceObjective
from lear.policy.reference import Trajectory, sample
from lear.policy.transitions import NONE


class ReferenceReinforce:
    """The same rows, settings and network as a `ReinforceObjective`."""

    def __init__(self, objective: ReinforceObjective) -> None:
        self.objective = objective
        # What is legal is looked up as in the fast version; only the learning is plain.
        self.transitions = objective.new_transitions()

    def units(self, max_tokens: int) -> list[int]:
        """The rows of at most this many tokens; 0 is all."""
        return self.objective.units(max_tokens)

    def rules(self) -> tuple[Rule, ...]:
        """None, as in the fast version."""
        return ()

    def state(self) -> dict[str, torch.Tensor]:
        """Nothing: all that is learned is in the weights."""
        return {}

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Nothing to go on from."""

    def backward(self, units: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        config = self.objective.config
        scale = 1.0 / (config.samples * len(units))
        total = 0.0
        for unit in units:
            target = self.objective.target(unit)
            reading = self.objective.readings[unit]
            trajectories = [
                sample(self.objective.network, self.transitions, reading, rng)
                for _ in range(config.samples)
            ]
            rewards = np.array([self._reward(trajectory, target) for trajectory in trajectories])
            total += rewards.sum()
            loss = torch.zeros(())
            for trajectory, advantage in zip(trajectories, rewards - rewards.mean(), strict=True):
                loss = loss - advantage * trajectory.log_prob - config.entropy * trajectory.entropy
            (loss * scale).backward()  # type: ignore[no-untyped-call]
        return StepResult(-total * scale, len(units))

    def _reward(self, trajectory: Trajectory, target: Target) -> float:
        outcome = trajectory.outcome
        if outcome.final == NONE or not self.transitions.is_answer(outcome.final):
            return 0.0
        assert outcome.derivation is not None
        domain = self.objective.reader.domain
        table = MeaningTable(domain.language.algebra)
        meaning = evaluate(outcome.derivation, table, domain.words.ground)
        finished = domain.language.finish(meaning, table)
        return reward(domain.metrics, finished, target, alpha=self.objective.config.alpha)
