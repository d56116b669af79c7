"""The batched policy against its plain specification, and REINFORCE against expected reward."""

from collections import Counter
from typing import Literal

import numpy as np
import pytest
import torch
from lear.policy.gradient import gradient

from lear.core.algebra import MeaningTable
from lear.core.derivation import Derivation, evaluate
from lear.domain.example import Example
from lear.domain.rewards import Target, reward
from lear.domains.toy.domain import TOY
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import Candidate, Reading
from lear.grammar.sentence_reader import SentenceReader
from lear.network.config import ModelConfig
from lear.network.lexical_choices import LexicalDraws
from lear.network.network import Network
from lear.network.vocabulary import Vocabulary
from lear.policy.objective import ReinforceObjective, send_back
from lear.policy.reference import Outcome, Step, Trajectory, all_trajectories, greedy
from lear.policy.replay import Replay
from lear.policy.rollout import OptionTable, Record, roll_out
from lear.policy.transitions import NONE, Machine
from lear.policy.trees import NO_TREE
from lear.search.oracle import Oracle
from lear.training.config import OptimConfig
from tests.brute_force import all_derivations

SENTENCES = [
    ("Tom", "sees", "Mary"),
    ("Tom", "looks", "after", "Mary"),
    ("Mary", "is", "seen", "by", "Tom"),
    ("Tom", "sees", "the", "girl"),
    ("Tom", "is", "the", "Mary"),
    ("Tom", "Mary"),  # a dead end
]
GOLD = Example(SENTENCES[0], "see ( tom , mary )", "", "test")
Encoder = Literal["tree", "contextual", "span"]
ENCODERS: tuple[Encoder, ...] = ("tree", "contextual", "span")


@pytest.fixture(params=["one meaning", "ambiguous"])
def oracle(request: pytest.FixtureRequest, toy_oracle: Oracle, ambiguous_oracle: Oracle) -> Oracle:
    return ambiguous_oracle if request.param == "ambiguous" else toy_oracle


def make(
    oracle: Oracle, *, symbols: int = 2, abstraction: bool = True, encoder: Encoder = "tree"
) -> OptionTable:
    torch.manual_seed(7)
    config = ModelConfig(
        hidden=6, symbols="latent", nonterminals=symbols, abstraction=abstraction, encoder=encoder
    )
    names = tuple(f"N{number}" for number in range(symbols))
    vocabulary = Vocabulary.of(TOY, oracle.lexicon, names)
    network = Network(config, vocabulary).double()
    analyser = Analyser(TOY, oracle.lexicon, CategoryTable(TOY))
    return OptionTable(TransitionSystem(analyser, config, vocabulary), network)


def read(table: OptionTable, tokens: tuple[str, ...]) -> Reading:
    return table.machine.reader.read(tokens)


def plain_of(table: OptionTable, tokens: tuple[str, ...]) -> dict[Outcome, Trajectory]:
    found = all_trajectories(table.network, table.machine, read(table, tokens))
    by_outcome = {trajectory.outcome: trajectory for trajectory in found}
    assert len(by_outcome) == len(found)
    return by_outcome


def rolled(
    table: OptionTable, tokens: tuple[str, ...], samples: int, seed: int
) -> tuple[LexicalDraws, Record, list[Outcome]]:
    """Samples of one sentence, and each as the plain policy would describe it."""
    rng = np.random.default_rng(seed)
    draws = LexicalDraws.of(table.network, [read(table, tokens)], samples, rng)
    record = roll_out(table, draws, rng)
    options: list[list[int]] = [[] for _ in range(samples)]
    lexical: list[list[Candidate]] = [[] for _ in range(samples)]
    for rows, _, taken in record.leaves:
        for row, option in zip(rows.tolist(), taken.tolist(), strict=True):
            options[row].append(option)
    for rows, choices, ranks in record.lexical:
        for row, choice, rank in zip(rows.tolist(), choices.tolist(), ranks.tolist(), strict=True):
            lexical[row].append(draws.choices.candidates[choice][rank])
    steps: list[list[Step]] = [[] for _ in range(samples)]
    merges = zip(record.merges, record.outcomes, strict=True)
    for (rows, _, places, _), (_, sites, taken) in merges:
        columns = (column.tolist() for column in (rows, places, sites, taken))
        for row, place, site, option in zip(*columns, strict=True):
            steps[row].append((place, site, option))
    outcomes = [
        Outcome(
            tuple(options[row]),
            tuple(steps[row]),
            tuple(lexical[row]),
            int(record.final[row]),
            derivation_of(table, draws, record, row),
        )
        for row in range(samples)
    ]
    return draws, record, outcomes


def derivation_of(
    table: OptionTable, draws: LexicalDraws, record: Record, row: int
) -> Derivation | None:
    tree = int(record.trees[row])
    if tree == NO_TREE:
        return None
    program = record.tree_table.program(tree, table.machine.operation_names, draws.candidate)
    return program.derivation(draws.choices.readings[row // draws.samples])


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("abstraction", [True, False])
def test_probabilities_of_all_trajectories_sum_to_one(
    oracle: Oracle, tokens: tuple[str, ...], abstraction: bool
) -> None:
    table = make(oracle, symbols=1, abstraction=abstraction)
    total = sum(t.log_prob.exp().item() for t in plain_of(table, tokens).values())
    assert total == pytest.approx(1.0)


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_rollout_has_the_probability_that_the_plain_policy_gives_it(
    oracle: Oracle, tokens: tuple[str, ...], encoder: Encoder
) -> None:
    table = make(oracle, symbols=1, encoder=encoder)
    plain = plain_of(table, tokens)
    _, record, outcomes = rolled(table, tokens, samples=50, seed=1)
    for row, outcome in enumerate(outcomes):
        assert record.log_probs[row] == pytest.approx(plain[outcome].log_prob.item())


@pytest.mark.parametrize("encoder", ENCODERS)
def test_rows_of_a_batch_do_not_disturb_each_other(oracle: Oracle, encoder: Encoder) -> None:
    def decoded(table: OptionTable, sentences: list[tuple[str, ...]]) -> list[object]:
        readings = [read(table, tokens) for tokens in sentences]
        draws = LexicalDraws.of(table.network, readings, 1, None)
        record = roll_out(table, draws, None)
        rows = range(len(sentences))
        log_probs = [round(value, 9) for value in record.log_probs.tolist()]
        derivations = [derivation_of(table, draws, record, row) for row in rows]
        return list(zip(log_probs, derivations, strict=True))

    together = decoded(make(oracle, encoder=encoder), SENTENCES)
    alone = [decoded(make(oracle, encoder=encoder), [tokens])[0] for tokens in SENTENCES]
    assert together == alone


@pytest.mark.parametrize("tokens", SENTENCES)
@pytest.mark.parametrize("encoder", ENCODERS)
def test_greedy_decoding_takes_the_likeliest_step_each_time(
    oracle: Oracle, tokens: tuple[str, ...], encoder: Encoder
) -> None:
    table = make(oracle, encoder=encoder)
    plain = greedy(table.network, table.machine, read(table, tokens))
    draws = LexicalDraws.of(table.network, [read(table, tokens)], 1, None)
    record = roll_out(table, draws, None)
    assert derivation_of(table, draws, record, 0) == plain.outcome.derivation
    assert record.final[0] == plain.outcome.final
    assert record.log_probs[0] == pytest.approx(plain.log_prob.item())


@pytest.mark.parametrize("tokens", SENTENCES[:5])
def test_the_policy_reaches_exactly_the_derivations_of_brute_force(
    oracle: Oracle, tokens: tuple[str, ...]
) -> None:
    table = make(oracle, symbols=1)
    reached = {
        outcome.derivation
        for outcome in plain_of(table, tokens)
        if outcome.final != NONE and table.machine.is_answer(outcome.final)
    }
    table_of_meanings = MeaningTable(TOY.language.algebra)
    complete = {
        derivation
        for derivation in all_derivations(oracle, tokens)
        if TOY.language.algebra.is_complete(
            evaluate(derivation, table_of_meanings, TOY.words.ground)
        )
    }
    assert reached == complete


@pytest.mark.parametrize("entropy", [0.0, 0.3])
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("tokens", SENTENCES[1:5])
def test_gradients_are_those_of_autograd(
    oracle: Oracle, entropy: float, encoder: Encoder, tokens: tuple[str, ...]
) -> None:
    table = make(oracle, symbols=1, encoder=encoder)
    network = table.network
    plain = plain_of(table, tokens)
    draws, record, outcomes = rolled(table, tokens, samples=6, seed=5)
    weights = np.array([0.5, -1.0, 2.0, 0.1, 0.0, -0.3])
    objective = torch.zeros((), dtype=torch.float64)
    for weight, outcome in zip(weights, outcomes, strict=True):
        trajectory = plain[outcome]
        objective = objective + weight * trajectory.log_prob + entropy * trajectory.entropy
    (-objective).backward()  # type: ignore[no-untyped-call]
    expected = gradients_of(network)
    network.zero_grad()
    found = gradient(table, draws, record, weights, np.full(6, entropy))
    send_back(table.machine, draws.choices, network, found)
    assert_same_gradients(network, expected)


def assert_same_gradients(network: Network, expected: dict[str, torch.Tensor]) -> None:
    for name, parameter in network.named_parameters():
        wanted = expected.get(name, torch.zeros_like(parameter))
        found = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-9)


def gradients_of(network: Network) -> dict[str, torch.Tensor]:
    named = network.named_parameters()
    return {name: p.grad.clone() for name, p in named if p.grad is not None}


def learner(table: OptionTable, samples: int) -> ReinforceObjective:
    config = OptimConfig(objective="reinforce", samples=samples, entropy=0.0, alpha=0.5)
    analyser = table.machine.analyser
    reading = reader.read(GOLD.tokens)
    return ReinforceObjective(TOY, table.network, analyser, [GOLD], [reading], config)


def test_the_expected_gradient_is_the_gradient_of_expected_reward(oracle: Oracle) -> None:
    table = make(oracle, symbols=1)
    network, machine = table.network, table.machine
    trajectories = plain_of(table, GOLD.tokens)
    meanings = MeaningTable(TOY.language.algebra)
    gold = Target.of(TOY, TOY.language.read_gold(GOLD, meanings))

    def reward_of(outcome: Outcome) -> float:
        if outcome.final == NONE or not machine.is_answer(outcome.final):
            return 0.0
        assert outcome.derivation is not None
        meaning = evaluate(outcome.derivation, meanings, TOY.words.ground)
        return reward(TOY, meaning, gold, alpha=0.5)

    rewards = {outcome: reward_of(outcome) for outcome in trajectories}
    assert len(set(rewards.values())) > 1
    expected_reward = sum(t.log_prob.exp() * rewards[key] for key, t in trajectories.items())
    (-expected_reward).backward()  # type: ignore[union-attr]
    wanted = gradients_of(network)
    network.zero_grad()
    # Every trajectory turns up among enough samples; weighting each by its own probability makes
    # the sampled gradient the expected one.
    draws, record, outcomes = rolled(table, GOLD.tokens, samples=6000, seed=3)
    seen = Counter(outcomes)
    assert set(seen) == set(trajectories)
    weights = np.array(
        [trajectories[key].log_prob.exp().item() * rewards[key] / seen[key] for key in outcomes]
    )
    found = gradient(table, draws, record, weights, np.zeros(6000))
    send_back(machine, draws.choices, network, found)
    assert_same_gradients(network, wanted)


def test_a_step_rewards_what_the_policy_did(oracle: Oracle) -> None:
    table = make(oracle)
    objective = learner(table, samples=40)
    result = objective.backward([0], np.random.default_rng(2))
    assert -1 < result.loss < 0
    assert result.num_rows == 1
    assert any(p.grad is not None and p.grad.abs().sum() > 0 for p in table.network.parameters())


def test_the_reward_of_a_row_is_that_of_its_own_meaning(ambiguous_oracle: Oracle) -> None:
    table = make(ambiguous_oracle, symbols=1)
    objective = learner(table, samples=200)
    meanings = MeaningTable(TOY.language.algebra)
    target = Target.of(TOY, TOY.language.read_gold(GOLD, meanings))
    draws, record, outcomes = rolled(table, GOLD.tokens, samples=200, seed=4)
    (found,) = objective._rewards(table.machine, draws, [target], record)
    for row, outcome in enumerate(outcomes):
        expected = 0.0
        if outcome.final != NONE and table.machine.is_answer(outcome.final):
            assert outcome.derivation is not None
            meaning = evaluate(outcome.derivation, meanings, TOY.words.ground)
            expected = reward(TOY, meaning, target, alpha=0.5)
        assert found[row] == expected
    assert len(set(found.tolist())) > 2


@pytest.mark.parametrize("tokens", SENTENCES[:4])  # the others come to dead ends
def test_a_script_repeats_a_rollout(oracle: Oracle, tokens: tuple[str, ...]) -> None:
    draws, record, outcomes = rolled(make(oracle), tokens, samples=30, seed=6)
    replay = Replay()
    for row in range(30):
        if record.final[row] != NONE:
            script = record.decisions.script(row, len(tokens), draws.picks_of(row))
            replay.add(row, 1.0 + row, script)
    replay = Replay.of_state(replay.state())
    # Other tables and other draws: only the scripts are the same.
    table = make(oracle)
    again = LexicalDraws.of(table.network, [read(table, tokens)], 30, np.random.default_rng(9))
    scripts = {row: script for row, (_, script) in replay.best.items()}
    for row, script in scripts.items():
        again.prescribe(row, script.picks)
    repeated = roll_out(table, again, np.random.default_rng(9), scripts)
    for row in scripts:
        assert repeated.log_probs[row] == pytest.approx(record.log_probs[row])
        assert derivation_of(table, again, repeated, row) == outcomes[row].derivation
    assert scripts


def test_replay_keeps_the_best_script_of_each_row(oracle: Oracle) -> None:
    table = make(oracle, symbols=1)
    objective = learner(table, samples=40)
    objective.config = OptimConfig(objective="reinforce", samples=40, alpha=0.5, replay=1.0)
    rewards = []
    for seed in range(4):
        objective.backward([0], np.random.default_rng(seed))
        rewards.append(objective.replay.reward(0))
    assert rewards == sorted(rewards)
    assert rewards[-1] == 1.0
