"""A second sentence is found by the marks before it; abbreviations and numbers hold none."""

import pytest
from hypothesis import given

from lear.lexicon.plain_text import second_sentence, sentences
from tests.support.typed_text import ANY_TEXT, TYPED_TEXT


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
