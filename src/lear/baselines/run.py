"""Training a baseline for a given time, and scoring it strictly."""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn.functional import cross_entropy

from lear.baselines.config import BaselineConfig
from lear.baselines.lstm import AttentionLSTM
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import BEGIN, PAD, Pairs, Words, padded
from lear.baselines.transformer import Transformer
from lear.core.algebra import Meaning, MeaningTable
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import FormError, LearError
from lear.evaluation.scores import Scores
from lear.evaluation.verdict import judge

DEV_ROWS = 200
"""Rows of dev that decide; all of them would take too much of the time."""
DEV_SHARE = 0.1
"""Dev is looked at whenever this share of the time has passed."""
SLACK = 30
"""Tokens of a form that even a lone word may have."""
BATCH = 256
"""Rows decoded at a time."""


@dataclass(frozen=True)
class Baseline:
    """A trained baseline."""

    model: Seq2Seq
    sources: Words
    targets: Words
    tokens_per_word: float
    """The longest form in training, relative to its sentence."""

    def predict(self, sentences: Sequence[tuple[str, ...]]) -> list[str]:
        """The form of each sentence, right or wrong."""
        found: list[str] = [""] * len(sentences)
        order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
        self.model.eval()
        for begin in range(0, len(order), BATCH):
            batch = order[begin : begin + BATCH]
            source = padded([self.sources.encode(sentences[index]) for index in batch])
            # A form that grows beyond all proportion will not end well: decoding gives up.
            longest = int(self.tokens_per_word * source.shape[1]) + SLACK
            for index, numbers in zip(batch, self.model.decode(source, longest), strict=True):
                found[index] = self.targets.decode(numbers)
        return found

    def score(self, domain: Domain, rows: Sequence[Example]) -> Scores:
        """Strict and lenient scores; a form that cannot be read is wrong."""
        scores = Scores()
        started = time.perf_counter()
        forms = self.predict([row.tokens for row in rows])
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


@dataclass(frozen=True)
class Progress:
    """Where training stands when dev was looked at."""

    seconds: float
    epochs: float
    loss: float
    dev_exact_match: float


def train_baseline(
    config: BaselineConfig,
    domain: Domain,
    train: Sequence[Example],
    dev: Sequence[Example],
    report: Callable[[Progress], None],
) -> Baseline:
    """Train until the time is up; take the weights that dev liked best, the later of equals."""
    started = time.perf_counter()
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    sources = Words.of(row.tokens for row in train)
    targets = Words.of(row.form.split() for row in train)
    architecture = Transformer if config.architecture == "transformer" else AttentionLSTM
    model: Seq2Seq = architecture(config, len(sources.names), len(targets.names))
    pairs = Pairs.of(train, sources, targets)
    lengths = zip(pairs.targets, pairs.sources, strict=True)
    tokens_per_word = max((len(t) - SLACK) / len(s) for t, s in lengths)
    baseline = Baseline(model, sources, targets, max(1.0, tokens_per_word))
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    warmup = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / config.warmup_steps)
    )
    rng = np.random.default_rng(config.seed)
    chosen = rng.permutation(len(dev))[:DEV_ROWS].tolist()
    best, best_dev, looked, rows_done = _copy(model), -1.0, started, 0
    most_rows = config.epochs * len(train) or math.inf
    while True:
        for batch in pairs.batches(config.tokens_per_batch, rng):
            model.train()
            target = padded([[BEGIN, *pairs.targets[index]] for index in batch])
            logits = model.teacher_forced(
                padded([pairs.sources[index] for index in batch]), target[:, :-1]
            )
            loss = cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)
            if not torch.isfinite(loss):
                raise LearError("training broke down: the loss is not a number")
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            warmup.step()
            rows_done += len(batch)
            now = time.perf_counter()
            is_over = now - started > config.seconds or rows_done >= most_rows
            if is_over or now - looked > DEV_SHARE * config.seconds:
                score = baseline.score(domain, [dev[index] for index in chosen]).overall.exact_match
                report(Progress(now - started, rows_done / len(train), loss.item(), score))
                if score >= best_dev:
                    best, best_dev = _copy(model), score
                looked = time.perf_counter()
            if is_over:
                model.load_state_dict(best)
                return baseline


def _copy(model: Seq2Seq) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}
