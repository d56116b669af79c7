"""Sentences of the toy language as people type them."""

import pytest

from lear.domains.toy import TOY


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("The girl sees Tom\u2019s sister.", "the girl sees Tom 's sister"),
        ("Tom teaches John's best-friend's son!", "Tom teaches John 's best friend 's son"),
        ("THE GIRL SEES THE BOY", "the girl sees the boy"),
        ("", ""),
    ],
)
def test_text_is_spelt_as_in_the_rows(text: str, tokens: str) -> None:
    assert TOY.words.tokenize(text) == tuple(tokens.split())
