"""The policy's laws on every domain: the toy language has no trailing words and no names."""

import numpy as np
import pytest
import torch

from lear.policy.steps import NONE
from tests.support.brute_force import complete_derivations
from tests.support.policies import (
    assert_same_gradients,
    derivation_of,
    gradients_of,
    make_policy,
    rolled,
    specified,
)
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.trajectories import greedy

CASES = [
    pytest.param(small, tokens, id=f"{name}: {' '.join(tokens)}")
    for name, small in small_domains().items()
    for tokens in small.sentences
]
on_all_domains = pytest.mark.parametrize(("small", "tokens"), CASES)


@on_all_domains
def test_probabilities_of_all_trajectories_sum_to_one(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    policy = make_policy(small.oracle, symbols=1)
    total = sum(t.log_prob.exp().item() for t in specified(policy, tokens).values())
    assert total == pytest.approx(1.0)


@on_all_domains
def test_the_policy_reaches_exactly_the_derivations_of_brute_force(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    policy = make_policy(small.oracle, symbols=1)
    reached = {
        outcome.derivation
        for outcome in specified(policy, tokens)
        if outcome.final != NONE and policy.transitions.is_answer(outcome.final)
    }
    assert reached == set(complete_derivations(small.oracle, tokens))


@on_all_domains
def test_a_rollout_has_the_probability_that_the_specification_gives_it(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    policy = make_policy(small.oracle, symbols=1)
    expected = specified(policy, tokens)
    _, rollouts, outcomes = rolled(policy, tokens, samples=30, seed=1)
    for row, outcome in enumerate(outcomes):
        assert rollouts.log_probs[row] == pytest.approx(expected[outcome].log_prob.item())


@on_all_domains
def test_greedy_decoding_takes_the_likeliest_step_each_time(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    policy = make_policy(small.oracle)
    reading = policy.read(tokens)
    expected = greedy(policy.network, policy.transitions, reading)
    draws = policy.draws([reading], 1, None)
    rollouts = policy.roll_out(draws, None)
    assert derivation_of(policy, draws, rollouts, 0) == expected.outcome.derivation
    assert rollouts.log_probs[0] == pytest.approx(expected.log_prob.item())


@on_all_domains
def test_gradients_are_those_of_autograd(small: SmallDomain, tokens: tuple[str, ...]) -> None:
    policy = make_policy(small.oracle, symbols=1)
    expected = specified(policy, tokens)
    draws, rollouts, outcomes = rolled(policy, tokens, samples=4, seed=5)
    weights, entropy = np.array([0.5, -1.0, 2.0, 0.1]), 0.3
    objective = torch.zeros((), dtype=torch.float64)
    for weight, outcome in zip(weights, outcomes, strict=True):
        trajectory = expected[outcome]
        objective = objective + weight * trajectory.log_prob + entropy * trajectory.entropy("sum")
    if objective.requires_grad:  # not where every row is a dead end at once
        (-objective).backward()  # type: ignore[no-untyped-call]
    wanted = gradients_of(policy.network)
    policy.network.zero_grad()
    per_row = policy.entropy_weights(draws, rollouts, np.full(4, entropy), "sum")
    policy.send_gradients_back(draws, rollouts, weights, per_row)
    assert_same_gradients(policy.network, wanted)
