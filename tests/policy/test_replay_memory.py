"""The best actions so far: they repeat a rollout anywhere, and the best are kept."""

import numpy as np
import pytest

from lear.forest.oracle import Oracle
from lear.policy.gradient import Replay
from lear.policy.steps import NONE
from tests.support.policies import (
    SENTENCES,
    derivation_of,
    make_policy,
    objective_of,
    rolled,
)


@pytest.mark.parametrize("tokens", SENTENCES[:4])  # the others come to dead ends
def test_actions_repeat_a_rollout(oracle: Oracle, tokens: tuple[str, ...]) -> None:
    draws, rollouts, outcomes = rolled(make_policy(oracle), tokens, samples=30, seed=6)
    replay = Replay()
    for row in range(30):
        if rollouts.final[row] != NONE:
            actions = rollouts.actions.sequence(row, draws.picks_of(row))
            replay.add(row, 1.0 + row, actions)
    replay = Replay.of_state(replay.state())
    # Other tables and other draws: only the actions are the same.
    policy = make_policy(oracle)
    again = policy.draws([policy.read(tokens)], 30, np.random.default_rng(9))
    prescribed = {row: actions for row, (_, actions) in replay.best.items()}
    for row, actions in prescribed.items():
        again.prescribe(row, actions.picks)
    repeated = policy.roll_out(again, np.random.default_rng(9), prescribed)
    for row in prescribed:
        assert repeated.log_probs[row] == pytest.approx(rollouts.log_probs[row])
        assert derivation_of(policy, again, repeated, row) == outcomes[row].derivation
    assert prescribed


def test_replay_keeps_the_best_actions_of_each_row(oracle: Oracle) -> None:
    objective = objective_of(make_policy(oracle, symbols=1), samples=40, replay=1.0, entropy=0.1)
    rewards = []
    for seed in range(4):
        objective.backward([0], np.random.default_rng(seed))
        rewards.append(objective.replay.reward(0))
    assert rewards == sorted(rewards)
    assert rewards[-1] == 1.0


def test_what_is_not_better_is_not_kept(oracle: Oracle) -> None:
    draws, rollouts, _ = rolled(make_policy(oracle), SENTENCES[0], samples=2, seed=1)
    first, second = (rollouts.actions.sequence(row, draws.picks_of(row)) for row in (0, 1))
    replay = Replay()
    assert replay.reward(7) == 0.0
    replay.add(7, 0.5, first)
    replay.add(7, 0.5, second)
    assert replay.best == {7: (0.5, first)}
    replay.add(7, 0.75, second)
    assert replay.best == {7: (0.75, second)}
