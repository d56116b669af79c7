"""States in NumPy have the logits of torch, for every encoder, however they come."""

import numpy as np
import pytest

from lear.policy.rollouts import ForwardStateScorer, OptionTable, roll_out
from lear.policy.steps import TransitionSystem
from tests.support.forward import forward_of
from tests.support.policy import Policy
from tests.support.settings import STATES, policy_under, settings_of
from tests.support.small_domains import SmallDomain
from tests.support.total_domains import total_domains

on_all_settings = pytest.mark.parametrize(
    ("small", "encoder", "abstraction"),
    [
        pytest.param(small, *states, id=f"{name} {states[0]} {states[1]}")
        for name, small in total_domains().items()
        for states in STATES
    ],
)


def make_policy(small: SmallDomain, encoder: str, abstraction: bool) -> Policy:
    return policy_under(
        small, settings_of("free")[f"found typed interpreter {encoder} {abstraction}"]
    )


@on_all_settings
def test_logits_are_those_of_torch(small: SmallDomain, encoder: str, abstraction: bool) -> None:
    policy = make_policy(small, encoder, abstraction)
    states = policy.transitions.states
    forward, rng = forward_of(policy.network), np.random.default_rng(1)
    piece_by_piece = ForwardStateScorer(forward, states)
    # One sentence after the other, short ones before long ones: states and sentences are added.
    for tokens in sorted(small.sentences, key=len):
        policy.roll_out(policy.draws([policy.read(tokens)], 5, rng), rng)
        numbers = np.arange(len(states))
        expected = policy.options.scorer.logits(numbers)
        at_once = ForwardStateScorer(forward, states)
        for scorer in (piece_by_piece, at_once):
            for wanted, found in zip(expected, scorer.logits(numbers), strict=True):
                np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9)


@on_all_settings
def test_greedy_rollouts_are_those_of_torch(
    small: SmallDomain, encoder: str, abstraction: bool
) -> None:
    policy = make_policy(small, encoder, abstraction)
    reader, categories = policy.transitions.reader, policy.transitions.categories
    network = policy.network
    transitions = TransitionSystem(reader, categories, network.config, network.vocabulary)
    table = OptionTable(transitions, ForwardStateScorer(forward_of(network), transitions.states))
    draws = policy.draws([policy.read(tokens) for tokens in small.sentences], 1, None)
    expected, found = policy.roll_out(draws, None), roll_out(table, draws, None)
    np.testing.assert_allclose(found.log_probs, expected.log_probs, rtol=1e-9)
    np.testing.assert_array_equal(found.final, expected.final)
