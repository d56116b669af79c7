"""Answers as people read them."""

import pytest

from lear.domain import CONVERSIONS, answer_text, number_text


@pytest.mark.parametrize(
    ("answer", "unit", "text"),
    [
        ([266807], "square miles", "266,807 square miles (691,027 square km)"),
        ([82362], "square km", "82,362 square km (31,800 square miles)"),
        ([3778], "km", "3,778 km (2,348 miles)"),
        ([6194], "metres", "6,194 metres (20,322 feet)"),
        ([-1], "metres", "-1 metres (-3.28 feet)"),
        ([0], "metres", "0 metres (0 feet)"),
        ([50.0], "people per square mile", "50 people per square mile (19.3 people per square km)"),
        ([638333], "people", "638,333 people"),
        ([12], "hours", "12 hours"),
        ([11], None, "11"),
        ([1200, 34000], None, "1,200; 34,000"),
        ([5, 7.5], "people", "5 people; 7.50 people"),
        ([3, "puddle"], None, "3; puddle"),
        (["austin"], None, "austin"),
        (["arkansas", "new mexico"], None, "arkansas, new mexico"),
        (["austin"], "people", "austin"),
        ([], "people", "none"),
        (True, None, "yes"),
        (False, None, "no"),
        (1234, None, "1,234"),
        ("text", None, "text"),
        (None, None, "null"),
        ({"a": [1]}, None, '{"a":[1]}'),
    ],
)
def test_answers_are_shown_for_people(answer: object, unit: str | None, text: str) -> None:
    assert answer_text(answer, unit) == text


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.678, "0.678"), (9.9, "9.90"), (31.332, "31.3"), (580.27, "580"), (1006.6, "1,007")],
)
def test_other_numbers_than_whole_ones_are_rounded(number: float, text: str) -> None:
    assert number_text(number) == text


def test_there_and_back_is_the_same() -> None:
    for unit, (other, factor) in CONVERSIONS.items():
        back, inverse = CONVERSIONS[other]
        assert back == unit
        assert factor * inverse == pytest.approx(1)
