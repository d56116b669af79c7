"""Training a baseline for a given time, and scoring it."""

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

MAX_DEV_ROWS = 200
"""Dev rows that are scored during training; all would take too much of the training time."""
DEV_INTERVAL = 0.1
"""Dev is scored after each such share of the training time."""
EXTRA_TOKENS = 30
"""Tokens that a form may have on top of `tokens_per_word` times the length of its sentence."""
DECODING_BATCH_SIZE = 256
"""Rows decoded at a time."""


@dataclass(frozen=True)
class Baseline:
    """A trained baseline."""

    model: Seq2Seq
    sources: Words
    targets: Words
    tokens_per_word: float
    """The largest ratio of form length to sentence length in training; limits decoding."""

    def predict(self, sentences: Sequence[tuple[str, ...]]) -> list[str]:
        """The predicted form of each sentence; it may be malformed."""
        forms: list[str] = [""] * len(sentences)
        order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
        self.model.eval()
        for begin in range(0, len(order), DECODING_BATCH_SIZE):
            batch = order[begin : begin + DECODING_BATCH_SIZE]
            source = padded([self.sources.encode(sentences[index]) for index in batch])
            max_tokens = int(self.tokens_per_word * source.shape[1]) + EXTRA_TOKENS
            for index, numbers in zip(batch, self.model.decode(source, max_tokens), strict=True):
                forms[index] = self.targets.decode(numbers)
        return forms

    def score(self, domain: Domain, rows: Sequence[Example]) -> Scores:
        """Strict and lenient scores; a malformed form is wrong."""
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
    """The state of training when dev was scored."""

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
    """Train until the time is up; keep the weights with the best dev score, the later in a tie."""
    started = time.perf_counter()
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    sources = Words.of(row.tokens for row in train)
    targets = Words.of(row.form.split() for row in train)
    pairs = Pairs.of(train, sources, targets)
    baseline = _new_baseline(config, sources, targets, pairs)
    model = baseline.model
    optimizer = torch.optim.Adam(model.parameters(), lr=config.learning_rate)
    warmup = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / config.warmup_steps)
    )
    rng = np.random.default_rng(config.seed)
    dev_rows = [dev[index] for index in rng.permutation(len(dev))[:MAX_DEV_ROWS].tolist()]
    best_weights, best_score, scored_at, rows_done = _weights(model), -1.0, started, 0
    max_rows = config.epochs * len(train) or math.inf
    while True:
        for batch in pairs.batches(config.tokens_per_batch, rng):
            loss = _update(model, optimizer, pairs, batch)
            warmup.step()
            rows_done += len(batch)
            now = time.perf_counter()
            is_over = now - started > config.seconds or rows_done >= max_rows
            if is_over or now - scored_at > DEV_INTERVAL * config.seconds:
                score = baseline.score(domain, dev_rows).overall.exact_match
                report(Progress(now - started, rows_done / len(train), loss, score))
                if score >= best_score:
                    best_weights, best_score = _weights(model), score
                scored_at = time.perf_counter()
            if is_over:
                model.load_state_dict(best_weights)
                return baseline


def _new_baseline(config: BaselineConfig, sources: Words, targets: Words, pairs: Pairs) -> Baseline:
    architecture = Transformer if config.architecture == "transformer" else AttentionLSTM
    model: Seq2Seq = architecture(config, len(sources.names), len(targets.names))
    lengths = zip(pairs.targets, pairs.sources, strict=True)
    tokens_per_word = max((len(t) - EXTRA_TOKENS) / len(s) for t, s in lengths)
    return Baseline(model, sources, targets, max(1.0, tokens_per_word))


def _update(
    model: Seq2Seq, optimizer: torch.optim.Optimizer, pairs: Pairs, batch: Sequence[int]
) -> float:
    """One step on a batch, given by the indices of its pairs; the loss before it."""
    model.train()
    source = padded([pairs.sources[index] for index in batch])
    target = padded([[BEGIN, *pairs.targets[index]] for index in batch])
    logits = model.teacher_forced(source, target[:, :-1])
    loss = cross_entropy(logits.transpose(1, 2), target[:, 1:], ignore_index=PAD)
    if not torch.isfinite(loss):
        raise LearError("training broke down: the loss is not a number")
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return loss.item()


def _weights(model: Seq2Seq) -> dict[str, torch.Tensor]:
    return {name: tensor.clone() for name, tensor in model.state_dict().items()}
