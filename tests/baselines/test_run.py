"""Baselines: they learn to repeat what they saw, and dev decides."""

import pytest

from lear.baselines.config import BaselineConfig
from lear.baselines.run import Progress, train_baseline
from lear.baselines.text import Words
from lear.domains.toy.domain import TOY
from tests.support.toy_rows import TRAIN


def test_words_read_back_what_they_wrote() -> None:
    words = Words.of(row.form.split() for row in TRAIN)
    for row in TRAIN[:50]:
        assert words.decode(words.encode(row.form.split())) == row.form


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
def test_a_baseline_learns_to_repeat_a_few_rows(architecture: str) -> None:
    rows = TRAIN[:12]
    config = BaselineConfig(
        architecture=architecture,  # type: ignore[arg-type]
        seconds=300,
        epochs=200,
        threads=1,
        hidden=48,
        heads=2,
        dropout=0.0,
        warmup_steps=10,
        tokens_per_batch=400,
        learning_rate=0.005,
    )
    seen: list[Progress] = []
    baseline = train_baseline(config, TOY, rows, rows, seen.append)
    assert baseline.score(TOY, rows).overall.exact_match > 0.9
    assert max(p.dev_exact_match for p in seen) == baseline.score(TOY, rows).overall.exact_match
