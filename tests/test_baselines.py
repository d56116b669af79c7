"""The baselines: decoding step by step is what training saw, and they learn."""

import pytest
import torch

from lear.baselines.config import BaselineConfig
from lear.baselines.lstm import AttentionLSTM
from lear.baselines.run import Progress, train_baseline
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import BEGIN, END, PAD, Words, padded
from lear.baselines.transformer import Transformer
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY

ROWS = generate("train", seed=1)
SMALL = BaselineConfig(hidden=16, layers=2, heads=2, dropout=0.0, threads=1)


@pytest.fixture(params=[Transformer, AttentionLSTM])
def model(request: pytest.FixtureRequest) -> Seq2Seq:
    torch.manual_seed(3)
    found: Seq2Seq = request.param(SMALL, 20, 12).double().eval()
    return found


SOURCE = padded([[5, 6, 7, END], [8, END], [9, 10, END]])
TARGET = padded([[BEGIN, 4, 5, 6, 7], [BEGIN, 8], [BEGIN, 9, 4]])


@torch.no_grad()
def test_step_by_step_gives_what_teacher_forcing_gives(model: Seq2Seq) -> None:
    whole = model.teacher_forced(SOURCE, TARGET)
    memory = model.start(SOURCE)
    for place in range(TARGET.shape[1]):
        logits, memory = model.step(memory, TARGET[:, place])
        torch.testing.assert_close(logits, whole[:, place])


@torch.no_grad()
def test_padding_and_the_rest_of_the_batch_change_nothing(model: Seq2Seq) -> None:
    together = model.teacher_forced(SOURCE, TARGET)
    for row in range(len(SOURCE)):
        source = SOURCE[row][SOURCE[row] != PAD][None]
        target = TARGET[row][TARGET[row] != PAD][None]
        alone = model.teacher_forced(source, target)
        torch.testing.assert_close(together[row : row + 1, : target.shape[1]], alone)


def test_decoding_a_batch_is_decoding_its_rows(model: Seq2Seq) -> None:
    together = model.decode(SOURCE, longest=30)
    for row in range(len(SOURCE)):
        source = SOURCE[row][SOURCE[row] != PAD][None]
        assert model.decode(source, longest=30)[0] == together[row]


def test_words_read_back_what_they_wrote() -> None:
    words = Words.of(row.form.split() for row in ROWS)
    for row in ROWS[:50]:
        assert words.decode(words.encode(row.form.split())) == row.form


@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
def test_a_baseline_learns_to_repeat_a_few_rows(architecture: str) -> None:
    rows = ROWS[:12]
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
