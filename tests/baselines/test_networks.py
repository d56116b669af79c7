"""Baselines' networks: settings, vocabularies and batches, and decoding as training saw it."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lear.baselines.config import BaselineConfig, load_config
from lear.baselines.networks import (
    BEGIN,
    END,
    PAD,
    UNKNOWN,
    AttentionLSTM,
    Seq2Seq,
    Transformer,
    Words,
    batches,
    bonds,
    joined,
    padded,
    pieces,
)
from lear.errors import UsageError
from tests.support.toy_rows import TRAIN

DOMAINS = ("toy", "cogs", "cfq", "geo", "a domain of one's own")


@pytest.mark.parametrize("architecture", ["transformer", "lstm"])
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_recipe_is_valid_and_ends(domain: str, architecture: str) -> None:
    config = load_config(domain, {"architecture": architecture})
    assert config.architecture == architecture
    assert config.steps > 0
    assert config.seconds == 0


def test_flags_win_and_seconds_given_alone_replace_the_steps() -> None:
    config = load_config("cogs", {"seed": "3", "seconds": "7.5", "bidirectional": "false"})
    assert (config.seed, config.seconds, config.steps) == (3, 7.5, 0)
    assert not config.bidirectional
    both = load_config("cogs", {"seconds": "7", "steps": "9"})
    assert (both.seconds, both.steps) == (7, 9)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("hiden", "64", "did you mean 'hidden'"),
        ("hidden", "65", "divisible by twice the number of heads"),
        ("architecture", "rnn", "architecture"),
        ("steps", "0", "training needs an end"),
        ("dropout", "1", "dropout"),
    ],
)
def test_wrong_settings_are_one_clear_line(key: str, value: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_config("cogs", {key: value})


@given(st.text().map(str.strip))
def test_the_pieces_of_a_form_joined_are_the_form(form: str) -> None:
    assert "".join(pieces(form)).strip() == form


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("cake ( x _ 3 )", [" cake", " (", " x", " _", " 3", " )"]),
        ("capital('a b')", [" capital", "(", "'", "a", " b", "'", ")"]),
        ("?x0 film.editor/ns:x M1", [" ?x0", " film.editor/ns:x", " M1"]),
    ],
)
def test_pieces_are_words_brackets_commas_and_quotes(form: str, expected: list[str]) -> None:
    assert pieces(form) == expected


def test_a_frequent_piece_that_only_follows_one_other_is_bound_to_it() -> None:
    texts = [list("ax1"), list("bx1"), list("cx2"), list("dx")] * 10 + [list("ay")]
    assert bonds(texts) == {("x", "1"), ("x", "2")}
    assert joined("ax1", bonds(texts)) == ["a", "x1"]
    assert joined("x11", bonds(texts)) == ["x1", "1"]


@given(st.lists(st.text("abc", min_size=1), min_size=1))
def test_joining_changes_no_text_and_leaves_free_beginnings_alone(texts: list[str]) -> None:
    bound = bonds(texts)
    for text in texts:
        assert "".join(joined(text, bound)) == text
        assert joined(text[:1], bound) == [text[:1]]


def test_words_read_back_what_they_wrote() -> None:
    words = Words.of(pieces(row.form) for row in TRAIN)
    for row in TRAIN[:50]:
        assert words.decode(words.encode(pieces(row.form))) == row.form
    assert words.encode(["never seen"]) == [UNKNOWN, END]


@given(st.lists(st.integers(1, 30), min_size=1), st.integers(1, 100), st.integers(0, 9))
def test_batches_hold_every_text_once_and_are_no_larger_than_asked(
    lengths: list[int], tokens: int, seed: int
) -> None:
    for rng in (None, np.random.default_rng(seed)):
        found = batches(lengths, tokens, rng)
        assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
        for batch in found:
            size = len(batch) * max(lengths[index] for index in batch)
            assert size <= tokens or len(batch) == 1


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
