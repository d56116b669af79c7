"""Stems are those of Snowball, and begin as their words do."""

from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer import stemmer

from lear.lexicon.stems import MAX_LETTERS, _remembered_stem, stem

WORDS = st.text("abcdeghilnorstuyz", min_size=1, max_size=4)
ENDINGS = st.sampled_from(["", "s", "es", "ed", "ing", "ly", "ies", "y", "er", "est", "ation"])


@given(WORDS, ENDINGS)
def test_stems_are_those_of_the_package(word: str, ending: str) -> None:
    assert stem(word + ending) == stemmer("english").stemWord(word + ending)


@given(WORDS, ENDINGS)
def test_a_stem_begins_as_its_word_does(word: str, ending: str) -> None:
    assert stem(word + ending)[:1] == word[:1]


def test_what_is_no_word_has_no_stem_and_is_not_remembered() -> None:
    before = _remembered_stem.cache_info().currsize
    longest = "running" * 7 + "s"
    assert len(longest) == MAX_LETTERS
    assert stem(longest) != longest
    for number in range(100):
        word = f"{longest}{number}s"
        assert stem(word) == word
    assert _remembered_stem.cache_info().currsize <= before + 1
