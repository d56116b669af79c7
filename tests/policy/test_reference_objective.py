"""The fast objective and its specification learn the same from the same trees."""

from collections.abc import Sequence

import numpy as np
import pytest

from lear.network.objective import StepResult
from lear.policy.objective import ReinforceObjective
from lear.policy.option_scores import LexicalDraws, OptionTable
from lear.policy.reference import Outcome, sample
from lear.policy.reference_objective import ReferenceReinforce
from lear.policy.rollout import ActionSequence
from lear.search.oracle import Oracle
from tests.support.policies import (
    ENCODERS,
    GOLD,
    Encoder,
    assert_same_gradients,
    gradients_of,
    make_table,
    objective_of,
    read,
)

SAMPLES = 8


def sampled(table: OptionTable, objective: ReinforceObjective, seed: int) -> list[Outcome]:
    """The trees that the specification draws with a seed."""
    rng = np.random.default_rng(seed)
    transitions = objective.new_transitions()
    return [
        sample(table.network, transitions, read(table, GOLD.tokens), rng).outcome
        for _ in range(SAMPLES)
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
    """A step of the fast version in which every row is prescribed."""

    def prescribe(units: Sequence[int], rows: int, draws: LexicalDraws) -> object:
        assert (list(units), rows) == ([0], SAMPLES)
        prescribed = {row: actions_of(outcome, draws) for row, outcome in enumerate(outcomes)}
        for row, actions in prescribed.items():
            draws.prescribe(row, actions.picks)
        return prescribed

    monkeypatch.setattr(objective, "_prescribed", prescribe)
    return objective.backward([0], np.random.default_rng(99))


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("seed", range(2))
def test_the_same_trees_have_the_same_loss_and_gradient(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch, encoder: Encoder, seed: int
) -> None:
    table = make_table(oracle, encoder=encoder)
    network = table.network
    objective = objective_of(table, SAMPLES, entropy=0.3)
    reference = ReferenceReinforce(objective)
    expected = reference.backward([0], np.random.default_rng(seed))
    wanted = gradients_of(network)
    assert any(gradient.abs().sum() > 0 for gradient in wanted.values())
    network.zero_grad()
    outcomes = sampled(table, objective, seed)
    found = step_with(objective, outcomes, monkeypatch)
    assert found.loss == pytest.approx(expected.loss)
    assert found.num_rows == expected.num_rows
    assert_same_gradients(network, wanted)
