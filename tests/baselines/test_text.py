"""Vocabularies read back what they wrote; batches hold every text once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.baselines.networks import END, UNKNOWN, Words, batches, bonds, joined, pieces
from tests.support.toy_rows import TRAIN


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
