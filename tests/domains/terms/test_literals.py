"""Numbers and times in words."""

import pytest

from lear.domains.terms.literals import (
    MAX_LETTERS,
    REMEMBERED,
    _numbers,
    _times,
    literal_kind,
    readings,
)
from lear.domains.terms.tokenizer import second_sentence, tokenize
from lear.lexicon.lexicon import Lexicon

SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(number: int) -> list[str]:
    """A number below a million, spelt out."""
    if number >= 1000:
        rest = in_words(number % 1000) if number % 1000 else []
        return [*in_words(number // 1000), "thousand", *rest]
    if number >= 100:
        rest = ["and", *in_words(number % 100)] if number % 100 else []
        return [SMALL[number // 100], "hundred", *rest]
    if number >= 20:
        return [TENS[number // 10], *([SMALL[number % 10]] if number % 10 else [])]
    return [SMALL[number]]


def test_every_number_is_read_as_it_is_spelt() -> None:
    for number in [*range(1100), *range(1100, 1_000_000, 7919)]:
        words = in_words(number)
        assert [r.value for r in readings("number", tuple(words))] == [str(number)], words


@pytest.mark.parametrize("text", ["a", "and", "hundred", "five six", "twenty twelve", "two and"])
def test_other_words_are_no_number(text: str) -> None:
    assert readings("number", tuple(text.split())) == ()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("nine pm", ["21:00"]),
        ("9pm", ["21:00"]),
        ("9 p m", ["21:00"]),
        ("half past nine a m", ["09:30"]),
        ("9:30 pm", ["21:30"]),
        ("twelve am", ["00:00"]),
        ("noon", ["12:00"]),
        ("midnight", ["00:00"]),
        ("21:15", ["21:15"]),
        ("quarter to ten pm", ["21:45"]),
        ("nine in the evening", ["21:00"]),
        ("half past nine", ["09:30", "21:30"]),
        ("nine thirty", ["09:30", "21:30"]),
        ("nine o'clock", ["09:00", "21:00"]),
        ("ten to one", ["00:50", "12:50"]),
        ("twenty five", []),
        ("25:00", []),
        ("at nine", []),
    ],
)
def test_times_are_read_as_they_are_said(text: str, values: list[str]) -> None:
    assert [reading.value for reading in readings("time", tuple(text.split()))] == values


def test_every_hour_and_half_of_the_day_is_read() -> None:
    for hour in range(24):
        half = "am" if hour < 12 else "pm"
        for said in (SMALL[(hour - 1) % 12 + 1], str((hour - 1) % 12 + 1)):
            assert [r.value for r in readings("time", (said, half))] == [f"{hour:02}:00"]


@pytest.mark.parametrize(
    ("constant", "kind"),
    [
        ("12", "number"),
        ("-3.5", "number"),
        ("21:00", "time"),
        ("ann", None),
        ("2026-11-18", "date"),
    ],
)
def test_constants_are_known_by_their_shape(constant: str, kind: str | None) -> None:
    assert literal_kind(constant) == kind


def test_dates_in_digits_are_copied_and_commas_of_thousands_left_out() -> None:
    assert tokenize("1,500 since 2026-11-18, please") == (
        "1500",
        "since",
        "2026-11-18",
        ",",
        "please",
    )
    assert [r.value for r in readings("date", ("2026-11-18",))] == ["2026-11-18"]
    assert readings("date", ("2026",)) == ()


def test_another_sentence_begins_with_a_full_stop() -> None:
    assert tokenize("Wake Ann at 9:30! Then call Dr. Lee.") == (
        *("wake", "ann", "at", "9:30", ".", "then", "call", "dr", "lee"),
    )
    assert tokenize("wake ann . then call") == ("wake", "ann", ".", "then", "call")


def test_more_than_one_sentence_is_refused_unless_training_has_such() -> None:
    text = "wake ann. call bob"
    assert second_sentence(text, Lexicon("terms", {}, {"wake": 1})) == "call bob"
    assert second_sentence(text, Lexicon("terms", {}, {"wake": 1, ".": 3})) == ""
    assert second_sentence("note: at 9:30 - call bob", Lexicon("terms", {}, {})) == ""


def test_what_sentences_say_does_not_fill_the_memory() -> None:
    for number in range(2 * REMEMBERED):
        assert readings("number", (str(number),)) == ((str(number), "number"),)
        assert readings("time", (f"x{number}",)) == ()
    for remembered in (_numbers, _times):
        assert remembered.cache_info().currsize <= REMEMBERED


def test_a_number_longer_than_any_is_none() -> None:
    assert readings("number", ("1" * MAX_LETTERS,)) == (("1" * MAX_LETTERS, "number"),)
    assert readings("number", ("1" * (MAX_LETTERS + 1),)) == ()
    longest = ("seventeen",) * 6  # units of a literal have six words at most
    assert sum(map(len, longest)) <= MAX_LETTERS
