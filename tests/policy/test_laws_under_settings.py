"""The policy's laws under the settings of the paper and their alternatives.

What is free or found, who decides what stands for nothing, what decides a leaf's symbol, and what
states are made of: whatever is set, the fast version does what the specification says.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pytest
import torch

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import evaluate
from lear.benchmark import Example
from lear.domain import Domain, Target, reward
from lear.model.config import ModelConfig, OptimConfig
from lear.policy.gradient import EntropyWeights
from lear.policy.reference import Outcome, ReferenceReinforce, Trajectory
from lear.policy.steps import NONE
from tests.support.policies import (
    assert_same_gradients,
    derivation_of,
    gradients_of,
    outcomes_of,
    rolled,
    specified,
)
from tests.support.policy import Policy
from tests.support.prescribed_steps import sampled, step_with
from tests.support.settings import objective_on, policy_under, settings_of
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.total_domains import total_domains
from tests.support.trajectories import greedy

SAMPLES, MANY = 6, 8000
FEW_SENTENCES = 2
ALPHA = 0.5
PAPER = "found typed interpreter tree True"


@dataclass
class Case:
    """A domain with a lexicon, a sentence of it, and settings."""

    small: SmallDomain
    config: ModelConfig
    tokens: tuple[str, ...]

    @cached_property
    def policy(self) -> Policy:
        return policy_under(self.small, self.config)

    @cached_property
    def specified(self) -> dict[Outcome, Trajectory]:
        return specified(self.policy, self.tokens)

    @property
    def rows(self) -> list[Example]:
        """The row of the sentence, if it has gold."""
        return [row for row in self.small.rows if row.tokens == self.tokens]

    def is_answer(self, outcome: Outcome) -> bool:
        return outcome.final != NONE and self.policy.transitions.is_answer(outcome.final)

    @property
    def is_about_leaves(self) -> bool:
        """Whether states are made as the paper makes them, so that only leaves may differ."""
        return self.config.encoder == "tree" and self.config.abstraction


def free_cases() -> dict[str, Case]:
    """The total algebras: all sentences under the paper's settings, the first under the others."""
    return {
        f"{name} free {said}: {' '.join(tokens)}": case
        for name, small in total_domains().items()
        for number, (said, config) in enumerate(settings_of("free").items())
        for tokens in small.sentences[: None if number == 0 else FEW_SENTENCES]
        if (case := Case(small, config, tokens)).is_about_leaves or tokens == small.sentences[0]
    }


def limited_cases() -> dict[str, Case]:
    """The strict algebras: short sentences, and only what is decided about leaves."""
    return {
        f"{name} limited {said}: {' '.join(tokens)}": case
        for name, small in small_domains().items()
        for said, config in settings_of("limited").items()
        for tokens in sorted(small.sentences, key=len)[:FEW_SENTENCES]
        if (case := Case(small, config, tokens)).is_about_leaves
    }


FREE, LIMITED = free_cases(), limited_cases()


@pytest.fixture(scope="module", params=[*FREE, *LIMITED])
def case(request: pytest.FixtureRequest) -> Case:
    """A new one, so that what is enumerated lives as long as the tests of the case."""
    return replace((FREE | LIMITED)[request.param])


def test_probabilities_of_all_trajectories_sum_to_one(case: Case) -> None:
    total = sum(trajectory.log_prob.exp().item() for trajectory in case.specified.values())
    assert total == pytest.approx(1.0)


def test_a_rollout_is_one_of_them_and_has_its_probability(case: Case) -> None:
    _, rollouts, outcomes = rolled(case.policy, case.tokens, samples=30, seed=1)
    for row, outcome in enumerate(outcomes):
        expected = case.specified[outcome].log_prob.item()
        assert rollouts.log_probs[row] == pytest.approx(expected)


def test_greedy_decoding_takes_the_likeliest_step_each_time(case: Case) -> None:
    reading = case.policy.read(case.tokens)
    expected = greedy(case.policy.network, case.policy.transitions, reading)
    draws = case.policy.draws([reading], 1, None)
    rollouts = case.policy.roll_out(draws, None)
    assert outcomes_of(case.policy, draws, rollouts) == [expected.outcome]
    assert rollouts.log_probs[0] == pytest.approx(expected.log_prob.item())


@pytest.mark.parametrize("entropy_of", ["sum", "mean"])
def test_gradients_are_those_of_autograd(case: Case, entropy_of: Literal["sum", "mean"]) -> None:
    network = case.policy.network
    draws, rollouts, outcomes = rolled(case.policy, case.tokens, samples=4, seed=5)
    weights, entropy = np.array([0.5, -1.0, 2.0, 0.1]), 0.3
    objective = torch.zeros((), dtype=torch.float64)
    for weight, outcome in zip(weights, outcomes, strict=True):
        trajectory = case.specified[outcome]
        objective = objective + weight * trajectory.log_prob
        objective = objective + entropy * trajectory.entropy(entropy_of)
    network.zero_grad()
    if objective.requires_grad:  # not where nothing is to be decided
        (-objective).backward(retain_graph=True)  # type: ignore[no-untyped-call]
    wanted = gradients_of(network)
    network.zero_grad()
    per_row = case.policy.entropy_weights(draws, rollouts, np.full(4, entropy), entropy_of)
    case.policy.send_gradients_back(draws, rollouts, weights, per_row)
    assert_same_gradients(network, wanted)


@pytest.mark.parametrize("name", [name for name, case in (FREE | LIMITED).items() if case.rows])
def test_a_step_is_that_of_the_specification_on_the_same_trees(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = replace((FREE | LIMITED)[name])
    config = OptimConfig(samples=SAMPLES, alpha=ALPHA, entropy=0.3, entropy_of="mean")
    objective = objective_on(case.policy, case.rows, config)
    network = case.policy.network
    network.zero_grad()
    expected = ReferenceReinforce(objective).backward([0], np.random.default_rng(3))
    wanted = gradients_of(network)
    network.zero_grad()
    found = step_with(objective, sampled(objective, seed=3), monkeypatch)
    assert found.loss == pytest.approx(expected.loss)
    assert_same_gradients(network, wanted)


def test_actions_repeat_a_rollout(case: Case) -> None:
    draws, rollouts, outcomes = rolled(case.policy, case.tokens, samples=20, seed=6)
    prescribed = {
        row: rollouts.actions.sequence(row, draws.picks_of(row))
        for row in range(20)
        if rollouts.final[row] != NONE
    }
    # Other tables and other draws: only the actions are the same.
    policy, rng = policy_under(case.small, case.config), np.random.default_rng(9)
    again = policy.draws([policy.read(case.tokens)], 20, rng)
    for row, actions in prescribed.items():
        again.prescribe(row, actions.picks)
    repeated = policy.roll_out(again, rng, prescribed)
    for row in prescribed:
        assert repeated.log_probs[row] == pytest.approx(rollouts.log_probs[row])
        assert derivation_of(policy, again, repeated, row) == outcomes[row].derivation


@pytest.mark.parametrize("name", [name for name, case in FREE.items() if case.is_about_leaves])
def test_where_any_two_constituents_combine_no_trajectory_is_a_dead_end(name: str) -> None:
    case = replace(FREE[name])
    language = case.small.domain.language
    for outcome in case.specified:
        assert outcome.final != NONE
        if outcome.derivation is not None:
            table = MeaningTable(language.algebra)
            meaning = evaluate(outcome.derivation, table, case.small.domain.words.ground)
            assert case.is_answer(outcome) == language.algebra.is_complete(meaning)


def reward_of(policy: Policy, outcome: Outcome, domain: Domain, row: Example) -> float:
    """The reward of an outcome, plainly."""
    if outcome.final == NONE or not policy.transitions.is_answer(outcome.final):
        return 0.0
    assert outcome.derivation is not None
    meanings = MeaningTable(domain.language.algebra)
    target = Target.of(domain.metrics, domain.language.read_gold(row, meanings))
    meaning = evaluate(outcome.derivation, meanings, domain.words.ground)
    finished = domain.language.finish(meaning, row.tokens, meanings)
    return reward(domain.metrics, finished, target, alpha=ALPHA)


@pytest.mark.parametrize("name", total_domains())
def test_the_expected_gradient_is_the_gradient_of_expected_reward(name: str) -> None:
    small = total_domains()[name]
    row = small.rows[0]
    policy = policy_under(small, settings_of("free")[PAPER])
    trajectories = specified(policy, row.tokens)
    rewards = {outcome: reward_of(policy, outcome, small.domain, row) for outcome in trajectories}
    assert len(set(rewards.values())) > 1
    expected_reward = sum(t.log_prob.exp() * rewards[key] for key, t in trajectories.items())
    (-expected_reward).backward()  # type: ignore[union-attr]
    wanted = gradients_of(policy.network)
    policy.network.zero_grad()
    # Every trajectory turns up among enough samples; weighting each by its own probability makes
    # the sampled gradient the expected one.
    draws, rollouts, outcomes = rolled(policy, row.tokens, samples=MANY, seed=3)
    seen = Counter(outcomes)
    assert set(seen) == set(trajectories)
    objective = objective_on(policy, [row], OptimConfig(alpha=ALPHA))
    (found_rewards,) = objective.rewards(policy.transitions, draws, [objective.target(0)], rollouts)
    assert found_rewards.tolist() == [rewards[outcome] for outcome in outcomes]
    weights = np.array(
        [trajectories[key].log_prob.exp().item() * rewards[key] / seen[key] for key in outcomes]
    )
    policy.send_gradients_back(draws, rollouts, weights, EntropyWeights(np.zeros(MANY), None))
    assert_same_gradients(policy.network, wanted)
