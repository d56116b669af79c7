"""The training loop: epochs of steps, evaluations on dev, checkpoints; LeAR and baselines share it.

A schedule decides what an epoch goes through, the learning rates, and when dev is evaluated. The
state with the best dev score is kept, and whatever stops a run, it can go on.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import msgspec
import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from lear.errors import LearError
from lear.learning.checkpoint import Metrics, Progress, TrainingState
from lear.learning.config import RunConfig, Stage
from lear.memory import no_garbage_collection
from lear.messages import SILENT, Tracker, deferred_signals
from lear.model.config import OptimConfig
from lear.model.network import Network, Objective

CHECKPOINT_SECONDS = 60


class Schedule(Protocol):
    """What a run goes through, and when it ends."""

    @property
    def batches(self) -> Sequence[list[int]]:
        """The batches of the epoch, as numbers of training items."""

    def begin_epoch(self, at: Progress) -> Progress | None:
        """Make the batches of the next epoch; return its place, or None at the end of the run."""

    def rate(self, at: Progress) -> float:
        """Return the share of the learning rates for the next step."""

    def is_evaluated(self, at: Progress) -> bool:
        """Return True if dev is evaluated after the last step."""

    def is_enough(self, at: Progress) -> bool:
        """Return True if the last evaluation ends the stage."""

    def remaining(self, at: Progress) -> float:
        """Return the share of the run that is left, from 1 to 0."""


@dataclass
class Loop:
    """A run of training, from wherever `progress` says it stands."""

    state: TrainingState
    schedule: Schedule
    seed: int
    max_gradient: float
    """Gradients are clipped at this norm."""
    norm: float
    """The kind of norm: 2, or infinity."""
    evaluate: Callable[[], float]
    """Compute exact match on dev."""
    keep: Callable[[str, Metrics], None]
    """Keep the model as `best` or `last`."""
    report: Callable[[Progress], None]
    """Tell about the evaluation that was just made."""
    checkpoint: Path | None
    settings: bytes = b"{}"
    """The settings of the run as JSON, for checkpoints."""
    progress: Progress = field(default_factory=Progress)
    tracker: Tracker = SILENT
    _began: float = field(init=False)
    """When the run would have begun, if nothing had broken it off."""
    _evaluated: Progress = field(init=False)
    """Where the steps since the last evaluation began, or those of this process."""

    def run(self) -> None:
        """Train to the end; whatever stops it, the checkpoint holds the last good state."""
        saved = time.perf_counter()
        self._began, self._evaluated = saved - self.progress.seconds, self.progress
        with deferred_signals() as is_interrupted:
            while (begun := self.schedule.begin_epoch(self.progress)) is not None:
                self.progress = begun
                if self.checkpoint is not None and not self.checkpoint.is_file():
                    self._save()  # whatever stops the run now, it can go on
                # A run that was interrupted may have left an evaluation to be done.
                is_left = begun.rows > 0 and self.schedule.is_evaluated(begun)
                is_enough = is_left and self._evaluate()
                batches = self.schedule.batches[begun.step :]
                label = f"steps of epoch {begun.epoch + 1}"
                for batch in self.tracker.track(batches, label, len(batches)):
                    if is_enough:  # the next checkpoint belongs to the next stage
                        break
                    with no_garbage_collection():
                        self._step(batch)
                    if is_interrupted():
                        self._save()
                        is_interrupted.stop()
                    is_evaluated = self.schedule.is_evaluated(self.progress)
                    is_enough = is_evaluated and self._evaluate()
                    is_due = is_evaluated or time.perf_counter() - saved > CHECKPOINT_SECONDS
                    if is_due and not is_enough:
                        self._save()
                        saved = time.perf_counter()
                self._end_epoch(is_enough=is_enough)

    def _step(self, batch: list[int]) -> None:
        at = self.progress
        rng = np.random.default_rng((self.seed, 1_000_000_007, at.total_steps))
        optimizer, network = self.state.optimizer, self.state.network
        rate = self.schedule.rate(at)
        for group in optimizer.param_groups:
            group["lr"] = group["initial_lr"] * rate
        optimizer.zero_grad()
        result = self.state.objective.backward(batch, rng)
        norm = torch.nn.utils.clip_grad_norm_(
            network.parameters(), self.max_gradient, norm_type=self.norm
        )
        if not (math.isfinite(result.loss) and math.isfinite(norm.item())):
            self._save()
            raise LearError(
                f"training broke down at step {at.total_steps}: the loss or its gradient is not a "
                "number; the weights before it are kept"
            )
        optimizer.step()
        if self.state.average is not None:
            self.state.average.update_parameters(network)
        self._advance(
            step=at.step + 1,
            total_steps=at.total_steps + 1,
            loss_sum=at.loss_sum + result.loss * result.num_rows,
            rows=at.rows + result.num_rows,
            seconds=self._seconds(),
        )

    def _evaluate(self) -> bool:
        """Evaluate on dev, keep the best model, report; return True if the stage may end."""
        average, network = self.state.average, self.state.network
        shown = network if average is None else average.module
        shown.eval()
        dev = self.evaluate()
        shown.train()
        at, before = self.progress, self._evaluated
        left = self.schedule.remaining(at)
        metrics = Metrics(
            epoch=round(at.epoch + at.step / len(self.schedule.batches), 3),
            steps=at.total_steps,
            loss=at.loss_sum / max(1, at.rows),
            rows_per_second=(at.rows - before.rows) / max(at.seconds - before.seconds, 1e-9),
            dev_exact_match=dev,
            seconds=at.seconds,
            seconds_left=at.seconds * left / max(1 - left, 1e-9),
        )
        if dev >= at.best_dev:  # of equals the longest trained is taken: dev is soon perfect
            self.keep("best", metrics)
        self.keep("last", metrics)
        self._advance(loss_sum=0.0, rows=0, history=(*at.history, metrics), seconds=self._seconds())
        self._evaluated = self.progress
        self.report(self.progress)
        return self.schedule.is_enough(self.progress)

    def _end_epoch(self, *, is_enough: bool) -> None:
        """Go on to the next epoch, or to the next stage."""
        at = self.progress
        self._advance(
            stage=at.stage + is_enough,
            stage_epoch=0 if is_enough else at.stage_epoch + 1,
            epoch=at.epoch + 1,
            step=0,
        )
        self._save()

    def _advance(self, **changes: Any) -> None:
        self.progress = msgspec.structs.replace(self.progress, **changes)

    def _seconds(self) -> float:
        """Return the time that the run has taken, in all of its processes."""
        return time.perf_counter() - self._began

    def _save(self) -> None:
        if self.checkpoint is not None:
            self.state.save(self.checkpoint, self.progress, self.settings)


class Curriculum:
    """The stages of a run, epoch by epoch: the schedule of LeAR."""

    def __init__(self, config: RunConfig, objective: Objective) -> None:
        self.config = config
        self.objective = objective
        self.batches: list[list[int]] = []
        self._evaluations: set[int] = set()
        """After how many steps of the epoch dev is evaluated."""

    def begin_epoch(self, at: Progress) -> Progress | None:
        """Pass over stages whose epochs are done, and draw the batches of the next epoch."""
        stages = self.config.curriculum
        while at.stage < len(stages) and at.stage_epoch >= stages[at.stage].epochs:
            at = msgspec.structs.replace(at, stage=at.stage + 1, stage_epoch=0)
        if at.stage >= len(stages):
            return None
        stage, usual = stages[at.stage], self.config.optim.entropy
        self.objective.begin_lesson(usual if stage.entropy is None else stage.entropy)
        self.batches = self._drawn(at.epoch, stage)
        self._evaluations = self._evaluations_of(at)
        return at

    def _drawn(self, epoch: int, stage: Stage) -> list[list[int]]:
        """Return the batches of an epoch in their random order."""
        items = np.array(self.objective.training_items(stage.max_tokens))
        if len(items) == 0:
            limit = f" of at most {stage.max_tokens} tokens" if stage.max_tokens else ""
            raise LearError(f"no training row{limit} leaves anything to learn")
        order = np.random.default_rng((self.config.seed, epoch)).permutation(items)
        order = order[: stage.rows or None]
        size = self.config.optim.batch_size
        return [order[begin : begin + size].tolist() for begin in range(0, len(order), size)]

    def _evaluations_of(self, at: Progress) -> set[int]:
        every, stages, size = self.config.dev_every, self.config.curriculum, len(self.batches)
        if every < 1:
            times = round(1 / every)
            return {math.ceil(size * part / times) for part in range(1, times + 1)}
        is_last = at.stage + 1 == len(stages) and at.stage_epoch + 1 == stages[at.stage].epochs
        is_due = (at.epoch + 1) // every > at.epoch // every
        return {size} if is_due or is_last else set()

    def rate(self, at: Progress) -> float:
        """Change evenly from a stage's first to its last rate."""
        stage = self.config.curriculum[at.stage]
        done = (at.stage_epoch + at.step / len(self.batches)) / stage.epochs
        final_rate = stage.rate if stage.final_rate is None else stage.final_rate
        return stage.rate + (final_rate - stage.rate) * done

    def is_evaluated(self, at: Progress) -> bool:
        """Return True as often as `dev_every` says, and after the last epoch."""
        return at.step in self._evaluations

    def is_enough(self, at: Progress) -> bool:
        """Return True if dev is as good as the stage asks for."""
        return 0 < self.config.curriculum[at.stage].enough <= at.history[-1].dev_exact_match

    def remaining(self, at: Progress) -> float:
        """Return the share of epochs that are left."""
        begun = at.step / len(self.batches)
        epochs = sum(stage.epochs for stage in self.config.curriculum[at.stage :])
        left = epochs - at.stage_epoch - begun
        return left / (left + at.epoch + begun)


def make_optimizer(network: Network, config: OptimConfig) -> torch.optim.Optimizer:
    """Make three groups of weights with three learning rates, as in the paper's appendix."""
    rate = config.learning_rate
    members = network.members
    parts = (
        ([member.lexical for member in members], 1.0),
        ([member.composer for member in members], config.composer_ratio),
        ([member.algebraic for member in members], config.algebraic_ratio),
    )
    groups = [
        {"params": [w for module in modules for w in module.parameters()], "lr": rate * ratio}
        for modules, ratio in parts
    ]
    kind = torch.optim.Adam if config.optimizer == "adam" else torch.optim.Adadelta
    optimizer = kind(groups, weight_decay=config.weight_decay)
    for group in optimizer.param_groups:
        group["initial_lr"] = group["lr"]
    return optimizer


def make_average(network: Network, config: OptimConfig) -> AveragedModel | None:
    """Make the moving average of the weights, if the settings ask for one."""
    if not config.averaging:
        return None
    moving = get_ema_multi_avg_fn(config.averaging)  # type: ignore[no-untyped-call]
    return AveragedModel(network, multi_avg_fn=moving)
