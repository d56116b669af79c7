"""The fast objective and its specification learn the same from the same trees."""

import numpy as np
import pytest

from lear.forest.oracle import Oracle
from lear.policy.reference import ReferenceReinforce
from tests.support.policies import (
    ENCODERS,
    Encoder,
    assert_same_gradients,
    gradients_of,
    make_policy,
    objective_of,
)
from tests.support.prescribed_steps import sampled, step_with

SAMPLES = 8


@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("seed", range(2))
def test_the_same_trees_have_the_same_loss_and_gradient(
    oracle: Oracle, monkeypatch: pytest.MonkeyPatch, encoder: Encoder, seed: int
) -> None:
    policy = make_policy(oracle, encoder=encoder)
    network = policy.network
    objective = objective_of(policy, SAMPLES, entropy=0.3)
    reference = ReferenceReinforce(objective)
    expected = reference.backward([0], np.random.default_rng(seed))
    wanted = gradients_of(network)
    assert any(gradient.abs().sum() > 0 for gradient in wanted.values())
    network.zero_grad()
    outcomes = sampled(objective, seed)
    found = step_with(objective, outcomes, monkeypatch)
    assert found.loss == pytest.approx(expected.loss)
    assert found.num_rows == expected.num_rows
    assert_same_gradients(network, wanted)
