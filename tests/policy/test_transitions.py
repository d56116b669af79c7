"""What the policy can build is what brute force can build, under every shape."""

import pytest

from lear.algebra.derivations import Derivation
from lear.domain import Shape
from lear.forest.oracle import Oracle
from lear.policy.steps import NONE
from tests.support.brute_force import complete_derivations
from tests.support.policies import SENTENCES, make_policy, specified
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped


def reached(oracle: Oracle, tokens: tuple[str, ...]) -> set[Derivation | None]:
    """The derivations of all trajectories that come to an answer."""
    policy = make_policy(oracle, symbols=1)
    return {
        outcome.derivation
        for outcome in specified(policy, tokens)
        if outcome.final != NONE and policy.transitions.is_answer(outcome.final)
    }


@pytest.mark.parametrize("tokens", SENTENCES[:5])
def test_the_policy_reaches_exactly_the_derivations_of_brute_force(
    oracle: Oracle, tokens: tuple[str, ...]
) -> None:
    assert reached(oracle, tokens) == complete_derivations(oracle, tokens)


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_the_policy_reaches_what_every_shape_allows(toy_oracle: Oracle, shape: Shape) -> None:
    oracle = reshaped(toy_oracle, shape)
    for tokens in SHAPED_SENTENCES:
        assert reached(oracle, tokens) == complete_derivations(oracle, tokens), tokens
