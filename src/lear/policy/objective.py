"""The paper's objective (section 4): REINFORCE with a mean-reward baseline over K samples.

The policy never sees gold: trees are rolled out first, their meanings evaluated and rewarded after.
The gradient of each decision's logits is computed in closed form, just as autograd would have it.
Choice points are visited by thousands of rows: their gradients are added up first, and go through
the network once for each distinct state of the batch.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from lear.core.algebra import Meaning, MeaningTable
from lear.domain.example import Example
from lear.domain.rewards import Target, reward
from lear.grammar.category_table import CategoryTable
from lear.grammar.rules import Rule
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.network.config import OptimConfig
from lear.network.lexical_choices import LexicalChoices
from lear.network.network import Network
from lear.network.objective import StepResult
from lear.policy.option_scores import Floats, Ints, LexicalDraws, OptionTable, StateScorer
from lear.policy.replay_memory import Replay
from lear.policy.rollout import ActionSequence, Rollouts, roll_out
from lear.policy.transitions import NONE, TransitionSystem
from lear.policy.tree_table import Tree


@dataclass
class ReinforceObjective:
    """Training on rows: its training items."""

    reader: SentenceReader
    categories: CategoryTable
    """Which operations are legal."""
    network: Network
    examples: Sequence[Example]
    readings: Sequence[Reading]
    config: OptimConfig
    replay: Replay = field(default_factory=Replay)
    _targets: dict[int, Target] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        reader: SentenceReader,
        categories: CategoryTable,
        network: Network,
        examples: Sequence[Example],
        config: OptimConfig,
    ) -> "ReinforceObjective":
        """The objective on these rows; `categories` says which operations are legal."""
        # A lone word without a choice has one tree only: itself.
        pairs = ((example, reader.read(example.tokens)) for example in examples)
        rows = [(e, reading) for e, reading in pairs if len(e.tokens) > 1 or reading.choices]
        chosen, readings = [e for e, _ in rows], [reading for _, reading in rows]
        return cls(reader, categories, network, chosen, readings, config)

    def new_transitions(self) -> TransitionSystem:
        """An empty transition system."""
        network = self.network
        return TransitionSystem(self.reader, self.categories, network.config, network.vocabulary)

    def training_items(self, max_tokens: int) -> list[int]:
        """The rows of at most this many tokens; 0 is all."""
        rows = enumerate(self.examples)
        return [i for i, e in rows if max_tokens == 0 or len(e.tokens) <= max_tokens]

    def rules(self) -> tuple[Rule, ...]:
        """None: greedy decoding takes one step at a time."""
        return ()

    def state(self) -> dict[str, torch.Tensor]:
        """The best actions so far."""
        return self.replay.state()

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go on with the actions of a checkpoint."""
        self.replay = Replay.of_state(state)

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        readings = [self.readings[number] for number in batch]
        # Tables of their own for each step: what a step draws must not depend on what earlier
        # steps saw, or a resumed run would differ from an unbroken one.
        transitions = self.new_transitions()
        table = OptionTable(transitions, self.network)
        samples = self.config.samples
        # With replay, the last row of each sentence repeats the best actions so far.
        rows = samples + (self.config.replay > 0)
        draws = LexicalDraws.of(self.network, readings, rows, rng)
        prescribed = self._prescribed(batch, rows, draws)
        rollouts = roll_out(table, draws, rng, prescribed)
        rewards = self.rewards(
            transitions, draws, [self.target(number) for number in batch], rollouts
        )
        means = rewards[:, :samples].mean(axis=1, keepdims=True)
        weights = rewards - means
        entropy = np.full(rewards.shape, self.config.entropy)
        for sentence, number in enumerate(batch if rows > samples else ()):
            gain = self.replay.reward(number) - means[sentence, 0]
            weights[sentence, samples] = self.config.replay * max(0.0, gain)
            entropy[sentence, samples] = 0.0
            if sentence * rows + samples not in prescribed:
                weights[sentence, samples] = 0.0
            self._remember(number, sentence, rewards[sentence, :samples], draws, rollouts)
        scale = 1.0 / (len(batch) * samples)
        gradients = logit_gradients(
            table, draws, rollouts, weights.reshape(-1) * scale, entropy.reshape(-1) * scale
        )
        send_back(transitions, draws.choices, self.network, gradients)
        return StepResult(-float(means.mean()), len(batch))

    def _prescribed(
        self, batch: Sequence[int], rows: int, draws: LexicalDraws
    ) -> dict[int, ActionSequence]:
        """For each sentence that has any, the best actions so far, which its last row repeats."""
        prescribed = {}
        for sentence, number in enumerate(batch if rows > self.config.samples else ()):
            if number in self.replay.best:
                row = sentence * rows + self.config.samples
                prescribed[row] = self.replay.best[number][1]
                draws.prescribe(row, prescribed[row].picks)
        return prescribed

    def _remember(
        self, number: int, sentence: int, rewards: Floats, draws: LexicalDraws, rollouts: Rollouts
    ) -> None:
        """Keep the best of the samples, if it is better than the best before."""
        best = int(rewards.argmax())
        if rewards[best] > self.replay.reward(number):
            row = sentence * draws.samples + best
            num_tokens = len(self.readings[number].tokens)
            actions = rollouts.actions.sequence(row, num_tokens, draws.picks_of(row))
            self.replay.add(number, float(rewards[best]), actions)

    def rewards(
        self,
        transitions: TransitionSystem,
        draws: LexicalDraws,
        targets: Sequence[Target],
        rollouts: Rollouts,
    ) -> Floats:
        """The reward of each sample of each sentence; a tree that is no answer has none."""
        domain, samples = self.reader.domain, draws.samples
        table = MeaningTable(domain.language.algebra)

        def leaf(tree: Tree) -> Meaning:
            primitive = draws.choices.readings[tree.first].primitive(draws.candidate(tree))
            return domain.words.ground(primitive, tree.begin, table)

        by_name = domain.language.algebra.by_name
        operations = [by_name[name] for name in self.network.vocabulary.operations]
        answers = rollouts.answers(transitions)
        meanings = rollouts.tree_table.meanings(answers.values(), operations, leaf, table)
        rewards = np.zeros((len(targets), samples))
        computed: dict[tuple[int, Meaning], float] = {}
        for row, tree in answers.items():
            sentence, meaning = row // samples, meanings[tree]
            if (sentence, meaning) not in computed:
                finished = domain.language.finish(meaning, table)
                computed[sentence, meaning] = reward(
                    domain.metrics, finished, targets[sentence], alpha=self.config.alpha
                )
            rewards[sentence, row % samples] = computed[sentence, meaning]
        return rewards

    def target(self, number: int) -> Target:
        """What a row's samples are compared with, read once."""
        if number not in self._targets:
            language = self.reader.domain.language
            gold = language.read_gold(self.examples[number], MeaningTable(language.algebra))
            self._targets[number] = Target.of(self.reader.domain.metrics, gold)
        return self._targets[number]


@dataclass(frozen=True)
class LogitGradients:
    """Gradients with respect to logits."""

    merge: Floats  # (states,)
    node_class: Floats  # (states, 1 + N)
    operation: Floats  # (states, operations)
    lexical: Floats  # (choices, width)


def logit_gradients(
    table: OptionTable,
    draws: LexicalDraws,
    rollouts: Rollouts,
    weights: Floats,
    entropy_weights: Floats,
) -> LogitGradients:
    """Of the sum over rows of weight * log p(row) + entropy weight * entropy of its decisions."""
    num_states = len(table.transitions.states)
    network = table.network
    merge = np.zeros(num_states)
    for rows, points, positions, p in rollouts.merges:
        weight = np.zeros(p.shape)
        weight[np.arange(len(rows)), positions] = weights[rows]
        change = _softmax_gradient(p, weight, entropy_weights[rows][:, None])
        is_pair = points != NONE
        np.add.at(merge, table.states[points[is_pair]], change[is_pair])

    num_points, width = table.classes.shape
    chosen = np.zeros((num_points, width))
    visits = np.zeros(num_points)  # each as much as its row's entropy counts
    finishes = np.zeros(num_points)
    for rows, points, options in (*rollouts.leaves, *rollouts.outcomes):
        np.add.at(chosen, (points, options), weights[rows])
        np.add.at(visits, points, entropy_weights[rows])
        is_algebraic = table.operations[points, options] >= 0
        np.add.at(finishes, points[is_algebraic], entropy_weights[rows[is_algebraic]])
    node_class = np.zeros((num_states, network.composer.nonterminal.out_features))
    operation = np.zeros((num_states, len(network.vocabulary.operations)))
    _stage_gradient(node_class, table, table.classes, table.log_class, chosen, visits)
    chosen = np.where(table.operations >= 0, chosen, 0.0)
    _stage_gradient(operation, table, table.operations, table.log_operation, chosen, finishes)
    return LogitGradients(
        merge, node_class, operation, _lexical_gradient(draws, rollouts, weights, entropy_weights)
    )


def _lexical_gradient(
    draws: LexicalDraws, rollouts: Rollouts, weights: Floats, entropy_weights: Floats
) -> Floats:
    weight = np.zeros(draws.log_p.shape)
    visits = np.zeros(len(weight))
    for rows, choices, ranks in rollouts.lexical:
        np.add.at(weight, (choices, ranks), weights[rows])
        np.add.at(visits, choices, entropy_weights[rows])
    return _softmax_gradient(np.exp(draws.log_p), weight, visits[:, None])


def _softmax_gradient(p: Floats, weight: Floats, entropy_weight: Floats) -> Floats:
    """Of sum weight * log p + entropy_weight * entropy of p, with respect to the logits."""
    logs = np.log(np.where(p > 0, p, 1.0))
    entropy = -(p * logs).sum(axis=1, keepdims=True)
    change: Floats = weight - weight.sum(axis=1, keepdims=True) * p
    change -= entropy_weight * p * (logs + entropy)
    return change


def _stage_gradient(
    out: Floats,
    table: OptionTable,
    choices: Ints,
    log_p: Floats,
    chosen: Floats,
    visits: Floats,
) -> None:
    """Add weight * (chosen - p) and the entropy's gradient of each choice point to its state."""
    num_choices = out.shape[1]
    num_points = len(visits)
    p = np.zeros((num_points, num_choices))
    weight = np.zeros((num_points, num_choices))
    rows, columns = np.nonzero(choices >= 0)
    p[rows, choices[rows, columns]] = np.exp(log_p[rows, columns])
    np.add.at(weight, (rows, choices[rows, columns]), chosen[rows, columns])
    change = _softmax_gradient(p, weight, visits[:, None])
    np.add.at(out, table.states, change)


def send_back(
    transitions: TransitionSystem,
    choices: LexicalChoices,
    network: Network,
    gradients: LogitGradients,
) -> None:
    """Add the gradient that follows from those of the logits to the network's weights.

    The logits are to be increased along `gradients`; optimizers minimise, hence the sign.
    """
    scorer = StateScorer(network, transitions.states)
    scorer.extend()
    scores = scorer.scores()
    pairs = [
        (scores.merge, gradients.merge),
        (scores.node_class, gradients.node_class),
        (scores.operation, gradients.operation),
    ]
    if choices.spans:
        is_candidate = choices.is_candidate()
        mask = torch.tensor(is_candidate, device=network.device)
        pairs.append((choices.logits(network)[mask], gradients.lexical[is_candidate]))
    objective = torch.zeros((), dtype=scores.merge.dtype, device=network.device)
    for logits, values in pairs:
        weight = torch.tensor(values, dtype=logits.dtype, device=logits.device)
        objective = objective + (logits * weight).sum()
    (-objective).backward()  # type: ignore[no-untyped-call]
