"""Training: it learns, dev decides, and a run that was broken off goes on as if it had not been."""

import signal
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from lear.baselines.config import BaselineConfig
from lear.baselines.training import Trained, train_baseline
from lear.domains.toy import TOY
from lear.errors import DataError
from lear.learning.checkpoint import Metrics
from tests.support.toy_rows import DEV, TRAIN

SMALL = {"hidden": 16, "feed_forward": 16, "heads": 2, "tokens_per_batch": 800, "dev_rows": 8}


def config(**settings: Any) -> BaselineConfig:
    return BaselineConfig(**{**SMALL, "steps": 10, "dev_every": 5, "word_dropout": 0.1, **settings})


def run(
    settings: BaselineConfig, checkpoint: Path | None = None, *, resume: bool = False
) -> Trained:
    return train_baseline(
        settings, TOY, TRAIN, DEV, lambda _: None, checkpoint=checkpoint, resume=resume
    )


def same(a: Path, b: Path) -> bool:
    """Whether two checkpoints hold the same weights, best weights and state of the optimizer."""
    one, other = load_file(a), load_file(b)
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
def test_an_interrupted_run_resumed_equals_an_unbroken_one(
    architecture: str, tmp_path: Path
) -> None:
    settings = config(architecture=architecture)
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    expected = run(settings, whole)

    def interrupt(metrics: Metrics) -> None:
        if metrics.steps == 5:  # an epoch has 7 or 8 batches
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        train_baseline(settings, TOY, TRAIN, DEV, interrupt, checkpoint=broken)
    assert not same(broken, whole)
    resumed = run(settings, broken, resume=True)
    assert same(broken, whole)
    assert (resumed.progress.total_steps, resumed.num_rows) == (10, expected.num_rows)
    losses = [[m.loss for m in found.progress.history] for found in (resumed, expected)]
    assert losses[0] == losses[1]


def test_another_seed_gives_other_weights(tmp_path: Path) -> None:
    for seed in (1, 2):
        run(config(seed=seed, steps=1), tmp_path / str(seed))
    assert not same(tmp_path / "1", tmp_path / "2")


@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
def test_the_loss_falls(architecture: str) -> None:
    progress = run(
        config(architecture=architecture, steps=40, warmup_steps=5, learning_rate=0.02)
    ).progress
    losses = [score.loss for score in progress.history]
    assert losses[-1] < losses[0] / 1.5


def test_time_ends_a_run_too() -> None:
    progress = run(config(steps=0, seconds=0.5)).progress
    assert progress.total_steps > 0
    assert progress.seconds >= 0.5


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
def test_a_baseline_learns_to_repeat_a_few_rows_and_keeps_its_best_state(architecture: str) -> None:
    rows = TRAIN[:12]
    settings = config(
        architecture=architecture, steps=100, dev_every=20, hidden=32, dev_rows=12,
        dropout=0.0, word_dropout=0.0, warmup_steps=10, learning_rate=0.02,
    )  # fmt: skip
    baseline, progress, _ = train_baseline(settings, TOY, rows, rows, lambda _: None)
    assert progress.best_dev > 0.9
    assert baseline.score(TOY, rows).overall.exact_match == progress.best_dev


def test_a_run_is_not_resumed_with_other_settings_nor_from_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    with pytest.raises(DataError, match="no checkpoint"):
        run(config(), path, resume=True)
    run(config(steps=1), path)
    run(config(steps=1, seconds=9), path, resume=True)
    with pytest.raises(DataError, match="other settings"):
        run(config(dropout=0.2), path, resume=True)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(DataError, match="not a whole checkpoint"):
        run(config(steps=1), path, resume=True)
