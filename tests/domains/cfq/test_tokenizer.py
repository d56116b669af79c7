"""Questions as tokens, and their length as the files count it."""

from pathlib import Path

import pytest

from lear.domain.example import Example
from lear.domains.cfq.tokenizer import num_words, tokenize


def test_marks_are_tokens_however_they_are_spelt() -> None:
    apart = tokenize("Did M0 ' s editor , M1 , and M2 marry a actor")
    assert apart == tokenize("Did M0's editor, M1, and M2 marry an actor?")
    assert apart == ("Did", "M0", "'s", "editor", ",", "M1", ",and", "M2", "marry", "a", "actor")


@pytest.mark.data
def test_length_is_counted_as_the_files_do(cfq_train: list[Example], cfq_folder: Path) -> None:
    with (cfq_folder / "cfq/mcd1/train/train_encode.txt").open() as lines:
        for line, row in zip(lines, cfq_train, strict=False):
            assert num_words(line) == row.length == len(line.split())
