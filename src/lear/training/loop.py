"""The training loop: stages, epochs, steps; dev decides; nothing is lost when it stops."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

import msgspec
import numpy as np
import torch

from lear.core.garbage_collection import no_garbage_collection
from lear.errors import LearError
from lear.network.config import OptimConfig
from lear.network.network import Network
from lear.network.objective import Objective
from lear.training.checkpoint import Progress, save_checkpoint
from lear.training.run_config import RunConfig, Stage

CHECKPOINT_SECONDS = 60


class Metrics(msgspec.Struct, frozen=True):
    """One line of `metrics.jsonl`, after each epoch."""

    epoch: int
    loss: float
    """Mean over the epoch's rows."""
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
    if config.optimizer == "adam":
        return torch.optim.Adam(groups, weight_decay=config.weight_decay)
    return torch.optim.Adadelta(groups, weight_decay=config.weight_decay)


@dataclass
class Loop:
    """One run of training from wherever `progress` says it stands."""

    config: RunConfig
    network: Network
    optimizer: torch.optim.Optimizer
    objective: Objective
    evaluate: Callable[[], float]
    """Exact match on dev."""
    save_model: Callable[[str, Metrics], None]
    """Write the model as `best` or `last`."""
    report: Callable[[Metrics], None]
    checkpoint: Path
    progress: Progress

    def run(self) -> None:
        """Train to the end; whatever stops it, the checkpoint holds the last good state."""
        started = time.perf_counter()
        saved = started
        stages = list(stages_of(self.config.curriculum))
        with deferred_interrupt() as is_interrupted:
            first = self.progress.epoch
            for epoch in range(first, len(stages)):
                epoch_started, rows_before = time.perf_counter(), self.progress.rows
                for batch in self._remaining_batches(epoch, stages[epoch]):
                    with no_garbage_collection():
                        self._step(batch)
                    if is_interrupted():
                        self._save_checkpoint()
                        raise KeyboardInterrupt
                    if time.perf_counter() - saved > CHECKPOINT_SECONDS:
                        self._save_checkpoint()
                        saved = time.perf_counter()
                is_last = epoch + 1 == len(stages)
                if is_last or (epoch + 1) % self.config.dev_every == 0:
                    left = (len(stages) - epoch - 1) / (epoch + 1 - first)
                    self._end_epoch(epoch, left, started, epoch_started, rows_before)
                else:
                    self.progress = msgspec.structs.replace(
                        self.progress, epoch=epoch + 1, step=0, loss_sum=0.0, rows=0
                    )

    def _remaining_batches(self, epoch: int, stage: Stage) -> Iterator[list[int]]:
        """The epoch's batches in their random order, from where the run stands."""
        items = np.array(self.objective.training_items(stage.max_tokens))
        if len(items) == 0:
            limit = f" of at most {stage.max_tokens} tokens" if stage.max_tokens else ""
            raise LearError(f"no training row{limit} leaves anything to learn")
        order = np.random.default_rng((self.config.seed, epoch)).permutation(items)
        size = self.config.optim.batch_size
        for begin in range(self.progress.step * size, len(order), size):
            yield order[begin : begin + size].tolist()

    def _step(self, batch: list[int]) -> None:
        number = self.progress.total_steps
        rng = np.random.default_rng((self.config.seed, 1_000_000_007, number))
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
        p = self.progress
        self.progress = msgspec.structs.replace(
            p,
            step=p.step + 1,
            total_steps=number + 1,
            loss_sum=p.loss_sum + result.loss * result.num_rows,
            rows=p.rows + result.num_rows,
        )

    def _end_epoch(
        self, epoch: int, left: float, started: float, epoch_started: float, rows_before: int
    ) -> None:
        """Evaluate on dev and save the best; `left`: remaining epochs divided by epochs done."""
        p = self.progress
        seconds = time.perf_counter() - epoch_started
        self.network.eval()
        dev = self.evaluate()
        self.network.train()
        metrics = Metrics(
            epoch=epoch + 1,
            loss=p.loss_sum / max(1, p.rows),
            rows_per_second=(p.rows - rows_before) / max(seconds, 1e-9),
            dev_exact_match=dev,
            seconds=time.perf_counter() - started,
            seconds_left=(time.perf_counter() - started) * left,
        )
        if dev >= p.best_dev:  # of equals the longest trained is taken: dev is soon perfect
            self.save_model("best", metrics)
        self.save_model("last", metrics)
        self.progress = Progress(
            epoch=epoch + 1, total_steps=p.total_steps, best_dev=max(dev, p.best_dev)
        )
        self._save_checkpoint()
        self.report(metrics)

    def _save_checkpoint(self) -> None:
        save_checkpoint(
            self.checkpoint, self.network, self.optimizer, self.objective, self.progress
        )


@contextmanager
def deferred_interrupt() -> Iterator[Callable[[], bool]]:
    """Let Ctrl-C wait until the caller asks, so that no step is left half done."""
    asked = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal asked
        del number, frame
        asked = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: asked
    finally:
        signal.signal(signal.SIGINT, before)
    if asked:
        raise KeyboardInterrupt


def stages_of(curriculum: tuple[Stage, ...]) -> Iterator[Stage]:
    """The stage of each epoch."""
    for stage in curriculum:
        for _ in range(stage.epochs):
            yield stage
