"""Sequence-to-sequence models: decoding step by step is what training saw."""

import pytest
import torch

from lear.baselines.config import BaselineConfig
from lear.baselines.lstm import AttentionLSTM
from lear.baselines.seq2seq import Seq2Seq
from lear.baselines.text import BEGIN, END, PAD, padded
from lear.baselines.transformer import Transformer

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
