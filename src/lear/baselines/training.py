"""Training a baseline: dev decides, a checkpoint each minute, nothing is lost when it stops.

Randomness needs no state: the batches of an epoch and the dropout of a step come from the seed and
their number. So a resumed run does exactly what an unbroken one would have done.
"""

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lear.baselines.baseline import Baseline
from lear.baselines.checkpoint import DevScore, Progress, Weights, load_checkpoint, save_checkpoint
from lear.baselines.config import BaselineConfig
from lear.baselines.text import BEGIN, PAD, SPECIAL, UNKNOWN, batches, padded
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import LearError
from lear.messages.interrupts import deferred_signals
from lear.messages.progress import SILENT, Tracker

CHECKPOINT_SECONDS = 60
MAX_GRADIENT = 1.0
"""Gradients are clipped at this norm."""


@dataclass
class Training:
    """A run from wherever `progress` says it stands."""

    config: BaselineConfig
    baseline: Baseline
    optimizer: torch.optim.Optimizer
    train: Sequence[Example]
    evaluate: Callable[[], float]
    """Exact match on dev."""
    report: Callable[[DevScore], None]
    checkpoint: Path | None
    best: Weights
    """The weights with the best dev score, the later in a tie."""
    progress: Progress
    tracker: Tracker = SILENT

    def run(self) -> None:
        """Train to the end, and give the model its best weights."""
        started = time.perf_counter() - self.progress.seconds
        saved = self.progress.seconds
        batches_left = self._batches_left()
        steps_left = self.config.steps - self.progress.steps if self.config.steps else None
        with deferred_signals() as is_interrupted:
            for batch in self.tracker.track(batches_left, "training steps", steps_left):
                self._step(*batch)
                self._advance(seconds=time.perf_counter() - started)
                if not self._remaining() or self.progress.steps % self.config.dev_every == 0:
                    self._score_dev()
                    self._advance(seconds=time.perf_counter() - started)
                is_due = self.progress.seconds - saved > CHECKPOINT_SECONDS
                if is_due or is_interrupted() or not self._remaining():
                    self._save()
                    saved = self.progress.seconds
                is_interrupted.stop()
        self.baseline.model.load_state_dict(self.best)

    def _remaining(self) -> float:
        """The share of the run that is left, by steps or time: 1 at the beginning, 0 at the end."""
        at, config = self.progress, self.config
        done = at.steps / (config.steps or math.inf), at.seconds / (config.seconds or math.inf)
        return max(0.0, 1.0 - max(done))

    def _advance(self, **changes: object) -> None:
        self.progress = msgspec.structs.replace(self.progress, **changes)

    def _batches_left(self) -> Iterator[tuple[Tensor, Tensor]]:
        """Sources and targets from where the run stands to its end, epoch after epoch."""
        sources = [self.baseline.sources.encode(row.tokens) for row in self.train]
        targets = [[BEGIN, *self.baseline.encode_form(row.form)] for row in self.train]
        lengths = [len(target) for target in targets]
        for epoch in itertools.count(self.progress.epoch):
            rng = np.random.default_rng((self.config.seed, epoch))
            whole = batches(lengths, self.config.tokens_per_batch, rng)
            for batch in whole[self.progress.batches :]:
                if not self._remaining():
                    return
                done = self.progress.batches + 1, self.progress.rows + len(batch)
                self._advance(batches=done[0], rows=done[1])
                yield padded([sources[i] for i in batch]), padded([targets[i] for i in batch])
            self._advance(epoch=epoch + 1, batches=0)

    def _step(self, source: Tensor, target: Tensor) -> None:
        """One update of the weights."""
        config, model, step = self.config, self.baseline.model, self.progress.steps + 1
        torch.manual_seed(config.seed + 2**32 * step)
        if config.word_dropout:
            hidden = torch.rand(source.shape) < config.word_dropout
            source = source.masked_fill(hidden & (source >= len(SPECIAL)), UNKNOWN)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * min(step / config.warmup_steps, self._remaining())
        model.train()
        logits = model(source, target[:, :-1])  # (B, T, V)
        loss = cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        self.optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRADIENT)
        if not torch.isfinite(norm):
            raise LearError(f"training broke down at step {step}: a gradient is not a number")
        self.optimizer.step()
        self._advance(steps=step, loss_sum=self.progress.loss_sum + loss.item())

    def _score_dev(self) -> None:
        at = self.progress
        steps = at.steps - (at.history[-1].step if at.history else 0)
        dev = self.evaluate()
        if dev >= at.best_dev:
            self.best = _copied(self.baseline.model)
        score = DevScore(at.steps, round(at.seconds, 1), at.loss_sum / max(1, steps), dev)
        self._advance(loss_sum=0.0, history=(*at.history, score))
        self.report(score)

    def _save(self) -> None:
        if self.checkpoint is not None:
            model = self.baseline.model
            save_checkpoint(self.checkpoint, model, self.best, self.optimizer, self.progress)


def _copied(model: torch.nn.Module) -> Weights:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}


def train_baseline(
    config: BaselineConfig,
    domain: Domain,
    train: Sequence[Example],
    dev: Sequence[Example],
    report: Callable[[DevScore], None],
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    data: str = "",
    tracker: Tracker = SILENT,
) -> tuple[Baseline, Progress]:
    """Train; return the baseline with its best weights, and how it went.

    Args:
        config: The settings.
        domain: What to learn.
        train: The rows to learn from.
        dev: The rows that choose between states of the run; a sample is taken if there are many.
        report: Called with each score on dev.
        checkpoint: Where the state of the run is kept.
        resume: Go on from there.
        data: What the rows are; a run is only resumed on the same.
        tracker: Told how far it has come.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    baseline = Baseline.of(config, train)
    optimizer = torch.optim.Adam(baseline.model.parameters(), lr=config.learning_rate)
    sample = np.random.default_rng(config.seed).permutation(len(dev))[: config.dev_rows].tolist()
    rows = [dev[index] for index in sample]
    # A resumed run may be given more time or threads, but not become another one.
    run = msgspec.structs.replace(config, seconds=1.0, threads=1)
    progress = Progress(f"{data} {msgspec.json.encode(run).decode()}".strip())
    best = _copied(baseline.model)
    if resume and checkpoint is not None:
        best, progress = load_checkpoint(checkpoint, baseline.model, optimizer, progress.run)
    training = Training(
        config,
        baseline,
        optimizer,
        train,
        lambda: baseline.score(domain, rows, tracker).overall.exact_match,
        report,
        checkpoint,
        best,
        progress,
        tracker,
    )
    training.run()
    return baseline, training.progress
