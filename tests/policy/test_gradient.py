"""REINFORCE: its gradients are autograd's, and their mean is that of expected reward."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pytest
import torch

from lear.learning.speed import PlainPolicy, PlainReinforce, Trajectory
from lear.model.config import OptimConfig
from lear.policy.gradient import EntropyWeights, Replay, logit_gradients, send_back
from lear.policy.rollouts import ActionSequence, LexicalDraws, Rollouts
from tests.support.policies import (
    LATENT,
    PAPER,
    Case,
    assert_same_gradients,
    free_cases,
    gradients_of,
    strict_cases,
    toy_cases,
    toys,
)
from tests.support.total_domains import total_domains

CASES = toy_cases() | strict_cases() | free_cases()
MANY = 8000
SEEN = ("Tom", "sees", "Mary")
REWARDED = {name: Case(small, LATENT, SEEN) for name, small in toys().items()} | {
    name: Case(small, PAPER, small.rows[0].tokens) for name, small in total_domains().items()
}


def send(
    case: Case,
    draws: LexicalDraws,
    rollouts: Rollouts,
    weights: Sequence[float],
    entropies: EntropyWeights,
) -> None:
    """Add the gradient of rollouts with these weights to that of the network."""
    found = logit_gradients(case.policy, draws, rollouts, np.array(weights), entropies)
    send_back(case.network, case.policy, draws, found)


@pytest.mark.parametrize("name", CASES)
def test_gradients_are_those_of_autograd(name: str) -> None:
    case, entropy = replace(CASES[name]), 0.3
    draws, rollouts, outcomes = case.rolled(samples=4, seed=5)
    weights = [0.5, -1.0, 2.0, 0.1]
    kinds: tuple[Literal["sum", "mean"], ...] = ("sum", "mean")
    for entropy_of in kinds:
        objective = torch.zeros((), dtype=torch.float64)
        for weight, outcome in zip(weights, outcomes, strict=True):
            tree = case.specified[outcome]
            objective = objective + weight * tree.log_prob + entropy * tree.entropy(entropy_of)
        if objective.requires_grad:  # not where nothing is to be decided
            (-objective).backward(retain_graph=True)  # type: ignore[no-untyped-call]
        wanted = gradients_of(case.network)
        per_row = np.full(4, entropy)
        entropies = EntropyWeights.of(case.policy, draws, rollouts, per_row, entropy_of)
        send(case, draws, rollouts, weights, entropies)
        assert_same_gradients(case.network, wanted)


def actions_of(tree: Trajectory, draws: LexicalDraws) -> ActionSequence:
    """The actions by which the fast version builds the same tree."""
    picks = [
        next((candidates.index(c) for c in tree.lexical if c in candidates), 0)
        for candidates in draws.choices.candidates
    ]
    positions, options = ([merge[k] for merge in tree.merges] for k in (0, 1))
    lists = (tree.leaves, positions, options, picks)
    return ActionSequence(*(np.array(numbers, dtype=np.int64) for numbers in lists))


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case.row])
def test_a_step_is_the_plain_one_on_the_same_trees(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = replace(CASES[name])
    objective = case.objective(OptimConfig(samples=6, entropy=0.3, entropy_of="mean"))
    expected = PlainReinforce(objective).backward([0], np.random.default_rng(3))
    wanted = gradients_of(case.network)
    rng = np.random.default_rng(3)
    plain = PlainPolicy(case.network, objective.new_policy().transitions, case.reading)
    trees = [plain.sample(rng) for _ in range(6)]

    def prescribe(batch: Sequence[int], draws: LexicalDraws) -> object:
        assert (list(batch), draws.samples) == ([0], 6)
        prescribed = {row: actions_of(tree, draws) for row, tree in enumerate(trees)}
        for row, actions in prescribed.items():
            draws.picks_of(row)[:] = actions.picks
        return prescribed

    monkeypatch.setattr(objective, "_prescribe", prescribe)
    found = objective.backward([0], np.random.default_rng(99))
    assert found.loss == pytest.approx(expected.loss)
    assert found.num_rows == expected.num_rows == 1
    assert_same_gradients(case.network, wanted)


@pytest.mark.parametrize("name", REWARDED)
def test_the_expected_gradient_is_the_gradient_of_expected_reward(name: str) -> None:
    case = replace(REWARDED[name])
    trees = case.specified
    rewards = {outcome: case.reward(outcome) for outcome in trees}
    assert len(set(rewards.values())) > 1
    expected = sum(tree.log_prob.exp() * rewards[outcome] for outcome, tree in trees.items())
    (-expected).backward()  # type: ignore[union-attr]
    wanted = gradients_of(case.network)
    # Every trajectory turns up among enough samples; weighting each by its own probability makes
    # the sampled gradient the expected one.
    draws, rollouts, outcomes = case.rolled(samples=MANY, seed=3)
    seen = Counter(outcomes)
    assert set(seen) == set(trees)
    objective = case.objective(OptimConfig())
    (found,) = objective.rewards(case.policy, draws, [objective.target(0)], rollouts)
    assert found.tolist() == [rewards[outcome] for outcome in outcomes]
    weights = [trees[key].log_prob.exp().item() * rewards[key] / seen[key] for key in outcomes]
    send(case, draws, rollouts, weights, EntropyWeights(np.zeros(MANY)))
    assert_same_gradients(case.network, wanted)


@pytest.mark.parametrize("name", toys())
def test_a_step_rewards_what_the_policy_did(name: str) -> None:
    case = Case(toys()[name], LATENT, SEEN, num_symbols=2)
    result = case.objective(OptimConfig(samples=40)).backward([0], np.random.default_rng(2))
    assert -1 < result.loss < 0
    assert result.num_rows == 1
    assert any(gradient.abs().sum() > 0 for gradient in gradients_of(case.network).values())


@pytest.mark.parametrize("name", toys())
def test_replay_keeps_the_best_actions_of_each_row(name: str) -> None:
    config = OptimConfig(samples=40, replay=1.0)
    objective = Case(toys()[name], LATENT, SEEN).objective(config)
    rewards = []
    for seed in range(4):
        objective.backward([0], np.random.default_rng(seed))
        rewards.append(objective.replay.reward(0))
    assert rewards == sorted(rewards)
    assert rewards[-1] == 1.0
    again = Replay.of_state(objective.state())
    assert again.best.keys() == objective.replay.best.keys()
    (value, actions), (_, expected) = again.best[0], objective.replay.best[0]
    assert value == 1.0
    for found, wanted in zip(actions, expected, strict=True):
        np.testing.assert_array_equal(found, wanted)
