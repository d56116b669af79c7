"""Sentences as people type them, and as COGS writes them."""

import pytest

from lear.domains.cogs.domain import COGS, TOTAL_COGS
from lear.domains.cogs.words import tokenize


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Emma slept.", "Emma slept ."),
        ("Emma slept", "Emma slept ."),
        ("Emma slept !?", "Emma slept ."),
        ("the girl saw a tv", "The girl saw a TV ."),
        ("THE GIRL SAW A TV!", "The girl saw a TV ."),
        ("an envelope froze", "A envelope froze ."),
        ("Emma saw The girl", "Emma saw the girl ."),
        ('"The girl" (slept)\u2026', "The girl slept ."),
        ("Emma\u2019s x-ray froze", "Emma 's x-ray froze ."),
        ("Emma slept... Liam ran", "Emma slept . Liam ran ."),
        ("touch", "touch"),
        ("Emma.", "Emma"),
        (" ... ", ""),
    ],
)
def test_text_is_spelt_as_in_the_files(text: str, tokens: str) -> None:
    assert tokenize(text) == tuple(tokens.split())


def test_names_in_the_wrong_case_are_left_to_the_lexicon() -> None:
    assert tokenize("EMMA SLEPT") == tokenize("emma slept") == ("emma", "slept", ".")
    assert tokenize("EMMA slept") == ("EMMA", "slept", ".")


@pytest.mark.parametrize("text", ["Who slept?", "who slept", "Who slept.", "WHAT BROKE?!"])
def test_a_question_does_not_look_like_a_statement(text: str) -> None:
    assert tokenize(text)[-1] == "?"


def test_both_algebras_read_text_alike() -> None:
    assert COGS.words.tokenize is tokenize
    assert TOTAL_COGS.words.tokenize is tokenize
