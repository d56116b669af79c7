"""REINFORCE: its gradients are autograd's, and their mean is that of expected reward."""

from collections import Counter
from typing import Literal

import numpy as np
import pytest
import torch

from lear.algebra.algebra import MeaningTable
from lear.domain import Target
from lear.domains.toy import TOY
from lear.forest.oracle import Oracle
from lear.policy.gradient import EntropyWeights
from tests.support.policies import (
    ENCODERS,
    GOLD,
    SENTENCES,
    Encoder,
    assert_same_gradients,
    gradients_of,
    make_policy,
    objective_of,
    reward_of,
    rolled,
    specified,
)


@pytest.mark.parametrize(("entropy", "entropy_of"), [(0.0, "sum"), (0.3, "sum"), (0.3, "mean")])
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("tokens", SENTENCES[1:5])
def test_gradients_are_those_of_autograd(
    oracle: Oracle,
    entropy: float,
    entropy_of: Literal["sum", "mean"],
    encoder: Encoder,
    tokens: tuple[str, ...],
) -> None:
    policy = make_policy(oracle, symbols=1, encoder=encoder)
    network = policy.network
    trajectories = specified(policy, tokens)
    draws, rollouts, outcomes = rolled(policy, tokens, samples=6, seed=5)
    weights = np.array([0.5, -1.0, 2.0, 0.1, 0.0, -0.3])
    objective = torch.zeros((), dtype=torch.float64)
    for weight, outcome in zip(weights, outcomes, strict=True):
        trajectory = trajectories[outcome]
        objective = objective + weight * trajectory.log_prob
        objective = objective + entropy * trajectory.entropy(entropy_of)
    (-objective).backward()  # type: ignore[no-untyped-call]
    expected = gradients_of(network)
    network.zero_grad()
    per_row = policy.entropy_weights(draws, rollouts, np.full(6, entropy), entropy_of)
    policy.send_gradients_back(draws, rollouts, weights, per_row)
    assert_same_gradients(network, expected)


def test_the_expected_gradient_is_the_gradient_of_expected_reward(oracle: Oracle) -> None:
    policy = make_policy(oracle, symbols=1)
    network = policy.network
    trajectories = specified(policy, GOLD.tokens)
    meanings = MeaningTable(TOY.language.algebra)
    rewards = {outcome: reward_of(policy, outcome, meanings) for outcome in trajectories}
    assert len(set(rewards.values())) > 1
    expected_reward = sum(t.log_prob.exp() * rewards[key] for key, t in trajectories.items())
    (-expected_reward).backward()  # type: ignore[union-attr]
    wanted = gradients_of(network)
    network.zero_grad()
    # Every trajectory turns up among enough samples; weighting each by its own probability makes
    # the sampled gradient the expected one.
    draws, rollouts, outcomes = rolled(policy, GOLD.tokens, samples=6000, seed=3)
    seen = Counter(outcomes)
    assert set(seen) == set(trajectories)
    weights = np.array(
        [trajectories[key].log_prob.exp().item() * rewards[key] / seen[key] for key in outcomes]
    )
    policy.send_gradients_back(draws, rollouts, weights, EntropyWeights(np.zeros(6000), None))
    assert_same_gradients(network, wanted)


def test_a_step_rewards_what_the_policy_did(oracle: Oracle) -> None:
    policy = make_policy(oracle)
    result = objective_of(policy, samples=40).backward([0], np.random.default_rng(2))
    assert -1 < result.loss < 0
    assert result.num_rows == 1
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in policy.network.parameters())


def test_the_reward_of_a_row_is_that_of_its_own_meaning(ambiguous_oracle: Oracle) -> None:
    policy = make_policy(ambiguous_oracle, symbols=1)
    objective = objective_of(policy, samples=200)
    meanings = MeaningTable(TOY.language.algebra)
    target = Target.of(TOY.metrics, TOY.language.read_gold(GOLD, meanings), GOLD.form)
    assert objective.target(0) == target
    draws, rollouts, outcomes = rolled(policy, GOLD.tokens, samples=200, seed=4)
    (found,) = objective.rewards(policy.transitions, draws, [target], rollouts)
    assert found.tolist() == [reward_of(policy, outcome, meanings) for outcome in outcomes]
    assert len(set(found.tolist())) > 2
