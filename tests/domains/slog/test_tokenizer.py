"""Sentences as people type them, and as SLOG writes them."""

from pathlib import Path

import pytest

from lear.domains.cogs import domain as corpus
from lear.domains.slog import tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Emma slept", "Emma slept ."),
        ("the girl slept.", "The girl slept ."),
        ("who slept", "Who slept ?"),
        ("WHAT DID THE GIRL EAT?!", "What did the girl eat ?"),
        ("the cake in a box", "the cake in a box"),
        ("The cake that Emma ate", "The cake that Emma ate"),
        ('"a cake"', "a cake"),
        ("touch", "touch"),
        ("", ""),
    ],
)
def test_text_is_spelt_as_in_the_files(text: str, tokens: str) -> None:
    assert tokenize(text) == tuple(tokens.split())


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_rows_are_left_as_they_are(slog_folder: Path, name: str) -> None:
    for row in corpus.read_rows(slog_folder / f"slog/{name}.tsv"):
        assert tokenize(row.sentence) == row.tokens
        assert tokenize(f"\u201c{row.sentence}\u201d") == row.tokens
