"""A baseline: a sequence-to-sequence model with its words, trained by the loop that LeAR has.

Randomness needs no state: batches and dropout come from the seed and the number of the epoch and
of the step.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from lear.algebra.algebra import Meaning, MeaningTable
from lear.baselines.config import BaselineConfig
from lear.baselines.networks import (
    BEGIN,
    PAD,
    SPECIAL,
    UNKNOWN,
    AttentionLSTM,
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
from lear.errors import DataError, FormError
from lear.evaluation.scores import Scores, judge
from lear.learning.checkpoint import Metrics, Progress, TrainingState, settings_of
from lear.learning.loop import Loop
from lear.messages import SILENT, Tracker
from lear.model.network import StepResult

MAX_GRADIENT = 1.0
"""Gradients are clipped at this norm."""
DECODING_WORDS = 2048
"""The number of words of sentences that are decoded at a time."""


@dataclass(frozen=True)
class Baseline:
    """A model with the words that it reads and the pieces of forms that it writes."""

    model: Seq2Seq
    sources: Words
    targets: Words
    bound: Bonds
    """Pairs of pieces that are written as one: shorter forms are learned and decoded faster."""
    pieces_per_word: float
    """The largest ratio of form length to sentence length in training; limits decoding."""

    @classmethod
    def of(cls, config: BaselineConfig, rows: Sequence[Example]) -> "Baseline":
        """Make an untrained baseline for these training rows."""
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
        """Return the numbers of a form's pieces, followed by END."""
        return self.targets.encode(joined(pieces(form), self.bound))

    def predict(self, sentences: Sequence[tuple[str, ...]], tracker: Tracker = SILENT) -> list[str]:
        """Predict the form of each sentence; it may be malformed."""
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
        """Score predicted forms; a malformed form is wrong."""
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


class Seq2SeqTraining:
    """The objective of a baseline, and its schedule: a number of steps, or a time."""

    def __init__(self, config: BaselineConfig, baseline: Baseline, rows: Sequence[Example]) -> None:
        self.config = config
        self.model = baseline.model
        self.sources = [baseline.sources.encode(row.tokens) for row in rows]
        self.targets = [[BEGIN, *baseline.encode_form(row.form)] for row in rows]
        self.batches: list[list[int]] = []
        self.steps = self.rows = 0
        """How many steps and rows have been learned from."""
        self.best = self._weights()
        """The weights with the best dev score, the later in a tie."""

    def _weights(self) -> dict[str, Tensor]:
        return {name: tensor.clone() for name, tensor in self.model.state_dict().items()}

    def state(self) -> dict[str, Tensor]:
        """Return the counts, and the best weights."""
        best = {f"best.{name}": tensor for name, tensor in self.best.items()}
        return {"counts": torch.tensor([self.steps, self.rows]), **best}

    def load_state(self, state: Mapping[str, Tensor]) -> None:
        """Go on from what `state` returned."""
        self.steps, self.rows = map(int, state["counts"].tolist())
        best = {name: state[f"best.{name}"] for name in self.best}
        if any(tensor.shape != self.best[name].shape for name, tensor in best.items()):
            raise ValueError("its best weights do not fit the settings")
        self.best = best

    def begin_epoch(self, at: Progress) -> Progress | None:
        """Cut the rows into batches of forms of similar length."""
        if not self.remaining(at):
            return None
        rng = np.random.default_rng((self.config.seed, at.epoch))
        lengths = [len(target) for target in self.targets]
        self.batches = batches(lengths, self.config.tokens_per_batch, rng)
        return at

    def rate(self, at: Progress) -> float:
        """Rise linearly at first, and then fall to 0 at the end of the run."""
        return min((at.total_steps + 1) / self.config.warmup_steps, self.remaining(at))

    def is_evaluated(self, at: Progress) -> bool:
        """Return True every N steps, and at the end of the run."""
        return not self.remaining(at) or at.total_steps % self.config.dev_every == 0

    def is_enough(self, at: Progress) -> bool:
        """Return True at the end of the run."""
        return not self.remaining(at)

    def remaining(self, at: Progress) -> float:
        """Return the share of the run that is left, by steps or time."""
        steps, seconds = self.config.steps or math.inf, self.config.seconds or math.inf
        return max(0.0, 1.0 - max(at.total_steps / steps, at.seconds / seconds))

    def backward(self, batch: Sequence[int], rng: np.random.Generator) -> StepResult:
        """Add the gradient of the cross-entropy of some forms to the model's."""
        del rng  # torch draws dropout by itself
        self.steps, self.rows = self.steps + 1, self.rows + len(batch)
        torch.manual_seed(self.config.seed + 2**32 * self.steps)
        source = padded([self.sources[index] for index in batch])
        target = padded([self.targets[index] for index in batch])
        if self.config.word_dropout:
            hidden = torch.rand(source.shape) < self.config.word_dropout
            source = source.masked_fill(hidden & (source >= len(SPECIAL)), UNKNOWN)
        logits = self.model(source, target[:, :-1])  # (B, T, V)
        loss = cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=PAD)
        loss.backward()  # type: ignore[no-untyped-call]
        return StepResult(loss.item(), 1)

    def keep(self, which: str, metrics: Metrics) -> None:
        """Remember the weights if they are the best."""
        del metrics
        if which == "best":
            self.best = self._weights()


class Trained(NamedTuple):
    """A baseline with its best weights, and how its training went."""

    baseline: Baseline
    progress: Progress
    num_rows: int
    """The rows that were learned from, each as often as it was."""


def train_baseline(
    config: BaselineConfig,
    domain: Domain,
    train: Sequence[Example],
    dev: Sequence[Example],
    report: Callable[[Metrics], None],
    *,
    checkpoint: Path | None = None,
    resume: bool = False,
    data: str = "",
    tracker: Tracker = SILENT,
) -> Trained:
    """Train a baseline, or go on from its checkpoint; `report` is called with each evaluation.

    A run is only resumed with the same settings and rows; `data` is a name for these.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    baseline = Baseline.of(config, train)
    optimizer = torch.optim.Adam(baseline.model.parameters(), lr=config.learning_rate)
    optimizer.param_groups[0]["initial_lr"] = config.learning_rate
    sample = np.random.default_rng(config.seed).permutation(len(dev))[: config.dev_rows].tolist()
    rows = [dev[index] for index in sample]
    training = Seq2SeqTraining(config, baseline, train)
    state = TrainingState(baseline.model, optimizer, training)
    # A resumed run may be given more time or threads, but not become another one.
    settings = msgspec.to_builtins(msgspec.structs.replace(config, seconds=1.0, threads=1))
    identity = {"data": data, **settings}
    progress = Progress()
    if resume and checkpoint is not None:
        if settings_of(checkpoint) != identity:
            raise DataError(
                f"{checkpoint}: that run has other settings or data; give those, or --output"
            )
        progress = state.load(checkpoint)
    loop = Loop(
        state,
        training,
        seed=config.seed,
        max_gradient=MAX_GRADIENT,
        norm=2.0,
        evaluate=lambda: baseline.score(domain, rows, tracker).overall.exact_match,
        keep=training.keep,
        report=lambda progress: report(progress.history[-1]),
        checkpoint=checkpoint,
        settings=msgspec.json.encode(identity),
        progress=progress,
        tracker=tracker,
    )
    loop.run()
    baseline.model.load_state_dict(training.best)
    return Trained(baseline, loop.progress, training.rows)
