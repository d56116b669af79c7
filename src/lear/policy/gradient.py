"""The paper's objective (section 4): REINFORCE with a mean-reward baseline over K samples.

The policy never sees gold: trees are rolled out first, their meanings evaluated and rewarded after.
The gradient by the logits of decisions is in closed form, and is what autograd would give. Choice
points are visited by thousands of rows: their gradients are added up first, and go through the
network once for each distinct state of the batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Target, longest_run_reward, reward
from lear.errors import DataError
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import Reading, SentenceReader
from lear.grammar.rules import Rule
from lear.model.config import OptimConfig
from lear.model.network import Network, StepResult
from lear.policy.rollouts import (
    CLASS,
    OPERATION,
    ActionSequence,
    Floats,
    Ints,
    LexicalDraws,
    Policy,
    Rollouts,
    StateScorer,
    Tree,
)
from lear.policy.steps import NONE


@dataclass(frozen=True)
class EntropyWeights:
    """How much the entropy of each decision counts."""

    per_row: Floats
    num_decisions: Ints | None = None
    """How many decisions of each row have several alternatives. None where entropies are added up
    as they are; else each is taken as a share of its maximum, and the mean of them."""

    @classmethod
    def of(
        cls,
        policy: Policy,
        draws: LexicalDraws,
        rollouts: Rollouts,
        per_row: Floats,
        entropy_of: Literal["sum", "mean"],
    ) -> "EntropyWeights":
        """Divide the weights of rows among their decisions."""
        if entropy_of == "sum":
            return cls(per_row)
        count = np.zeros(len(per_row), dtype=np.int64)
        for rows, points, _, _ in rollouts.merges:
            np.add.at(count, rows, (points != NONE).sum(axis=1) > 1)
        for rows, points, options in rollouts.nodes:
            for stage in (CLASS, OPERATION):
                is_made = policy.options[points, options, stage] >= 0
                np.add.at(count, rows, is_made & (policy.num_alternatives[points, stage] > 1))
        for rows, choices, _ in rollouts.lexical:
            np.add.at(count, rows, draws.choices.sizes[choices] > 1)
        return cls(per_row, count)

    def at(self, rows: Ints, num_alternatives: Ints) -> Floats:
        """Return the weights of decisions of some rows, with so many alternatives each."""
        weights: Floats = self.per_row[rows]
        if self.num_decisions is None:
            return weights
        is_open = num_alternatives > 1
        greatest = np.log(np.where(is_open, num_alternatives, 2))
        shares: Floats = weights / (greatest * np.maximum(self.num_decisions[rows], 1))
        return np.where(is_open, shares, 0.0)


@dataclass(frozen=True)
class LogitGradients:
    """Gradients with respect to logits."""

    merge: Floats  # (states, 1)
    node_class: Floats  # (states, 1 + N)
    operation: Floats  # (states, operations)
    lexical: Floats  # (choices, width)


def logit_gradients(
    policy: Policy,
    draws: LexicalDraws,
    rollouts: Rollouts,
    weights: Floats,
    entropy: EntropyWeights,
) -> LogitGradients:
    """Differentiate the sum over rows of weight * log p(row) + entropy weight * its entropy."""
    merge = np.zeros((len(policy.transitions.states), 1))
    for rows, points, positions, p in rollouts.merges:
        weight = np.zeros(p.shape)
        weight[np.arange(len(rows)), positions] = weights[rows]
        is_pair = points != NONE
        entropy_weight = entropy.at(rows, is_pair.sum(axis=1))
        change = _softmax_gradient(p, weight, entropy_weight)
        np.add.at(merge[:, 0], policy.states[points[is_pair]], change[is_pair])

    chosen = np.zeros(policy.options.shape[:2])
    visits = np.zeros((len(policy.states), 2))  # each as much as its row's entropy counts
    for rows, points, options in rollouts.nodes:
        np.add.at(chosen, (points, options), weights[rows])
        for stage in (CLASS, OPERATION):
            is_made = policy.options[points, options, stage] >= 0
            at = points[is_made]
            counts = entropy.at(rows[is_made], policy.num_alternatives[at, stage])
            np.add.at(visits[:, stage], at, counts)
    node_class, operation = (
        _stage_gradient(policy, stage, chosen, visits[:, stage]) for stage in (CLASS, OPERATION)
    )

    drawn, met = np.zeros(draws.log_p.shape), np.zeros(len(draws.log_p))
    for rows, choices, ranks in rollouts.lexical:
        np.add.at(drawn, (choices, ranks), weights[rows])
        np.add.at(met, choices, entropy.at(rows, draws.choices.sizes[choices]))
    lexical = _softmax_gradient(np.exp(draws.log_p), drawn, met)
    return LogitGradients(merge, node_class, operation, lexical)


def _stage_gradient(policy: Policy, stage: int, chosen: Floats, visits: Floats) -> Floats:
    """Add up the gradients of classes or of operations at choice points for each state.

    Args:
        policy: The choice points.
        stage: CLASS or OPERATION.
        chosen: The weights of all rows that took an option, (points, width).
        visits: The weight of the entropy at each point.
    """
    transitions = policy.transitions
    num_operations = len(policy.layers.vocabulary.operations)
    sizes = {CLASS: 1 + transitions.config.num_classes, OPERATION: num_operations}
    choices = policy.options[:, :, stage]
    points, columns = np.nonzero(choices >= 0)
    at = points, choices[points, columns]
    p, weight = np.zeros((2, len(visits), sizes[stage]))
    p[at] = np.exp(policy.log_p[points, columns, stage])
    np.add.at(weight, at, chosen[points, columns])
    gradient = np.zeros((len(transitions.states), sizes[stage]))
    np.add.at(gradient, policy.states, _softmax_gradient(p, weight, visits))
    return gradient


def _softmax_gradient(p: Floats, weight: Floats, entropy_weight: Floats) -> Floats:
    """Differentiate sum weight * log p + entropy_weight * entropy of p by the logits, (n, k)."""
    logs = np.log(np.where(p > 0, p, 1.0))
    entropy = -(p * logs).sum(axis=1, keepdims=True)
    change: Floats = weight - weight.sum(axis=1, keepdims=True) * p
    change -= entropy_weight[:, None] * p * (logs + entropy)
    return change


def send_back(
    network: Network, policy: Policy, draws: LexicalDraws, gradients: LogitGradients
) -> None:
    """Add the gradient that follows from those of the logits to the network's weights.

    The logits are to be increased along `gradients`; optimizers minimise, hence the sign.
    """
    logits = StateScorer(network, policy.transitions.states).logits()
    wanted = (gradients.merge, gradients.node_class, gradients.operation)
    pairs = list(zip(logits, wanted, strict=True))
    choices = draws.choices
    if choices.spans:
        mask = choices.is_candidate()
        pairs.append((choices.logits(network)[mask], gradients.lexical[mask]))
    objective = network.zeros()
    for values, gradient in pairs:
        objective = objective + (values * values.new_tensor(gradient)).sum()
    (-objective).backward()  # type: ignore[no-untyped-call]


@dataclass
class Replay:
    """The best actions so far for each row, and their reward.

    A rare construction teaches little while the policy hardly ever builds it. Repeating the best
    actions, weighted by how much better they are than the mean, brings it back.
    """

    best: dict[int, tuple[float, ActionSequence]] = field(default_factory=dict)
    is_restored: bool = False
    """True if it comes from a checkpoint, which may hold any actions."""

    def reward(self, row: int) -> float:
        """Return the best reward so far."""
        return self.best[row][0] if row in self.best else 0.0

    def state(self) -> dict[str, Tensor]:
        """Return all of it as tensors, for checkpoints."""
        sizes = [[row, *map(len, actions)] for row, (_, actions) in self.best.items()]
        numbers = [array for _, actions in self.best.values() for array in actions]
        flat = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
        return {
            "sizes": torch.tensor(sizes, dtype=torch.int32).reshape(-1, 5),
            "numbers": torch.tensor(flat, dtype=torch.int32),
            "rewards": torch.tensor([r for r, _ in self.best.values()], dtype=torch.float64),
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Tensor]) -> "Replay":
        """Read what `state` gave."""
        numbers = state["numbers"].numpy().astype(np.int64)
        sizes = state["sizes"].numpy().astype(np.int64)
        lengths = sizes[:, 1:].reshape(-1)
        if (lengths < 0).any() or lengths.sum() != len(numbers):
            raise ValueError("actions of another length than their sizes say")
        arrays = iter(np.split(numbers, np.cumsum(lengths)))
        rows, rewards = sizes[:, 0].tolist(), state["rewards"].tolist()
        best = {
            row: (best_reward, ActionSequence(*(next(arrays) for _ in range(4))))
            for row, best_reward in zip(rows, rewards, strict=True)
        }
        return cls(best, is_restored=True)


@dataclass
class ReinforceObjective:
    """Training on rows: these are its training items."""

    reader: SentenceReader
    categories: CategoryTable
    """Which operations are legal."""
    network: Network
    examples: Sequence[Example]
    readings: Sequence[Reading]
    config: OptimConfig
    replay: Replay = field(default_factory=Replay)
    entropy: float = field(init=False)
    """The weight of the policy's entropy at present."""
    _targets: dict[int, Target] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.entropy = self.config.entropy

    @classmethod
    def of(
        cls,
        reader: SentenceReader,
        categories: CategoryTable,
        network: Network,
        examples: Sequence[Example],
        config: OptimConfig,
    ) -> "ReinforceObjective":
        """Make the objective on these rows; `categories` says which operations are legal."""
        # A lone word without a choice has one tree only: itself.
        pairs = ((example, reader.read(example.tokens)) for example in examples)
        rows = [(e, reading) for e, reading in pairs if len(e.tokens) > 1 or reading.choices]
        chosen, readings = [e for e, _ in rows], [reading for _, reading in rows]
        return cls(reader, categories, network, chosen, readings, config)

    def new_policy(self) -> Policy:
        """Make a policy by the present weights, which has met no choice point."""
        return Policy(self.network, self.reader, self.categories)

    def training_items(self, max_tokens: int) -> list[int]:
        """Return the rows of at most this many tokens; 0 is all."""
        rows = enumerate(self.examples)
        return [i for i, e in rows if max_tokens == 0 or len(e.tokens) <= max_tokens]

    def rules(self) -> tuple[Rule, ...]:
        """Return none: greedy decoding takes one step at a time."""
        return ()

    def state(self) -> dict[str, Tensor]:
        """Return the best actions so far."""
        return self.replay.state()

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on with the actions of a checkpoint."""
        self.replay = Replay.of_state(state)

    def begin_lesson(self, entropy: float) -> None:
        """Give the policy's entropy this weight from now on."""
        self.entropy = entropy

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        # Tables of their own for each step: what a step draws must not depend on what earlier
        # steps saw, or a resumed run would differ from an unbroken one.
        policy = self.new_policy()
        samples = self.config.samples
        # With replay, the last sample of each sentence repeats the best actions so far.
        num_rows = samples + (self.config.replay > 0)
        with torch.no_grad():
            draws = policy.draws([self.readings[number] for number in batch], num_rows, rng)
            try:
                rollouts = policy.roll_out(draws, rng, self._prescribe(batch, draws))
            except (IndexError, ValueError):
                if self.replay.is_restored:  # else it is a mistake of ours
                    message = "the best actions in the checkpoint do not fit its rows"
                    raise DataError(message) from None
                raise
        rewards = self.rewards(policy, draws, [self.target(n) for n in batch], rollouts)
        means = rewards[:, :samples].mean(axis=1, keepdims=True)
        weights = rewards - means
        entropy = np.full(rewards.shape, self.entropy)
        if num_rows > samples:
            before = np.array([self.replay.reward(number) for number in batch])
            weights[:, samples] = self.config.replay * np.maximum(0.0, before - means[:, 0])
            weights[[number not in self.replay.best for number in batch], samples] = 0.0
            entropy[:, samples] = 0.0
            self._remember(batch, rewards[:, :samples], draws, rollouts)
        scale = 1.0 / (len(batch) * samples)
        per_row = entropy.reshape(-1) * scale
        entropies = EntropyWeights.of(policy, draws, rollouts, per_row, self.config.entropy_of)
        gradients = logit_gradients(policy, draws, rollouts, weights.reshape(-1) * scale, entropies)
        send_back(self.network, policy, draws, gradients)
        return StepResult(-float(means.mean()), len(batch))

    def _prescribe(self, batch: Sequence[int], draws: LexicalDraws) -> dict[int, ActionSequence]:
        """Return the best actions so far for the last rows of sentences that have any."""
        prescribed = {}
        if draws.samples > self.config.samples:
            for sentence, number in enumerate(batch):
                if number in self.replay.best:
                    row = sentence * draws.samples + self.config.samples
                    prescribed[row] = self.replay.best[number][1]
                    draws.picks_of(row)[:] = prescribed[row].picks
        return prescribed

    def _remember(
        self, batch: Sequence[int], rewards: Floats, draws: LexicalDraws, rollouts: Rollouts
    ) -> None:
        """Keep the best sample of each sentence, if it is better than the best before."""
        for sentence, number in enumerate(batch):
            best = int(rewards[sentence].argmax())
            value = float(rewards[sentence, best])
            if value > self.replay.reward(number):
                row = sentence * draws.samples + best
                self.replay.best[number] = (value, rollouts.sequence(row, draws))

    def rewards(
        self, policy: Policy, draws: LexicalDraws, targets: Sequence[Target], rollouts: Rollouts
    ) -> Floats:
        """Return the reward of each sample of each sentence; a tree that is no answer has none."""
        domain, samples, readings = self.reader.domain, draws.samples, draws.choices.readings
        table = MeaningTable(domain.language.algebra)

        def leaf(tree: Tree) -> Meaning:
            primitive = readings[tree.first].primitive(draws.candidate(tree))
            return domain.words.ground(primitive, tree.begin, table)

        by_name = domain.language.algebra.by_name
        operations = [by_name[name] for name in self.network.vocabulary.operations]
        answers = rollouts.answers(policy)
        meanings = rollouts.tree_table.meanings(answers.values(), operations, leaf, table)
        rewards = np.zeros((len(targets), samples))
        computed: dict[tuple[int, Meaning], float] = {}
        for row, tree in answers.items():
            sentence, meaning = row // samples, meanings[tree]
            if (sentence, meaning) not in computed:
                tokens = readings[sentence].tokens
                finished = domain.language.finish(meaning, tokens, table)
                computed[sentence, meaning] = self.reward(finished, targets[sentence])
            rewards[sentence, row % samples] = computed[sentence, meaning]
        return rewards

    def reward(self, finished: Meaning, target: Target) -> float:
        """Return the reward of a meaning that all finishing steps are done with."""
        domain = self.reader.domain
        if self.config.reward == "longest run":
            return longest_run_reward(domain.language.render(finished), target.form)
        return reward(domain.metrics, finished, target, alpha=self.config.alpha)

    def target(self, number: int) -> Target:
        """Return what a row's samples are compared with; it is read once."""
        if number not in self._targets:
            language = self.reader.domain.language
            gold = language.read_gold(self.examples[number], MeaningTable(language.algebra))
            form = self.examples[number].form
            self._targets[number] = Target.of(self.reader.domain.metrics, gold, form)
        return self._targets[number]
