"""The training loop: stages, epochs, steps; dev decides; nothing is lost when it stops."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

from lear.errors import LearError
from lear.learning.checkpoint import Progress, save_checkpoint
from lear.learning.config import RunConfig, Stage
from lear.memory import no_garbage_collection
from lear.messages import SILENT, Tracker, deferred_signals
from lear.model.config import OptimConfig
from lear.model.network import Network, Objective

CHECKPOINT_SECONDS = 60


class Metrics(msgspec.Struct, frozen=True):
    """One line of `metrics.jsonl`, after each look at dev."""

    epoch: float
    """Epochs done, over all stages."""
    steps: int
    """Steps done, over all stages."""
    loss: float
    """Mean over the rows since the line before."""
    rows_per_second: float
    dev_exact_match: float
    seconds: float
    """Since this process began to train."""
    seconds_left: float


def make_optimizer(network: Network, config: OptimConfig) -> torch.optim.Optimizer:
    """Three groups of weights with three learning rates, as in the paper's appendix."""
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
    optimizer: torch.optim.Optimizer
    if config.optimizer == "adam":
        optimizer = torch.optim.Adam(groups, weight_decay=config.weight_decay)
    else:
        optimizer = torch.optim.Adadelta(groups, weight_decay=config.weight_decay)
    for group in optimizer.param_groups:
        group["initial_lr"] = group["lr"]
    return optimizer


def make_average(network: Network, config: OptimConfig) -> AveragedModel | None:
    """The moving average of the weights, if there is to be one."""
    if not config.averaging:
        return None
    moving = get_ema_multi_avg_fn(config.averaging)  # type: ignore[no-untyped-call]
    return AveragedModel(network, multi_avg_fn=moving)


@dataclass
class Loop:
    """One run of training from wherever `progress` says it stands."""

    config: RunConfig
    network: Network
    optimizer: torch.optim.Optimizer
    objective: Objective
    evaluate: Callable[[Network], float]
    """Exact match on dev."""
    save_model: Callable[[Network, str, Metrics], None]
    """Write the model as `best` or `last`."""
    report: Callable[[Metrics], None]
    checkpoint: Path
    progress: Progress
    average: AveragedModel | None = None
    """Takes the place of the weights on dev and in models."""
    tracker: Tracker = SILENT

    def run(self) -> None:
        """Train to the end; whatever stops it, the checkpoint holds the last good state."""
        clock = _Clock(self.config, self.progress)
        saved = time.perf_counter()
        with deferred_signals() as is_interrupted:
            while self._has_lesson():
                p = self.progress
                stage = self.config.curriculum[p.stage]
                usual = self.config.optim.entropy
                self.objective.begin_lesson(usual if stage.entropy is None else stage.entropy)
                batches = self._batches(p.epoch, stage)
                if not self.checkpoint.is_file():  # whatever stops the run now, it can go on
                    self._save_checkpoint()
                looks = self._looks(len(batches))
                # A run that was interrupted may have left a look at dev to be done.
                is_enough = p.step in looks and p.rows > 0 and self._look(clock, len(batches))
                steps = range(p.step, len(batches))
                label = f"steps of epoch {p.epoch + 1}"
                for step in self.tracker.track(steps, label, len(steps)):
                    if is_enough:  # the next checkpoint belongs to the next lesson
                        break
                    with no_garbage_collection():
                        self._step(batches[step], len(batches))
                    if is_interrupted():
                        self._save_checkpoint()
                        is_interrupted.stop()
                    is_look = step + 1 in looks
                    is_enough = is_look and self._look(clock, len(batches))
                    is_due = is_look or time.perf_counter() - saved > CHECKPOINT_SECONDS
                    if is_due and not is_enough:
                        self._save_checkpoint()
                        saved = time.perf_counter()
                self._end_epoch(is_enough=is_enough)

    def _has_lesson(self) -> bool:
        """Whether there is something left to train, after lessons without a further epoch."""
        p, curriculum = self.progress, self.config.curriculum
        while p.stage < len(curriculum) and p.stage_epoch >= curriculum[p.stage].epochs:
            p = msgspec.structs.replace(p, stage=p.stage + 1, stage_epoch=0)
        if p.stage < len(curriculum):
            self.progress = p
        return p.stage < len(curriculum)

    def _batches(self, epoch: int, stage: Stage) -> list[list[int]]:
        """The epoch's batches in their random order."""
        items = np.array(self.objective.training_items(stage.max_tokens))
        if len(items) == 0:
            limit = f" of at most {stage.max_tokens} tokens" if stage.max_tokens else ""
            raise LearError(f"no training row{limit} leaves anything to learn")
        order = np.random.default_rng((self.config.seed, epoch)).permutation(items)
        order = order[: stage.rows or None]
        size = self.config.optim.batch_size
        return [order[begin : begin + size].tolist() for begin in range(0, len(order), size)]

    def _looks(self, num_batches: int) -> set[int]:
        """After how many batches of the next epoch dev is looked at."""
        p, every = self.progress, self.config.dev_every
        is_last_stage = p.stage + 1 == len(self.config.curriculum)
        is_last = is_last_stage and p.stage_epoch + 1 == self.config.curriculum[p.stage].epochs
        if every < 1:
            times = round(1 / every)
            return {math.ceil(num_batches * number / times) for number in range(1, times + 1)}
        is_due = (p.epoch + 1) // every > p.epoch // every
        return {num_batches} if is_due or is_last else set()

    def _set_rates(self, num_batches: int) -> None:
        """Let learning rates be what they are at this place of the lesson."""
        p = self.progress
        stage = self.config.curriculum[p.stage]
        done = (p.stage_epoch + p.step / num_batches) / stage.epochs
        final_rate = stage.rate if stage.final_rate is None else stage.final_rate
        for group in self.optimizer.param_groups:
            group["lr"] = group["initial_lr"] * (stage.rate + (final_rate - stage.rate) * done)

    def _step(self, batch: list[int], num_batches: int) -> None:
        number = self.progress.total_steps
        rng = np.random.default_rng((self.config.seed, 1_000_000_007, number))
        self._set_rates(num_batches)
        self.optimizer.zero_grad()
        result = self.objective.backward(batch, rng)
        limit = self.config.optim.max_gradient
        norm = torch.nn.utils.clip_grad_norm_(
            self.network.parameters(), limit or math.inf, norm_type=math.inf
        )
        if not (math.isfinite(result.loss) and math.isfinite(norm.item())):
            self._save_checkpoint()
            raise LearError(
                f"training broke down at step {number}: the loss or its gradient is not a number; "
                "the weights before it are kept"
            )
        self.optimizer.step()
        if self.average is not None:
            self.average.update_parameters(self.network)
        p = self.progress
        self.progress = msgspec.structs.replace(
            p,
            step=p.step + 1,
            total_steps=number + 1,
            loss_sum=p.loss_sum + result.loss * result.num_rows,
            rows=p.rows + result.num_rows,
        )

    def _look(self, clock: "_Clock", num_batches: int) -> bool:
        """Evaluate on dev and save the best; whether that is enough for this lesson."""
        p = self.progress
        network = self.network if self.average is None else self.average.module
        assert isinstance(network, Network)
        network.eval()
        pace = clock.stop(p, num_batches)
        dev = self.evaluate(network)
        network.train()
        metrics = Metrics(
            epoch=round(p.epoch + p.step / num_batches, 3),
            steps=p.total_steps,
            loss=p.loss_sum / max(1, p.rows),
            rows_per_second=pace.rows_per_second,
            dev_exact_match=dev,
            seconds=clock.seconds,
            seconds_left=pace.seconds_left,
        )
        if dev >= p.best_dev:  # of equals the longest trained is taken: dev is soon perfect
            self.save_model(network, "best", metrics)
        self.save_model(network, "last", metrics)
        self.progress = msgspec.structs.replace(
            p, best_dev=max(dev, p.best_dev), loss_sum=0.0, rows=0
        )
        clock.go_on(self.progress)
        self.report(metrics)
        enough = self.config.curriculum[p.stage].enough
        return 0 < enough <= dev

    def _end_epoch(self, *, is_enough: bool) -> None:
        """Go on to the next epoch, or to the next lesson."""
        p = self.progress
        self.progress = msgspec.structs.replace(
            p,
            stage=p.stage + is_enough,
            stage_epoch=0 if is_enough else p.stage_epoch + 1,
            epoch=p.epoch + 1,
            step=0,
            loss_sum=0.0,
            rows=0,
        )
        self._save_checkpoint()

    def _save_checkpoint(self) -> None:
        save_checkpoint(
            self.checkpoint,
            self.network,
            self.optimizer,
            self.objective,
            self.progress,
            self.average,
            msgspec.json.encode(self.config),
        )


class _Pace(NamedTuple):
    rows_per_second: float
    seconds_left: float


class _Clock:
    """How fast a run trains, and how long it will take."""

    def __init__(self, config: RunConfig, progress: Progress) -> None:
        self.config = config
        self.started = time.perf_counter()
        self.resumed = progress
        self.go_on(progress)

    @property
    def seconds(self) -> float:
        """Since this process began to train."""
        return time.perf_counter() - self.started

    def go_on(self, progress: Progress) -> None:
        """Begin a period of training."""
        self.period_started, self.rows_before = time.perf_counter(), progress.rows

    def stop(self, progress: Progress, num_batches: int) -> _Pace:
        """End a period of training, before dev is looked at."""
        seconds = time.perf_counter() - self.period_started
        done = _epochs_done(progress, num_batches) - _epochs_done(self.resumed, num_batches)
        curriculum = self.config.curriculum
        left = float(sum(stage.epochs for stage in curriculum[progress.stage :]))
        left -= progress.stage_epoch + progress.step / num_batches
        rate = (progress.rows - self.rows_before) / max(seconds, 1e-9)
        # A run that was interrupted before a look begins with that look: nothing is known then.
        return _Pace(rate, self.seconds * left / done if done > 0 else 0.0)


def _epochs_done(progress: Progress, num_batches: int) -> float:
    # Epochs of another lesson may have had more batches.
    return progress.epoch + min(1.0, progress.step / num_batches)
