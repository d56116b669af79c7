"""Laws of plain text: one way to write each mark, sentences cut apart, stems."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from snowballstemmer import stemmer

from lear.lexicon.plain_text import (
    is_shouted,
    lower,
    plain,
    second_sentence,
    sentences,
    without_accents,
    words_and_marks,
)
from lear.lexicon.stems import MAX_LETTERS, _remembered_stem, stem
from tests.support.typed_text import ANY_TEXT, TYPED_TEXT

MARKS = "!\"#%&'()*,-./:;?@[\\]_{}"
"""The punctuation of ASCII."""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Emma\u2019s \u201ccake\u201d", 'Emma\'s "cake"'),
        ("5\u2032 `x\u00b4 Hawai\u02bbi", "5' 'x' Hawai'i"),
        ("a\u2013b \u2014 c\u2212d\u2011e", "a-b - c-d-e"),
        ("\uff21\uff42\uff0c \ufb01lm\u2026", "Ab, film..."),
        ("\ufeffEm\u200dma\u00ad \u202eslept\u202c", "Emma slept"),
        ("a\u200bb\x00c\x1b\ud800d", "a b c d"),
        ("  a \t b\r\n\u00a0c\u2028d ", "a b c d"),
        ("\u00bfwho\u061f\u3002 \u00a1a\u060cb", "who?. a,b"),
        ("M0&M1", "M0 and M1"),
        ("cake\U0001f370+1\ufe0f", "cake \U0001f370 + 1"),
        ("__init__ city_var0 _a", "init city_var0 a"),
        ("Jose\u0301", "Jos\u00e9"),
    ],
)
def test_each_character_is_written_in_one_way(text: str, expected: str) -> None:
    assert plain(text) == expected


@given(ANY_TEXT | TYPED_TEXT)
def test_plain_text_is_plain(text: str) -> None:
    result = plain(text)
    assert plain(result) == result
    assert unicodedata.is_normalized("NFKC", result)
    assert result == " ".join(result.split())
    result.encode()  # no half of a surrogate pair is left
    for character in result:
        assert unicodedata.category(character) not in ("Cc", "Cf", "Cs")
        assert unicodedata.category(character)[0] != "P" or character in MARKS


@given(TYPED_TEXT)
def test_lower_case_and_bare_letters_are_plain_text_too(text: str) -> None:
    for result in (lower(plain(text)), without_accents(plain(text))):
        assert plain(result) == result
    assert lower(lower(plain(text))) == lower(plain(text))


def test_letters_lose_their_accents_only_on_demand() -> None:
    assert plain("San Jos\u00e9") == "San Jos\u00e9"
    assert without_accents("San Jos\u00e9, Ca\u00f1on") == "San Jose, Canon"


def test_a_letter_keeps_few_accents() -> None:
    # Sorting a hundred thousand of them by class, as NFKC does, takes minutes.
    result = plain("a" + "\u0301" * 100_000 + "\u0327" * 100_000 + "b")
    assert len(result) < 8
    assert result[-1] == "b"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("what's who's Where's that's it's", "what is who is Where is that is it is"),
        ("whats hows", "what is how is"),
        ("what 's a state's 'texas's'", "what 's a state 's texas 's"),
        (
            "don't DOESN'T isnt can't cannot won't",
            "do not does not is not can not can not will not",
        ),
        ("I'd you're they've we'll I'm", "I would you are they have we will I am"),
        ("where'd who'd've whats'd", "where did who'd've what is would"),
        ("the states' 5 capitals, the states', x", "the states 's 5 capitals the states x"),
        ("the 'big states' of it", "the big states of it"),
        ("o'brien rock-'n'-roll x-ray -- ' -", "o'brien rock-'n'-roll x-ray"),
        ("its wants ids wed hell ant", "its wants ids wed hell ant"),
    ],
)
def test_contractions_are_spelt_out(text: str, expected: str) -> None:
    assert words_and_marks(text) == expected.split()


def test_only_the_marks_asked_for_are_kept() -> None:
    text = "(a), b: 3.5 c... d?"
    assert words_and_marks(text) == ["a", "b", "3.5", "c", "d"]
    assert words_and_marks(text, ",") == ["a", ",", "b", "3.5", "c", "d"]
    assert words_and_marks(text, ".?") == ["a", "b", "3.5", "c", ".", ".", ".", "d", "?"]


def test_capitals_say_nothing_where_there_is_nothing_else() -> None:
    assert is_shouted("THE GIRL, 5")
    assert not any(map(is_shouted, ("THE girl", "A", "A 5", "", "12", "the")))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("What is in Texas? What is in Ohio?", "What is in Ohio?"),
        ("Emma slept. The girl ate. Liam ran.", "The girl ate. Liam ran."),
        ("Emma slept.The girl ate", "The girl ate"),
        ("emma slept . the girl ate .", "the girl ate ."),
        ("Emma slept! (The girl ate.)", "The girl ate.)"),
        ("Emma slept... the girl ate", "the girl ate"),
        ("Emma slept\u3002The girl ate", "The girl ate"),
        ("texas; ohio", "ohio"),
        ("texas: ohio", "ohio"),
        ("capital - texas", "texas"),
        ("texas- ohio", "ohio"),
        ("texas -- ohio", "ohio"),
        ("texas\u2014ohio", "ohio"),
        ("texas \u2013 ohio", "ohio"),
        ("rivers in the U.S. What is in Ohio?", "What is in Ohio?"),
        ("Emma said no. Liam ran.", "Liam ran."),
        ("it is 5. Liam ran", "Liam ran"),
    ],
)
def test_what_follows_the_first_sentence_is_found(text: str, rest: str) -> None:
    assert second_sentence(text) == rest


@pytest.mark.parametrize(
    "text",
    [
        "", "...", "?", "Emma slept.", "Emma slept .", "Emma slept?!?", '"Emma slept."',
        "- what is in Texas", "what is in Texas -", "(what is in Texas?)",
        "What is the capital of St. Louis?", "rivers of Mt.McKinley", "Washington, D.C.",
        "Washington, D.C., and Ohio", "rivers of the U.S.", "U.S. rivers", "the u.s.'s rivers",
        "cities of 1.5 or 150,000 people", "is .5 more", "no. of states", "No. 5", "at 9:30",
        "winston-salem", "what's new", "the states' rivers", "e.g. texas", "IN THE U.S. WHAT IS",
    ],
)  # fmt: skip
def test_one_sentence_is_one(text: str) -> None:
    assert second_sentence(text) == ""


@given(ANY_TEXT | TYPED_TEXT)
def test_any_text_is_cut_into_parts_of_it(text: str) -> None:
    rest = second_sentence(text)
    assert not rest or any(letter.isalnum() or letter == "_" for letter in rest)
    assert second_sentence(f"{rest}; x") or not rest
    assert len(sentences(text)) >= 1


def test_marks_that_part_nothing_can_be_chosen() -> None:
    assert second_sentence("texas: ohio", ".?!;") == ""
    assert sentences("texas: ohio - 9:30; austin? yes") == ["texas: ohio - 9:30", "austin", "yes"]


@pytest.mark.parametrize("piece", ["a.", "a. ", "st. ", "?", "- ", ". ", "\u2014", "."])
def test_long_text_is_no_trouble(piece: str) -> None:
    second_sentence(piece * 20_000)
    sentences(piece * 20_000)


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
