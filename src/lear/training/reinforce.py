"""The paper's objective (section 4): REINFORCE with a mean-reward baseline over K samples.

The policy never sees gold: trees are rolled out first, their meanings evaluated and rewarded after.
The gradient of each decision's logits is computed in closed form and sent through the network once
for each distinct node of the batch.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch

from lear.algebra import Meaning, MeaningTable
from lear.categories import CategoryTable
from lear.domain import Domain, Example
from lear.grammar import Analyser, Reading
from lear.lexicon import Lexicon
from lear.model.cells import Machine
from lear.model.lexical import LexicalChoices, LexicalDraws
from lear.model.network import Network
from lear.model.node_scores import NodeScorer
from lear.model.policy import Floats, Record, SiteTable, roll_out
from lear.model.policy_gradient import LogitGradients, gradient
from lear.model.script import Script
from lear.model.trees import LEXICAL, NO_TREE, TreeTable
from lear.reward import Target, reward
from lear.rules import Rule
from lear.training.config import OptimConfig
from lear.training.objective import StepResult
from lear.training.replay import Replay


@dataclass
class ReinforceObjective:
    """Training on rows; a step's units are rows."""

    domain: Domain
    network: Network
    analyser: Analyser
    examples: Sequence[Example]
    readings: Sequence[Reading]
    config: OptimConfig
    replay: Replay = field(default_factory=Replay)
    _targets: dict[int, Target] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        domain: Domain,
        lexicon: Lexicon,
        categories: CategoryTable,
        network: Network,
        examples: Sequence[Example],
        config: OptimConfig,
    ) -> "ReinforceObjective":
        """The objective on these rows."""
        analyser = Analyser(domain, lexicon, categories)
        # A lone word without a choice has one tree only: itself.
        pairs = ((example, analyser.read(example.tokens)) for example in examples)
        rows = [(e, reading) for e, reading in pairs if len(e.tokens) > 1 or reading.choices]
        return cls(domain, network, analyser, [e for e, _ in rows], [r for _, r in rows], config)

    def units(self, max_tokens: int) -> list[int]:
        """The rows of at most this many tokens; 0 is all."""
        rows = enumerate(self.examples)
        return [i for i, e in rows if max_tokens == 0 or len(e.tokens) <= max_tokens]

    def rules(self) -> tuple[Rule, ...]:
        """None: greedy decoding takes one step at a time."""
        return ()

    def state(self) -> dict[str, torch.Tensor]:
        """The best scripts so far."""
        return self.replay.state()

    def load_state(self, state: Mapping[str, torch.Tensor]) -> None:
        """Go on with the scripts of a checkpoint."""
        self.replay = Replay.of_state(state)

    def backward(self, units: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        readings = [self.readings[unit] for unit in units]
        # Tables of their own for each step: what a step draws must not depend on what earlier
        # steps saw, or a resumed run would differ from an unbroken one.
        machine = Machine(self.analyser, self.network.config, self.network.vocabulary)
        table = SiteTable(machine, self.network)
        samples = self.config.samples
        # With replay, the last row of each sentence follows the best script so far.
        rows = samples + (self.config.replay > 0)
        draws = LexicalDraws.of(self.network, readings, rows, rng)
        scripts = self._scripts(units, rows, draws)
        record = roll_out(table, draws, rng, scripts)
        rewards = self._rewards(machine, draws, [self.target(unit) for unit in units], record)
        means = rewards[:, :samples].mean(axis=1, keepdims=True)
        weights = rewards - means
        entropy = np.full(rewards.shape, self.config.entropy)
        for sentence, unit in enumerate(units if rows > samples else ()):
            gain = self.replay.reward(unit) - means[sentence, 0]
            weights[sentence, samples] = self.config.replay * max(0.0, gain)
            entropy[sentence, samples] = 0.0
            if sentence * rows + samples not in scripts:
                weights[sentence, samples] = 0.0
            self._remember(unit, sentence, rewards[sentence, :samples], draws, record)
        scale = 1.0 / (len(units) * samples)
        found = gradient(
            table, draws, record, weights.reshape(-1) * scale, entropy.reshape(-1) * scale
        )
        send_back(machine, draws.choices, self.network, found)
        return StepResult(-float(means.mean()), len(units))

    def _scripts(self, units: Sequence[int], rows: int, draws: LexicalDraws) -> dict[int, Script]:
        """For each sentence that has one, its last row's script."""
        found = {}
        for sentence, unit in enumerate(units if rows > self.config.samples else ()):
            if unit in self.replay.best:
                row = sentence * rows + self.config.samples
                found[row] = self.replay.best[unit][1]
                draws.prescribe(row, found[row].picks)
        return found

    def _remember(
        self, unit: int, sentence: int, rewards: Floats, draws: LexicalDraws, record: Record
    ) -> None:
        """Keep the best of the samples, if it is better than the best before."""
        best = int(rewards.argmax())
        if rewards[best] > self.replay.reward(unit):
            row = sentence * draws.samples + best
            num_tokens = len(self.readings[unit].tokens)
            script = record.decisions.script(row, num_tokens, draws.picks_of(row))
            self.replay.add(unit, float(rewards[best]), script)

    def _rewards(
        self,
        machine: Machine,
        draws: LexicalDraws,
        targets: Sequence[Target],
        record: Record,
    ) -> Floats:
        """The reward of each sample of each sentence; a tree that is no answer has none."""
        samples = draws.samples
        answers = record.answers(machine)
        trees = record.tree_table
        table = MeaningTable(self.domain.algebra)
        meanings = self._meanings(machine, draws, trees, answers.values(), table)
        rewards = np.zeros((len(targets), samples))
        known: dict[tuple[int, Meaning], float] = {}
        for row, tree in answers.items():
            sentence, meaning = row // samples, meanings[tree]
            if (sentence, meaning) not in known:
                finished = self.domain.finish(meaning, table)
                known[sentence, meaning] = reward(
                    self.domain, finished, targets[sentence], alpha=self.config.alpha
                )
            rewards[sentence, row % samples] = known[sentence, meaning]
        return rewards

    def _meanings(
        self,
        machine: Machine,
        draws: LexicalDraws,
        trees: TreeTable,
        roots: Iterable[int],
        table: MeaningTable,
    ) -> dict[int, Meaning]:
        """The meanings of some derivations and of all that is in them, each computed once."""
        operations = [self.domain.algebra.by_name[name] for name in machine.operation_names]
        found: dict[int, Meaning] = {}
        for number in trees.under(roots):
            tree = trees.trees[number]
            if tree.operation == LEXICAL:
                primitive = draws.choices.readings[tree.first].primitive(draws.candidate(tree))
                found[number] = self.domain.ground(primitive, tree.begin, table)
            else:
                children = (tree.first, tree.second)
                arguments = tuple([found[child] for child in children if child != NO_TREE])
                meaning = table.apply(operations[tree.operation], arguments)
                assert meaning is not None  # categories promise that the step is legal
                found[number] = meaning
        return found

    def target(self, unit: int) -> Target:
        """What a row's samples are compared with, read once."""
        if unit not in self._targets:
            gold = self.domain.read_gold(self.examples[unit], MeaningTable(self.domain.algebra))
            self._targets[unit] = Target.of(self.domain, gold)
        return self._targets[unit]


def send_back(
    machine: Machine, choices: LexicalChoices, network: Network, gradients: LogitGradients
) -> None:
    """Add the gradient that follows from those of the logits to the network's weights.

    The logits are to be increased along `gradients`; optimizers minimise, hence the sign.
    """
    scorer = NodeScorer(network, machine.nodes)
    scorer.extend()
    scores = scorer.scores()
    pairs = [
        (scores.merge, gradients.merge),
        (scores.symbol, gradients.symbol),
        (scores.operation, gradients.operation),
    ]
    if choices.places:
        is_candidate = choices.is_candidate()
        mask = torch.tensor(is_candidate, device=network.device)
        pairs.append((choices.logits(network)[mask], gradients.lexical[is_candidate]))
    objective = torch.zeros((), dtype=scores.merge.dtype, device=network.device)
    for logits, values in pairs:
        weight = torch.tensor(values, dtype=logits.dtype, device=logits.device)
        objective = objective + (logits * weight).sum()
    (-objective).backward()  # type: ignore[no-untyped-call]
