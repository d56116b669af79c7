"""Stems are those of Snowball, and begin as their words do."""

from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer import stemmer

from lear.core.stems import stem

WORDS = st.text("abcdeghilnorstuyz", min_size=1, max_size=4)
ENDINGS = st.sampled_from(["", "s", "es", "ed", "ing", "ly", "ies", "y", "er", "est", "ation"])


@given(WORDS, ENDINGS)
def test_stems_are_those_of_the_package(word: str, ending: str) -> None:
    assert stem(word + ending) == stemmer("english").stemWord(word + ending)


@given(WORDS, ENDINGS)
def test_a_stem_begins_as_its_word_does(word: str, ending: str) -> None:
    assert stem(word + ending)[:1] == word[:1]
