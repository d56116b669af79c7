"""Loops of training on something so small that they can be broken off everywhere.

Each row is a number of tokens, and pulls all weights towards a number of its own.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import Tensor, nn

from lear.algebra.algebra import Primitive
from lear.grammar.rules import Rule
from lear.learning.checkpoint import Metrics, Progress, TrainingState
from lear.learning.config import RunConfig
from lear.learning.loop import Curriculum, Loop, make_average, make_optimizer
from lear.lexicon.lexicon import UNKNOWN
from lear.model.config import ModelConfig, Vocabulary
from lear.model.network import Network, StepResult

Weights = dict[str, Tensor]
LENGTHS = (3, 3, 4, 4, 4, 6, 6, 7, 8, 9)
"""Tokens of the rows."""


@dataclass
class Step:
    """What a step began with."""

    batch: list[int]
    rates: list[float]
    weights: Weights


@dataclass
class Pull:
    """The objective: the square of the distance to what rows and chance say."""

    network: Network
    optimizer: torch.optim.Optimizer
    before_step: Callable[[int], None]
    steps: list[Step] = field(default_factory=list)
    entropies: list[float] = field(default_factory=list)
    """What it is told at the beginning of lessons."""
    pulls: int = 0
    """What it remembers besides weights."""

    def training_items(self, max_tokens: int) -> list[int]:
        return [i for i, length in enumerate(LENGTHS) if max_tokens == 0 or length <= max_tokens]

    def rules(self) -> tuple[Rule, ...]:
        return ()

    def state(self) -> dict[str, Tensor]:
        return {"pulls": torch.tensor([self.pulls])}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        self.pulls = int(state["pulls"])

    def begin_lesson(self, entropy: float) -> None:
        self.entropies.append(entropy)

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        self.before_step(self.pulls)
        rates = [group["lr"] for group in self.optimizer.param_groups]
        self.steps.append(Step(list(batch), rates, weights_of(self.network)))
        mean_length = sum(LENGTHS[row] for row in batch) / len(batch)
        target = mean_length / 10 + 0.01 * self.pulls + rng.normal(scale=0.1)
        self.pulls += 1
        loss = torch.stack([(w - target).square().mean() for w in self.network.parameters()]).sum()
        loss.backward()  # type: ignore[no-untyped-call]
        return StepResult(loss.item(), len(batch))


@dataclass
class SmallRun:
    """A loop, and what it reports."""

    config: RunConfig
    folder: Path
    before_step: Callable[[int], None] = lambda number: None
    evaluated: list[Weights] = field(default_factory=list)
    saved: dict[str, Weights] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(exist_ok=True)
        torch.manual_seed(self.config.seed)
        self.network = Network(self.config.model, VOCABULARY)
        optimizer = make_optimizer(self.network, self.config.optim)
        self.objective = Pull(self.network, optimizer, self.before_step)
        average = make_average(self.network, self.config.optim)
        self.shown: nn.Module = self.network if average is None else average.module
        self.state = TrainingState(self.network, optimizer, self.objective, average)
        self.checkpoint = self.folder / "checkpoint"
        self.loop = Loop(
            self.state,
            Curriculum(self.config, self.objective),
            seed=self.config.seed,
            max_gradient=self.config.optim.max_gradient or math.inf,
            norm=math.inf,
            evaluate=self.evaluate,
            keep=self.keep,
            report=lambda progress: None,
            checkpoint=self.checkpoint,
        )

    @property
    def reports(self) -> tuple[Metrics, ...]:
        """The evaluations of the run, in all of its processes."""
        return self.loop.progress.history

    def run(self, *, resume: bool = False) -> "SmallRun":
        if resume and self.checkpoint.exists():  # else it was killed before the first one
            self.loop.progress = self.state.load(self.checkpoint)
        self.loop.run()
        return self

    def stand(self) -> Progress:
        """Where the run stands, without what depends on time."""
        progress = self.loop.progress
        history = [msgspec.structs.replace(m, **UNTIMED) for m in progress.history]
        return msgspec.structs.replace(progress, seconds=0.0, history=tuple(history))

    def evaluate(self) -> float:
        """The nearer the weights are to one another, the better."""
        self.evaluated.append(weights_of(self.shown))
        flat = torch.cat([weight.flatten() for weight in self.shown.parameters()])
        return 1 / (1 + flat.std().item())

    def keep(self, which: str, metrics: Metrics) -> None:
        """In memory; a resumed run finds what was saved before."""
        self.saved[which] = weights_of(self.shown)


def weights_of(network: nn.Module) -> Weights:
    return {name: weight.detach().clone() for name, weight in network.state_dict().items()}


UNTIMED = {"rows_per_second": 0.0, "seconds": 0.0, "seconds_left": 0.0}
VOCABULARY = Vocabulary((UNKNOWN, "a"), ("N0",), ("join",), (Primitive("Name", "a"),))
TINY = ModelConfig(hidden=2)
