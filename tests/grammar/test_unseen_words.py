"""Words with one stem are found, others are not."""

import pytest

from lear.grammar.unseen_words import same_stem

KNOWN = ("density", "traverses", "border", "large", "state")


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("dense", "density"),
        ("traversed", "traverses"),
        ("bordered", "border"),
        ("larger", "large"),
        ("bore", None),  # three letters are no stem
        ("statistically", None),  # five of thirteen are too few
        ("zebra", None),
        ("", None),
    ],
)
def test_words_with_one_stem_are_found(word: str, found: str | None) -> None:
    assert same_stem(word, KNOWN) == found
    assert same_stem(word, ()) is None
