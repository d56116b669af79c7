"""States of nodes with gradients, for training: what `policy.state_scores` has without.

The gradient of rollouts with respect to the logits of their decisions, in closed form.

It is what autograd would give. Choice points are visited by thousands of rows: their gradients are
added up first, and go through the network once for each distinct state of the batch.

What REINFORCE remembers: the best derivation that it has come upon for each row.

A rare construction teaches little while the policy hardly ever builds it. Repeating the best
actions so far, weighted by how much better they are than the mean, brings it back.

The paper's objective (section 4): REINFORCE with a mean-reward baseline over K samples.

The policy never sees gold: trees are rolled out first, their meanings evaluated and rewarded after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
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
from lear.model.lexical_choices import LexicalChoices
from lear.model.network import Network, State, StepResult, lexical_log_probs, lexical_logits
from lear.policy.rollouts import (
    ActionSequence,
    Floats,
    Ints,
    LexicalDraws,
    OptionTable,
    Rollouts,
    StateLogits,
    Tree,
    roll_out,
)
from lear.policy.steps import NONE, PAIR, SPAN, SYMBOL, TOKEN, WORD, StateTable, TransitionSystem


@dataclass(frozen=True)
class StateScores:
    """Logits for states, by their numbers."""

    merge: Tensor  # (states,)
    node_class: Tensor  # (states, 1 + N); class 0 is open
    operation: Tensor  # (states, operations)


class TrainableStateScorer:
    """The states of a growing table by a network."""

    def __init__(self, network: Network, table: StateTable) -> None:
        self.network = network
        self.table = table
        hidden, device = network.config.hidden, network.device
        nothing = torch.zeros((0, hidden), dtype=network.composer.merge.weight.dtype, device=device)
        self._state = State(nothing, nothing)
        self._encoded = nothing.new_zeros((0, 0, 2 * hidden))
        self._places: Ints = np.zeros(0, dtype=np.int64)  # of states, in the order of computation

    def extend(self) -> None:
        """Compute the states that have come since the last call, level by level."""
        begin = len(self._places)
        if begin == len(self.table):
            return
        self._encode()
        places, groups = self.table.groups_from(begin)
        self._places = np.append(self._places, begin + places)
        for keys in groups:
            new = self._states(keys)
            old = self._state
            self._state = State(torch.cat((old.h, new.h)), torch.cat((old.c, new.c)))

    def _states(self, keys: Ints) -> State:
        """The states of some keys of one kind, (n, 4), whose children have states."""
        composer = self.network.composer
        kind = int(keys[0, 0])
        columns = keys[:, 1:]
        if kind == PAIR:
            columns = self._places[columns]  # from numbers of states to where they are
        first, second, third = (
            torch.tensor(column, device=self.network.device) for column in columns.T
        )
        state: State
        if kind == SYMBOL:
            state = composer.symbols(first)
        elif kind == WORD:
            state = composer.words(first)
        elif kind == TOKEN:
            state = composer.token_states(self._encoded, first, second)
        elif kind == SPAN:
            state = composer.span_states(self._encoded, first, second, third)
        else:
            state = composer.cell(self._state.pick(first), self._state.pick(second))
        return state

    def _encode(self) -> None:
        """Encode the sentences that have come since the last call."""
        new = self.table.sentences[len(self._encoded) :]
        if not new:
            return
        encoded = self.network.composer.sentences(new)
        length = max(encoded.shape[1], self._encoded.shape[1])
        self._encoded = torch.cat([_padded(part, length) for part in (self._encoded, encoded)])

    def logits(self, states: Ints) -> StateLogits:
        """The logits of some states, by their numbers; those that are new are computed first."""
        with torch.no_grad():
            self.extend()
            scores = self.scores(states)
        parts = (scores.merge, scores.node_class, scores.operation)
        merge, node_class, operation = (part.cpu().double().numpy() for part in parts)
        return StateLogits(merge, node_class, operation)

    def scores(self, states: Ints | None = None) -> StateScores:
        """The logits of some states, or of all, with gradients if they were computed so."""
        places = self._places if states is None else self._places[states]
        h = self._state.h[torch.tensor(places, device=self.network.device)]
        composer = self.network.composer
        return StateScores(
            composer.merge(h).squeeze(-1),
            composer.nonterminal(h),
            self.network.algebraic.operation(h),
        )


def _padded(states: Tensor, length: int) -> Tensor:
    """States of sentences (B, T, D) with zeros up to a length."""
    missing = states.new_zeros((states.shape[0], length - states.shape[1], states.shape[2]))
    return torch.cat((states, missing), dim=1)


def drawn_log_probs(network: Network, choices: LexicalChoices) -> Floats:
    """The log-probabilities of lexical candidates, (choices, width), without gradients."""
    with torch.no_grad():
        log_p: Floats = lexical_log_probs(network, choices).cpu().double().numpy()
    return log_p


@dataclass(frozen=True)
class EntropyWeights:
    """How much the entropy of each decision counts."""

    per_row: Floats
    num_decisions: Ints | None
    """Of each row, those with several alternatives; None where entropies are added up as they
    are, else each is taken as a share of its maximum, and the mean of them."""

    @classmethod
    def of(
        cls,
        table: OptionTable,
        draws: LexicalDraws,
        rollouts: Rollouts,
        per_row: Floats,
        entropy_of: Literal["sum", "mean"],
    ) -> "EntropyWeights":
        """The weights of rows, divided among their decisions."""
        if entropy_of == "sum":
            return cls(per_row, None)
        count = np.zeros(len(per_row), dtype=np.int64)
        for rows, points, _, _ in rollouts.merges:
            np.add.at(count, rows, (points != NONE).sum(axis=1) > 1)
        for rows, points, options in (*rollouts.leaves, *rollouts.outcomes):
            # Where no class was drawn for the option, there was no such decision.
            np.add.at(
                count, rows, (table.classes[points, options] >= 0) & (table.num_classes[points] > 1)
            )
            is_algebraic = table.operations[points, options] >= 0
            np.add.at(count, rows, is_algebraic & (table.num_operations[points] > 1))
        num_candidates = draws.num_candidates
        for rows, choices, _ in rollouts.lexical:
            np.add.at(count, rows, num_candidates[choices] > 1)
        return cls(per_row, count)

    def at(self, rows: Ints, num_alternatives: Ints) -> Floats:
        """The weights of decisions of some rows, with so many alternatives each."""
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

    merge: Floats  # (states,)
    node_class: Floats  # (states, 1 + N)
    operation: Floats  # (states, operations)
    lexical: Floats  # (choices, width)


def logit_gradients(
    table: OptionTable,
    draws: LexicalDraws,
    rollouts: Rollouts,
    weights: Floats,
    entropy: EntropyWeights,
) -> LogitGradients:
    """Of the sum over rows of weight * log p(row) + entropy weight * entropy of its decisions."""
    num_states = len(table.transitions.states)
    merge = np.zeros(num_states)
    for rows, points, positions, p in rollouts.merges:
        weight = np.zeros(p.shape)
        weight[np.arange(len(rows)), positions] = weights[rows]
        is_pair = points != NONE
        entropy_weight = entropy.at(rows, is_pair.sum(axis=1))
        change = _softmax_gradient(p, weight, entropy_weight[:, None])
        np.add.at(merge, table.states[points[is_pair]], change[is_pair])

    num_points, width = table.classes.shape
    chosen = np.zeros((num_points, width))
    visits = np.zeros(num_points)  # each as much as its row's entropy counts
    finishes = np.zeros(num_points)
    for rows, points, options in (*rollouts.leaves, *rollouts.outcomes):
        np.add.at(chosen, (points, options), weights[rows])
        is_drawn = table.classes[points, options] >= 0
        drawn_weight = np.where(is_drawn, entropy.at(rows, table.num_classes[points]), 0.0)
        np.add.at(visits, points, drawn_weight)
        is_algebraic = table.operations[points, options] >= 0
        at = points[is_algebraic]
        np.add.at(finishes, at, entropy.at(rows[is_algebraic], table.num_operations[at]))
    transitions = table.transitions
    node_class = np.zeros((num_states, 1 + transitions.config.num_classes))
    operation = np.zeros((num_states, transitions.num_operations))
    drawn = np.where(table.classes >= 0, chosen, 0.0)
    _stage_gradient(node_class, table, table.classes, table.log_class, drawn, visits)
    drawn = np.where(table.operations >= 0, chosen, 0.0)
    _stage_gradient(operation, table, table.operations, table.log_operation, drawn, finishes)
    return LogitGradients(
        merge, node_class, operation, _lexical_gradient(draws, rollouts, weights, entropy)
    )


def _lexical_gradient(
    draws: LexicalDraws, rollouts: Rollouts, weights: Floats, entropy: EntropyWeights
) -> Floats:
    weight = np.zeros(draws.log_p.shape)
    visits = np.zeros(len(weight))
    num_candidates = draws.num_candidates
    for rows, choices, ranks in rollouts.lexical:
        np.add.at(weight, (choices, ranks), weights[rows])
        np.add.at(visits, choices, entropy.at(rows, num_candidates[choices]))
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
    scorer = TrainableStateScorer(network, transitions.states)
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
        pairs.append((lexical_logits(network, choices)[mask], gradients.lexical[is_candidate]))
    objective = torch.zeros((), dtype=scores.merge.dtype, device=network.device)
    for logits, values in pairs:
        weight = torch.tensor(values, dtype=logits.dtype, device=logits.device)
        objective = objective + (logits * weight).sum()
    (-objective).backward()  # type: ignore[no-untyped-call]


@dataclass
class Replay:
    """The best actions for each row so far, and their reward."""

    best: dict[int, tuple[float, ActionSequence]] = field(default_factory=dict)
    is_restored: bool = False
    """Whether it comes of a checkpoint, which may hold any actions."""

    def reward(self, row: int) -> float:
        """The best reward so far."""
        return self.best[row][0] if row in self.best else 0.0

    def add(self, row: int, reward: float, actions: ActionSequence) -> None:
        """Keep actions that are better than what there was."""
        if reward > self.reward(row):
            self.best[row] = (reward, actions)

    def state(self) -> dict[str, Tensor]:
        """All of it as tensors, for checkpoints."""
        parts = [
            (row, actions.leaves, actions.positions, actions.options, actions.picks)
            for row, (_, actions) in self.best.items()
        ]
        sizes = [[row, *(len(array) for array in arrays)] for row, *arrays in parts]
        numbers = [array for _, *arrays in parts for array in arrays]
        flat = np.concatenate(numbers) if numbers else np.zeros(0, dtype=np.int64)
        return {
            "sizes": torch.tensor(sizes, dtype=torch.int32).reshape(-1, 5),
            "numbers": torch.tensor(flat, dtype=torch.int32),
            "rewards": torch.tensor([r for r, _ in self.best.values()], dtype=torch.float64),
        }

    @classmethod
    def of_state(cls, state: Mapping[str, Tensor]) -> "Replay":
        """Read what `state` gave."""
        replay = cls(is_restored=True)
        numbers = state["numbers"].numpy().astype(np.int64)
        sizes = state["sizes"][:, 1:]
        if bool((sizes < 0).any()) or int(sizes.sum()) != len(numbers):
            raise ValueError("actions of another length than their sizes say")
        place = 0
        for (row, *lengths), best_reward in zip(
            state["sizes"].tolist(), state["rewards"].tolist(), strict=True
        ):
            borders = np.cumsum([place, *lengths]).tolist()
            arrays = [numbers[b:e] for b, e in pairwise(borders)]
            replay.best[row] = (best_reward, ActionSequence(*arrays))
            place = borders[-1]
        return replay


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
    entropy: float = field(init=False)
    """Weight of the policy's entropy in this lesson."""
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

    def option_table(self, transitions: TransitionSystem) -> OptionTable:
        """The options at choice points, scored by the network."""
        return OptionTable(transitions, TrainableStateScorer(self.network, transitions.states))

    def draws(
        self, readings: Sequence[Reading], samples: int, rng: np.random.Generator
    ) -> LexicalDraws:
        """Lexical candidates for some trees a sentence."""
        log_probs = partial(drawn_log_probs, self.network)
        return LexicalDraws.of(LexicalChoices.of(readings), log_probs, samples, rng)

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

    def begin_lesson(self, entropy: float) -> None:
        """Weigh the policy's entropy so from now on."""
        self.entropy = entropy

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        readings = [self.readings[number] for number in batch]
        # Tables of their own for each step: what a step draws must not depend on what earlier
        # steps saw, or a resumed run would differ from an unbroken one.
        transitions = self.new_transitions()
        table = self.option_table(transitions)
        samples = self.config.samples
        # With replay, the last row of each sentence repeats the best actions so far.
        rows = samples + (self.config.replay > 0)
        draws = self.draws(readings, rows, rng)
        try:
            prescribed = self._prescribed(batch, rows, draws)
            rollouts = roll_out(table, draws, rng, prescribed)
        except (IndexError, ValueError):
            if self.replay.is_restored:  # else it is a mistake of ours
                raise DataError("the best actions in the checkpoint do not fit its rows") from None
            raise
        rewards = self.rewards(
            transitions, draws, [self.target(number) for number in batch], rollouts
        )
        means = rewards[:, :samples].mean(axis=1, keepdims=True)
        weights = rewards - means
        entropy = np.full(rewards.shape, self.entropy)
        for sentence, number in enumerate(batch if rows > samples else ()):
            gain = self.replay.reward(number) - means[sentence, 0]
            weights[sentence, samples] = self.config.replay * max(0.0, gain)
            entropy[sentence, samples] = 0.0
            if sentence * rows + samples not in prescribed:
                weights[sentence, samples] = 0.0
            self._remember(number, sentence, rewards[sentence, :samples], draws, rollouts)
        scale = 1.0 / (len(batch) * samples)
        per_row = entropy.reshape(-1) * scale
        gradients = logit_gradients(
            table,
            draws,
            rollouts,
            weights.reshape(-1) * scale,
            EntropyWeights.of(table, draws, rollouts, per_row, self.config.entropy_of),
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
            actions = rollouts.actions.sequence(row, draws.picks_of(row))
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
        readings = draws.choices.readings
        table = MeaningTable(domain.language.algebra)

        def leaf(tree: Tree) -> Meaning:
            primitive = readings[tree.first].primitive(draws.candidate(tree))
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
                tokens = readings[sentence].tokens
                finished = domain.language.finish(meaning, tokens, table)
                computed[sentence, meaning] = self.reward(finished, targets[sentence])
            rewards[sentence, row % samples] = computed[sentence, meaning]
        return rewards

    def reward(self, finished: Meaning, target: Target) -> float:
        """The reward of a meaning that all finishing steps are done with."""
        domain = self.reader.domain
        if self.config.reward == "longest run":
            return longest_run_reward(domain.language.render(finished), target.form)
        return reward(domain.metrics, finished, target, alpha=self.config.alpha)

    def target(self, number: int) -> Target:
        """What a row's samples are compared with, read once."""
        if number not in self._targets:
            language = self.reader.domain.language
            gold = language.read_gold(self.examples[number], MeaningTable(language.algebra))
            form = self.examples[number].form
            self._targets[number] = Target.of(self.reader.domain.metrics, gold, form)
        return self._targets[number]
