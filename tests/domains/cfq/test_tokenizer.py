"""Questions as tokens, and their length as the files count it."""

from pathlib import Path

import pytest

from lear.benchmark import Example
from lear.domains.cfq.corpus import num_words, tokenize


def test_marks_are_tokens_however_they_are_spelt() -> None:
    apart = tokenize("Did M0 ' s editor , M1 , and M2 marry a actor")
    assert apart == tokenize("Did M0's editor, M1, and M2 marry an actor?")
    assert apart == ("Did", "M0", "'s", "editor", ",", "M1", ",and", "M2", "marry", "a", "actor")


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("did m0 direct m1??", "Did M0 direct M1"),
        ("WHICH SWEDISH FILM DID M10 EDIT", "Which Swedish film did M10 edit"),
        (
            "Did M0 marry an \u201cItalian\u201d art-director & M1",
            "Did M0 marry a Italian art director and M1",
        ),
        (", Did M0 edit M1 ,, M2,and M3,", "Did M0 edit M1 , M2 ,and M3"),
        ("Was M0\u2019 s film M1's prequel.", "Was M0 's film M1 's prequel"),
        ("Who's M0's editor", "Who is M0 's editor"),
        ("didn't M0 edit M1", "Did not M0 edit M1"),
        ("?!", ""),
    ],
)
def test_what_people_type_is_spelt_as_in_the_files(text: str, tokens: str) -> None:
    assert tokenize(text) == tuple(tokens.split())


@pytest.mark.data
def test_length_is_counted_as_the_files_do(cfq_train: list[Example], cfq_folder: Path) -> None:
    with (cfq_folder / "cfq/mcd1/train/train_encode.txt").open() as lines:
        for line, row in zip(lines, cfq_train, strict=False):
            assert num_words(line) == row.length == len(line.split())
