"""Steps of the fast objective that are told which trees to build."""

from collections.abc import Sequence

import numpy as np
import pytest

from lear.model.network import StepResult
from lear.policy.gradient import ReinforceObjective
from lear.policy.reference import Outcome, sample
from lear.policy.rollouts import ActionSequence, LexicalDraws


def sampled(objective: ReinforceObjective, seed: int) -> list[Outcome]:
    """The trees that the specification draws with a seed, for the first row."""
    rng = np.random.default_rng(seed)
    transitions = objective.new_transitions()
    return [
        sample(objective.network, transitions, objective.readings[0], rng).outcome
        for _ in range(objective.config.samples)
    ]


def actions_of(outcome: Outcome, draws: LexicalDraws) -> ActionSequence:
    """The same tree as the fast version is told to build it."""
    picks = [
        next((candidates.index(c) for c in outcome.lexical if c in candidates), 0)
        for candidates in draws.choices.candidates
    ]
    positions, options = ([merge[k] for merge in outcome.merges] for k in (0, 2))
    lists = (outcome.options, positions, options, picks)
    return ActionSequence(*(np.array(numbers, dtype=np.int64) for numbers in lists))


def step_with(
    objective: ReinforceObjective, outcomes: Sequence[Outcome], monkeypatch: pytest.MonkeyPatch
) -> StepResult:
    """A step of the fast version on the first row, in which every sample is prescribed."""

    def prescribe(units: Sequence[int], rows: int, draws: LexicalDraws) -> object:
        assert (list(units), rows) == ([0], objective.config.samples)
        prescribed = {row: actions_of(outcome, draws) for row, outcome in enumerate(outcomes)}
        for row, actions in prescribed.items():
            draws.prescribe(row, actions.picks)
        return prescribed

    monkeypatch.setattr(objective, "_prescribed", prescribe)
    return objective.backward([0], np.random.default_rng(99))
