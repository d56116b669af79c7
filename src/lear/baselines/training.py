"""A baseline: a model with its vocabularies, which writes forms and is scored.

Checkpoints of a baseline: all of a run's state in one file, whole or not there.

Training a baseline: dev decides, a checkpoint each minute, nothing is lost when it stops.

Randomness needs no state: the batches of an epoch and the dropout of a step come from the seed and
their number. So a resumed run does exactly what an unbroken one would have done.
"""

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from lear.algebra.algebra import Meaning, MeaningTable
from lear.baselines.networks import (
    BEGIN,
    PAD,
    SPECIAL,
    UNKNOWN,
    AttentionLSTM,
    BaselineConfig,
    Bonds,
    Seq2Seq,
    Transformer,
    Words,
    batches,
    bonds,
    joined,
    padded,
    pieces,
)
from lear.benchmark import Example
from lear.domain import Domain
from lear.errors import DataError, FormError, LearError
from lear.evaluation.scores import Scores, judge
from lear.learning.checkpoint import (
    load_optimizer,
    optimizer_tensors,
    read_contents,
    write_contents,
)
from lear.messages import SILENT, Tracker, deferred_signals

DECODING_WORDS = 2048
"""Words of sentences that are decoded at a time."""


@dataclass(frozen=True)
class Baseline:
    """A model with the words that it reads and the pieces of forms that it writes."""

    model: Seq2Seq
    sources: Words
    targets: Words
    bound: Bonds
    """Pieces of forms that are written as one: shorter forms are learned and decoded faster."""
    pieces_per_word: float
    """The largest ratio of form length to sentence length in training; limits decoding."""

    @classmethod
    def of(cls, config: BaselineConfig, rows: Sequence[Example]) -> "Baseline":
        """An untrained baseline for these training rows."""
        sources = Words.of(row.tokens for row in rows)
        forms = [pieces(row.form) for row in rows]
        bound = bonds(forms)
        forms = [joined(form, bound) for form in forms]
        targets = Words.of(forms)
        architecture = Transformer if config.architecture == "transformer" else AttentionLSTM
        model: Seq2Seq = architecture(config, len(sources.names), len(targets.names))
        ratio = max(len(form) / len(row.tokens) for form, row in zip(forms, rows, strict=True))
        return cls(model, sources, targets, bound, ratio)

    def encode_form(self, form: str) -> list[int]:
        """The numbers of a form's pieces, followed by END."""
        return self.targets.encode(joined(pieces(form), self.bound))

    def predict(self, sentences: Sequence[tuple[str, ...]], tracker: Tracker = SILENT) -> list[str]:
        """The predicted form of each sentence; it may be malformed."""
        forms = [""] * len(sentences)
        encoded = [self.sources.encode(sentence) for sentence in sentences]
        self.model.eval()
        decoded = batches([len(text) for text in encoded], DECODING_WORDS)
        for batch in tracker.track(decoded, "batches decoded", len(decoded)):
            source = padded([encoded[index] for index in batch])
            longest = int(self.pieces_per_word * source.shape[1]) + 1
            for index, numbers in zip(batch, self.model.decode(source, longest), strict=True):
                forms[index] = self.targets.decode(numbers)
        return forms

    def score(self, domain: Domain, rows: Sequence[Example], tracker: Tracker = SILENT) -> Scores:
        """Strict and lenient scores; a malformed form is wrong."""
        scores = Scores()
        started = time.perf_counter()
        forms = self.predict([row.tokens for row in rows], tracker)
        scores.parse_seconds = time.perf_counter() - started
        for row, form in zip(rows, forms, strict=True):
            verdict = judge(domain, row, form, _meaning(domain, row, form))
            scores.add(row.group, row.length, verdict)
        return scores


def _meaning(domain: Domain, row: Example, form: str) -> Meaning | None:
    try:
        return domain.language.read(form, row.tokens, MeaningTable(domain.language.algebra))
    except FormError:
        return None


FORMAT = "lear-baseline-1"
Weights = dict[str, Tensor]
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class DevScore(msgspec.Struct, frozen=True):
    """What was seen when dev was scored."""

    step: Count
    seconds: Seconds
    loss: float
    """Mean over the steps since dev was last scored."""
    dev_exact_match: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a run stands."""

    run: str
    """What the run is of: settings and data. A run goes on with the same, or not at all."""
    steps: Count = 0
    epoch: Count = 0
    """Epochs done."""
    batches: Count = 0
    """Batches done in the epoch that follows."""
    rows: Count = 0
    seconds: Seconds = 0.0
    loss_sum: float = 0.0
    """Of the steps since dev was last scored."""
    history: tuple[DevScore, ...] = ()

    @property
    def best_dev(self) -> float:
        """The best score so far."""
        return max((score.dev_exact_match for score in self.history), default=-1.0)


def save_checkpoint(
    path: Path, model: nn.Module, best: Weights, optimizer: torch.optim.Optimizer, at: Progress
) -> None:
    """Write a checkpoint."""
    parts = {"model": model.state_dict(), "best": best, "optimizer": optimizer_tensors(optimizer)}
    tensors = {f"{part}.{name}": t for part, named in parts.items() for name, t in named.items()}
    write_contents(path, FORMAT, {"progress": msgspec.json.encode(at).decode()}, tensors)


def load_checkpoint(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, run: str
) -> tuple[Weights, Progress]:
    """Put a checkpoint's state where it belongs; return the best weights, and where it stood."""
    with read_contents(path, FORMAT) as contents:
        progress = msgspec.json.decode(contents.texts["progress"], type=Progress)
        if progress.run != run:
            raise DataError(f"{path}: that run has other settings or data; give those, or --output")
        best = contents.named("best.")
        model.load_state_dict(best)
        model.load_state_dict(contents.named("model."))
        load_optimizer(optimizer, contents.named("optimizer."))
    return best, progress


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
