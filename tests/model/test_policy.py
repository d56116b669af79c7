"""The batched policy against its plain specification, and REINFORCE against expected reward."""

from collections import Counter

import numpy as np
import pytest
import torch

from lear.algebra import MeaningTable
from lear.categories import CategoryTable
from lear.decoding import run_program
from lear.derivation import Derivation, evaluate
from lear.domain import Example
from lear.domains.toy.domain import TOY
from lear.grammar import Analyser
from lear.model.cells import NONE, Machine
from lear.model.config import ModelConfig
from lear.model.network import Network
from lear.model.policy import SiteTable, gradient, roll_out
from lear.model.replay import program_of, steps_of
from lear.model.vocabulary import Vocabulary
from lear.oracle import Oracle
from lear.reward import reward
from lear.training.config import OptimConfig
from lear.training.reinforce import ReinforceObjective, send_back
from tests.brute_force import all_derivations
from tests.plain_policy import Trajectory, all_trajectories

SENTENCES = [
    ("Tom", "sees", "Mary"),
    ("Tom", "looks", "after", "Mary"),
    ("Mary", "is", "seen", "by", "Tom"),
    ("Tom", "sees", "the", "girl"),
    ("Tom", "Mary"),  # a dead end
]
GOLD = Example(SENTENCES[0], "see ( tom , mary )", "", "test")


def make(oracle: Oracle, *, symbols: int = 2, abstraction: bool = True) -> SiteTable:
    torch.manual_seed(7)
    config = ModelConfig(hidden=6, symbols="latent", nonterminals=symbols, abstraction=abstraction)
    names = tuple(f"N{number}" for number in range(symbols))
    vocabulary = Vocabulary.of(oracle.lexicon, names, tuple(TOY.algebra.by_name))
    network = Network(config, vocabulary).double()
    analyser = Analyser(TOY, oracle.lexicon, CategoryTable(TOY))
    return SiteTable(Machine(analyser, config, vocabulary), network)


Key = tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]


def by_key(trajectories: list[Trajectory]) -> dict[Key, Trajectory]:
    return {(t.leaves, t.steps): t for t in trajectories}


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("abstraction", [True, False])
def test_probabilities_of_all_trajectories_sum_to_one(
    toy_oracle: Oracle, tokens: tuple[str, ...], abstraction: bool
) -> None:
    table = make(toy_oracle, symbols=1, abstraction=abstraction)
    trajectories = all_trajectories(table.network, table.machine, tokens)
    total = sum(t.log_prob.exp().item() for t in trajectories)
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize("tokens", SENTENCES)
def test_a_rollout_has_the_probability_that_the_plain_policy_gives_it(
    toy_oracle: Oracle, tokens: tuple[str, ...]
) -> None:
    table = make(toy_oracle)
    plain = by_key(all_trajectories(table.network, table.machine, tokens))
    record = roll_out(table, [tokens] * 50, np.random.default_rng(1))
    leaves = [tuple(options[row] for _, _, options in record.leaves) for row in range(50)]
    for row, steps in enumerate(steps_of(record)):
        trajectory = plain[leaves[row], steps]
        assert record.log_probs[row] == pytest.approx(trajectory.log_prob.item())
        assert record.final[row] == trajectory.final


def test_rows_of_a_batch_do_not_disturb_each_other(toy_oracle: Oracle) -> None:
    table = make(toy_oracle)
    together = roll_out(table, SENTENCES, None)
    for row, tokens in enumerate(SENTENCES):
        alone = roll_out(table, [tokens], None)
        assert together.log_probs[row] == pytest.approx(alone.log_probs[0])
        assert steps_of(together)[row] == steps_of(alone)[0]
        assert together.final[row] == alone.final[0]


@pytest.mark.parametrize("tokens", SENTENCES[:4])
def test_the_policy_reaches_exactly_the_derivations_of_brute_force(
    toy_oracle: Oracle, tokens: tuple[str, ...]
) -> None:
    table = make(toy_oracle, symbols=1)
    machine = table.machine
    reading = machine.analyser.read(tokens)
    reached: set[Derivation] = set()
    for trajectory in all_trajectories(table.network, machine, tokens):
        if trajectory.final != NONE and machine.is_answer(trajectory.final):
            program = program_of(machine, reading, trajectory.steps, 0.0)
            reached.add(program.derivation(lambda leaf: reading.candidates[leaf][0]))
    table_of_meanings = MeaningTable(TOY.algebra)
    complete = {
        derivation
        for derivation in all_derivations(toy_oracle, tokens)
        if TOY.algebra.is_complete(evaluate(derivation, table_of_meanings, TOY.ground))
    }
    assert reached == complete


@pytest.mark.parametrize("entropy", [0.0, 0.3])
def test_gradients_are_those_of_autograd(toy_oracle: Oracle, entropy: float) -> None:
    table = make(toy_oracle)
    network, machine = table.network, table.machine
    tokens = SENTENCES[2]
    plain = by_key(all_trajectories(network, machine, tokens))
    record = roll_out(table, [tokens] * 6, np.random.default_rng(5))
    weights = np.array([0.5, -1.0, 2.0, 0.1, 0.0, -0.3])
    objective = torch.zeros((), dtype=torch.float64)
    for row, steps in enumerate(steps_of(record)):
        leaves = tuple(options[row] for _, _, options in record.leaves)
        trajectory = plain[leaves, steps]
        objective = objective + weights[row] * trajectory.log_prob + entropy * trajectory.entropy
    (-objective).backward()  # type: ignore[no-untyped-call]
    expected = {
        name: p.grad.clone() for name, p in network.named_parameters() if p.grad is not None
    }
    network.zero_grad()
    found = gradient(table, record, weights, entropy)
    send_back(machine, network, found)
    for name, parameter in network.named_parameters():
        if name in expected:
            assert parameter.grad is not None
            torch.testing.assert_close(parameter.grad, expected[name], rtol=1e-6, atol=1e-9)


def gradients_of(network: Network) -> dict[str, torch.Tensor]:
    named = network.named_parameters()
    return {name: p.grad.clone() for name, p in named if p.grad is not None}


def learner(table: SiteTable, samples: int) -> ReinforceObjective:
    config = OptimConfig(objective="reinforce", samples=samples, entropy=0.0, alpha=0.5)
    return ReinforceObjective(TOY, table.network, table.machine.analyser, [GOLD], config)


def test_the_expected_gradient_is_the_gradient_of_expected_reward(toy_oracle: Oracle) -> None:
    table = make(toy_oracle)
    network, machine = table.network, table.machine
    trajectories = by_key(all_trajectories(network, machine, GOLD.tokens))
    gold = TOY.read_gold(GOLD, MeaningTable(TOY.algebra))
    reading = machine.analyser.read(GOLD.tokens)

    def reward_of(trajectory: Trajectory) -> float:
        if trajectory.final == NONE or not machine.is_answer(trajectory.final):
            return 0.0
        program = program_of(machine, reading, trajectory.steps, 0.0)
        return reward(TOY, run_program(program, reading, TOY), gold, alpha=0.5)

    rewards = {key: reward_of(trajectory) for key, trajectory in trajectories.items()}
    assert len(set(rewards.values())) > 1
    expected_reward = sum(t.log_prob.exp() * rewards[key] for key, t in trajectories.items())
    (-expected_reward).backward()  # type: ignore[union-attr]
    wanted = gradients_of(network)
    network.zero_grad()
    # Every trajectory turns up among enough samples; weighting each by its own probability makes
    # the sampled gradient the expected one.
    record = roll_out(table, [GOLD.tokens] * 6000, np.random.default_rng(3))
    leaves = np.stack([options for _, _, options in record.leaves], axis=1).tolist()
    keys = [(tuple(chosen), steps) for chosen, steps in zip(leaves, steps_of(record), strict=True)]
    seen = Counter(keys)
    assert set(seen) == set(trajectories)
    weights = np.array(
        [trajectories[key].log_prob.exp().item() * rewards[key] / seen[key] for key in keys]
    )
    found = gradient(table, record, weights, 0.0)
    send_back(machine, network, found)
    for name, parameter in network.named_parameters():
        if name in wanted:
            assert parameter.grad is not None
            torch.testing.assert_close(parameter.grad, wanted[name], rtol=1e-6, atol=1e-9)


def test_a_step_rewards_what_the_policy_did(toy_oracle: Oracle) -> None:
    table = make(toy_oracle)
    objective = learner(table, samples=40)
    result = objective.backward([0], np.random.default_rng(2))
    assert -1 < result.loss < 0
    assert result.num_rows == 1
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in table.network.parameters())
