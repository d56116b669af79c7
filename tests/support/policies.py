"""The batched policy and its specification side by side, on short sentences."""

from typing import Literal

import numpy as np
import torch

from lear.algebra.algebra import MeaningTable
from lear.algebra.derivations import Derivation, evaluate
from lear.benchmark import Example
from lear.domain import Target, reward
from lear.domains.toy import TOY
from lear.forest.oracle import Oracle
from lear.grammar.reading import Candidate
from lear.model.config import ModelConfig, OptimConfig, Vocabulary
from lear.model.network import Network
from lear.policy.gradient import ReinforceObjective
from lear.policy.reference import Merge, Outcome, Trajectory
from lear.policy.rollouts import NO_TREE, LexicalDraws, Rollouts
from lear.policy.steps import NONE
from tests.support.policy import Policy
from tests.support.trajectories import all_trajectories

SENTENCES = [
    ("Tom", "sees", "Mary"),
    ("Tom", "looks", "after", "Mary"),
    ("Mary", "is", "seen", "by", "Tom"),
    ("Tom", "sees", "the", "girl"),
    ("Tom", "is", "the", "Mary"),
    ("Tom", "Mary"),  # a dead end
]
GOLD = Example(SENTENCES[0], "see ( tom , mary )", "", "test")
ALPHA = 0.5
Encoder = Literal["tree", "contextual", "span"]
ENCODERS: tuple[Encoder, ...] = ("tree", "contextual", "span")


def make_policy(
    oracle: Oracle, *, symbols: int = 2, abstraction: bool = True, encoder: Encoder = "tree"
) -> Policy:
    """The policy of a new network."""
    torch.manual_seed(7)
    config = ModelConfig(
        hidden=6, symbols="latent", nonterminals=symbols, abstraction=abstraction, encoder=encoder
    )
    reader = oracle.reader
    vocabulary = Vocabulary.of(reader, tuple(f"N{number}" for number in range(symbols)))
    network = Network(config, vocabulary).double()
    return Policy.of(network, reader, reader.categories)


def specified(policy: Policy, tokens: tuple[str, ...]) -> dict[Outcome, Trajectory]:
    """Everything that the specification can do with a sentence."""
    found = all_trajectories(policy.network, policy.transitions, policy.read(tokens))
    by_outcome = {trajectory.outcome: trajectory for trajectory in found}
    assert len(by_outcome) == len(found)
    return by_outcome


def rolled(
    policy: Policy, tokens: tuple[str, ...], samples: int, seed: int
) -> tuple[LexicalDraws, Rollouts, list[Outcome]]:
    """Samples of one sentence, and each as the specification would describe it."""
    rng = np.random.default_rng(seed)
    draws = policy.draws([policy.read(tokens)], samples, rng)
    rollouts = policy.roll_out(draws, rng)
    return draws, rollouts, outcomes_of(policy, draws, rollouts)


def outcomes_of(policy: Policy, draws: LexicalDraws, rollouts: Rollouts) -> list[Outcome]:
    """What each row did, as the specification would describe it."""
    num_rows = draws.num_rows
    options: list[list[int]] = [[] for _ in range(num_rows)]
    lexical: list[list[Candidate]] = [[] for _ in range(num_rows)]
    merges: list[list[Merge]] = [[] for _ in range(num_rows)]
    for rows, _, taken in rollouts.leaves:
        for row, option in zip(rows.tolist(), taken.tolist(), strict=True):
            options[row].append(option)
    for rows, choices, ranks in rollouts.lexical:
        for row, choice, rank in zip(rows.tolist(), choices.tolist(), ranks.tolist(), strict=True):
            lexical[row].append(draws.choices.candidates[choice][rank])
    for (rows, _, places, _), (_, points, taken) in zip(
        rollouts.merges, rollouts.outcomes, strict=True
    ):
        columns = (column.tolist() for column in (rows, places, points, taken))
        for row, place, point, option in zip(*columns, strict=True):
            merges[row].append((place, point, option))
    return [
        Outcome(
            tuple(options[row]),
            tuple(merges[row]),
            tuple(lexical[row]),
            int(rollouts.final[row]),
            derivation_of(policy, draws, rollouts, row),
        )
        for row in range(num_rows)
    ]


def derivation_of(
    policy: Policy, draws: LexicalDraws, rollouts: Rollouts, row: int
) -> Derivation | None:
    """What a row built; None at a dead end."""
    tree = int(rollouts.trees[row])
    if tree == NO_TREE:
        return None
    names = policy.network.vocabulary.operations
    tokens = draws.choices.readings[row // draws.samples].tokens
    program = rollouts.tree_table.program(tree, names, draws.candidate, len(tokens))
    return program.derivation(draws.choices.readings[row // draws.samples])


def reward_of(policy: Policy, outcome: Outcome, meanings: MeaningTable) -> float:
    """The reward of an outcome on the sentence of `GOLD`."""
    if outcome.final == NONE or not policy.transitions.is_answer(outcome.final):
        return 0.0
    assert outcome.derivation is not None
    target = Target.of(TOY.metrics, TOY.language.read_gold(GOLD, meanings))
    meaning = evaluate(outcome.derivation, meanings, TOY.words.ground)
    return reward(TOY.metrics, meaning, target, alpha=ALPHA)


def objective_of(
    policy: Policy, samples: int, *, replay: float = 0.0, entropy: float = 0.0
) -> ReinforceObjective:
    """REINFORCE on the one sentence of `GOLD`."""
    config = OptimConfig(
        objective="reinforce", samples=samples, entropy=entropy, alpha=ALPHA, replay=replay
    )
    transitions = policy.transitions
    reader, categories = transitions.reader, transitions.categories
    reading = reader.read(GOLD.tokens)
    return ReinforceObjective(reader, categories, policy.network, [GOLD], [reading], config)


def gradients_of(network: Network) -> dict[str, torch.Tensor]:
    """The gradients that there are, by name."""
    named = network.named_parameters()
    return {name: p.grad.clone() for name, p in named if p.grad is not None}


def assert_same_gradients(network: Network, expected: dict[str, torch.Tensor]) -> None:
    """No gradient is the same as a gradient of zero."""
    for name, parameter in network.named_parameters():
        wanted = expected.get(name, torch.zeros_like(parameter))
        found = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad
        torch.testing.assert_close(found, wanted, rtol=1e-6, atol=1e-9)
