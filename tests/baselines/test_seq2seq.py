"""Sequence-to-sequence models: decoding step by step is what training saw."""

import pytest
import torch

from lear.baselines.networks import (
    BEGIN,
    END,
    PAD,
    AttentionLSTM,
    BaselineConfig,
    Seq2Seq,
    Transformer,
    padded,
)

SMALL = {"hidden": 16, "feed_forward": 24, "heads": 2, "dropout": 0.1}
MODELS = {
    "transformer": (Transformer, BaselineConfig(**SMALL)),  # type: ignore[arg-type]
    "lstm": (AttentionLSTM, BaselineConfig(**SMALL)),  # type: ignore[arg-type]
    "forward lstm": (AttentionLSTM, BaselineConfig(bidirectional=False, layers=1, **SMALL)),  # type: ignore[arg-type]
}
SOURCE = padded([[5, 6, 7, END], [8, END], [9, 10, END]])
TARGET = padded([[BEGIN, 4, 5, 6, 7], [BEGIN, 8], [BEGIN, 9, 4]])


@pytest.fixture(params=list(MODELS))
def model(request: pytest.FixtureRequest) -> Seq2Seq:
    torch.manual_seed(3)
    architecture, config = MODELS[request.param]
    found: Seq2Seq = architecture(config, 20, 12)
    return found.double().eval()


@torch.no_grad()
def test_step_by_step_gives_what_teacher_forcing_gives(model: Seq2Seq) -> None:
    whole = model.forward(SOURCE, TARGET)
    memory = model.start(SOURCE)
    for place in range(TARGET.shape[1]):
        logits, memory = model.step(memory, TARGET[:, place])
        torch.testing.assert_close(logits, whole[:, place])


@torch.no_grad()
def test_padding_and_the_rest_of_the_batch_change_nothing(model: Seq2Seq) -> None:
    together = model.forward(SOURCE, TARGET)
    for row in range(len(SOURCE)):
        source = SOURCE[row][SOURCE[row] != PAD][None]
        target = TARGET[row][TARGET[row] != PAD][None]
        alone = model.forward(source, target)
        torch.testing.assert_close(together[row : row + 1, : target.shape[1]], alone)


def test_decoding_a_batch_is_decoding_its_rows(model: Seq2Seq) -> None:
    together = model.decode(SOURCE, longest=30)
    for row in range(len(SOURCE)):
        source = SOURCE[row][SOURCE[row] != PAD][None]
        assert model.decode(source, longest=30)[0] == together[row]


@torch.no_grad()
def test_greedy_decoding_takes_the_best_token_after_those_before_it(model: Seq2Seq) -> None:
    for row, tokens in enumerate(model.decode(SOURCE, longest=12)):
        written = tokens[: tokens.index(END) + 1] if END in tokens else tokens
        source = SOURCE[row][SOURCE[row] != PAD][None]
        logits = model.forward(source, torch.tensor([[BEGIN, *written[:-1]]]))
        assert logits[0].argmax(dim=-1).tolist() == written
