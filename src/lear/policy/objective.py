"""The paper's objective (section 4): REINFORCE with a mean-reward baseline over K samples.

The policy never sees gold: trees are rolled out first, their meanings evaluated and rewarded after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import torch

from lear.core.algebra import Meaning, MeaningTable
from lear.domain.example import Example
from lear.domain.rewards import Target, longest_run_reward, reward
from lear.errors import DataError
from lear.grammar.category_table import CategoryTable
from lear.grammar.rules import Rule
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.model.config import OptimConfig
from lear.model.lexical_choices import LexicalChoices
from lear.network.network import Network
from lear.network.objective import StepResult
from lear.policy.logit_gradients import EntropyWeights, logit_gradients, send_back
from lear.policy.option_scores import Floats, LexicalDraws, OptionTable
from lear.policy.replay_memory import Replay
from lear.policy.rollout import ActionSequence, Rollouts, roll_out
from lear.policy.trainable_state_scores import TrainableStateScorer, drawn_log_probs
from lear.policy.transitions import TransitionSystem
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
