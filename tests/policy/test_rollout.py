"""Rollouts of whole batches do what the specification does, one tree at a time."""

import numpy as np
import pytest

from lear.forest.oracle import Oracle
from tests.support.policies import (
    ENCODERS,
    SENTENCES,
    Encoder,
    derivation_of,
    make_policy,
    outcomes_of,
    rolled,
    specified,
)
from tests.support.policy import Policy
from tests.support.trajectories import greedy


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("abstraction", [True, False])
def test_probabilities_of_all_trajectories_sum_to_one(
    oracle: Oracle, tokens: tuple[str, ...], abstraction: bool
) -> None:
    policy = make_policy(oracle, symbols=1, abstraction=abstraction)
    total = sum(t.log_prob.exp().item() for t in specified(policy, tokens).values())
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_rollout_has_the_probability_that_the_specification_gives_it(
    oracle: Oracle, tokens: tuple[str, ...], encoder: Encoder
) -> None:
    policy = make_policy(oracle, symbols=1, encoder=encoder)
    expected = specified(policy, tokens)
    _, rollouts, outcomes = rolled(policy, tokens, samples=50, seed=1)
    for row, outcome in enumerate(outcomes):
        assert rollouts.log_probs[row] == pytest.approx(expected[outcome].log_prob.item())


@pytest.mark.parametrize("encoder", ENCODERS)
def test_rows_of_a_batch_do_not_disturb_each_other(oracle: Oracle, encoder: Encoder) -> None:
    def decoded(policy: Policy, sentences: list[tuple[str, ...]]) -> list[object]:
        readings = [policy.read(tokens) for tokens in sentences]
        draws = policy.draws(readings, 1, None)
        rollouts = policy.roll_out(draws, None)
        log_probs = [round(value, 9) for value in rollouts.log_probs.tolist()]
        rows = range(len(sentences))
        derivations = [derivation_of(policy, draws, rollouts, row) for row in rows]
        return list(zip(log_probs, derivations, strict=True))

    together = decoded(make_policy(oracle, encoder=encoder), SENTENCES)
    alone = [decoded(make_policy(oracle, encoder=encoder), [tokens])[0] for tokens in SENTENCES]
    assert together == alone


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_greedy_decoding_takes_the_likeliest_step_each_time(
    oracle: Oracle, tokens: tuple[str, ...], encoder: Encoder
) -> None:
    policy = make_policy(oracle, encoder=encoder)
    expected = greedy(policy.network, policy.transitions, policy.read(tokens))
    draws = policy.draws([policy.read(tokens)], 1, None)
    rollouts = policy.roll_out(draws, None)
    (outcome,) = outcomes_of(policy, draws, rollouts)
    assert outcome == expected.outcome
    assert rollouts.log_probs[0] == pytest.approx(expected.log_prob.item())


def test_samples_of_one_seed_are_the_same_samples(oracle: Oracle) -> None:
    tokens = SENTENCES[2]
    found = [rolled(make_policy(oracle), tokens, samples=20, seed=seed) for seed in (3, 3, 4)]
    first, same, other = (outcomes for _, _, outcomes in found)
    assert first == same != other
    np.testing.assert_array_equal(found[0][1].log_probs, found[1][1].log_probs)
