"""The paper's objective (section 4): REINFORCE with a mean-reward baseline over K samples.

The policy never sees gold: trees are rolled out first, their meanings evaluated and rewarded after.
The gradient of each decision's logits is computed in closed form and sent through the network once
for each distinct node of the batch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from lear.algebra import MeaningTable
from lear.categories import CategoryTable
from lear.decoding import run_program
from lear.domain import Domain, Example
from lear.grammar import Analyser
from lear.lexicon import Lexicon
from lear.model.cells import NONE, Machine
from lear.model.network import Network
from lear.model.node_scores import NodeScorer
from lear.model.policy import (
    Floats,
    LogitGradients,
    Record,
    SiteTable,
    gradient,
    roll_out,
)
from lear.model.replay import Step, program_of, steps_of
from lear.reward import reward
from lear.training.config import OptimConfig
from lear.training.objective import StepResult, require_one_meaning


@dataclass
class ReinforceObjective:
    """Training on rows; a step's units are rows."""

    domain: Domain
    network: Network
    analyser: Analyser
    examples: Sequence[Example]
    config: OptimConfig

    @classmethod
    def of(
        cls,
        domain: Domain,
        lexicon: Lexicon,
        network: Network,
        examples: Sequence[Example],
        config: OptimConfig,
    ) -> "ReinforceObjective":
        """The objective on these rows."""
        require_one_meaning(lexicon)
        analyser = Analyser(domain, lexicon, CategoryTable(domain))
        rows = [example for example in examples if len(example.tokens) > 1]
        return cls(domain, network, analyser, rows, config)

    def units(self, max_tokens: int) -> list[int]:
        """The rows of at most this many tokens; 0 is all."""
        rows = enumerate(self.examples)
        return [i for i, e in rows if max_tokens == 0 or len(e.tokens) <= max_tokens]

    def backward(self, units: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the policy gradient of some rows to the network's gradient."""
        examples = [self.examples[unit] for unit in units]
        samples = self.config.samples
        sentences = [example.tokens for example in examples for _ in range(samples)]
        # A new machine each step: what a step does must not depend on the steps before it, or a
        # resumed run would differ from an unbroken one.
        machine = Machine(self.analyser, self.network.config, self.network.vocabulary)
        table = SiteTable(machine, self.network)
        record = roll_out(table, sentences, rng)
        rewards = self._rewards(machine, examples, record).reshape(len(examples), samples)
        advantages = rewards - rewards.mean(axis=1, keepdims=True)
        scale = 1.0 / len(sentences)
        found = gradient(table, record, advantages.reshape(-1) * scale, self.config.entropy * scale)
        send_back(machine, self.network, found)
        return StepResult(-float(rewards.mean()), len(examples))

    def _rewards(self, machine: Machine, examples: Sequence[Example], record: Record) -> Floats:
        samples = self.config.samples
        steps = steps_of(record)
        rewards = np.zeros(len(record.final))
        for index, example in enumerate(examples):
            gold = self.domain.read_gold(example, MeaningTable(self.domain.algebra))
            reading = machine.analyser.read(example.tokens)
            known: dict[tuple[Step, ...], float] = {}
            for row in range(index * samples, (index + 1) * samples):
                final = int(record.final[row])
                if final == NONE or not machine.is_answer(final):
                    continue
                if steps[row] not in known:
                    program = program_of(machine, reading, steps[row], 0.0)
                    predicted = run_program(program, reading, self.domain)
                    known[steps[row]] = reward(
                        self.domain, predicted, gold, alpha=self.config.alpha
                    )
                rewards[row] = known[steps[row]]
        return rewards


def send_back(machine: Machine, network: Network, gradients: LogitGradients) -> None:
    """Add the gradient that follows from those of the nodes' logits to the network's weights.

    The logits are to be increased along `gradients`; optimizers minimise, hence the sign.
    """
    scorer = NodeScorer(network)
    scorer.extend(machine.nodes)
    scores = scorer.scores()
    pairs = (
        (scores.merge, gradients.merge),
        (scores.symbol, gradients.symbol),
        (scores.operation, gradients.operation),
    )
    objective = torch.zeros((), dtype=scores.merge.dtype, device=network.device)
    for logits, values in pairs:
        weight = torch.tensor(values, dtype=logits.dtype, device=logits.device)
        objective = objective + (logits * weight).sum()
    (-objective).backward()  # type: ignore[no-untyped-call]
