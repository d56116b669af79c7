"""What domains are made of: where function words may stand, rewards, and answers as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import (
    CONVERSIONS,
    Shape,
    Target,
    answer_text,
    jaccard,
    logic_reward,
    number_text,
    primitive_reward,
    reward,
    trailing_begin,
)
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from tests.support.toy_rows import TEST

shapes = st.builds(Shape, st.integers(0, 3), st.integers(0, 3), st.booleans())
few = st.integers(0, 4)


@given(shapes, few, few, st.booleans())
def test_the_gaps_are_exactly_those_that_are_allowed(
    shape: Shape, before: int, after: int, is_trailing: bool
) -> None:
    found = shape.unary_gaps(before, after, is_trailing=is_trailing)
    assert len(found) == len(set(found))
    assert set(found) == {
        (left, right)
        for left in range(before + 1)
        for right in range(after + 1)
        if shape.allows_unary(left, right, is_trailing=is_trailing)
    }


@given(shapes, few, few)
def test_a_unary_node_owns_a_word_and_what_follows_its_argument_may_be_limited(
    shape: Shape, before: int, after: int
) -> None:
    anywhere = shape.allows_unary(before, after, is_trailing=False)
    at_the_end = shape.allows_unary(before, after, is_trailing=True)
    assert at_the_end == (1 <= before + after <= shape.beside)
    assert anywhere == (at_the_end and (shape.after or after == 0))


@given(st.lists(st.booleans()))
def test_nothing_but_function_words_trails(is_function_word: list[bool]) -> None:
    begin = trailing_begin(is_function_word)
    for place in range(len(is_function_word) + 1):
        assert (place >= begin) == all(is_function_word[place:])


sets = st.frozensets(st.integers(0, 6))


@given(sets, sets)
def test_jaccard_is_symmetric_bounded_and_one_exactly_on_equal_sets(
    a: frozenset[int], b: frozenset[int]
) -> None:
    assert jaccard(a, b) == jaccard(b, a)
    assert 0 <= jaccard(a, b) <= 1
    assert (jaccard(a, b) == 1) == (a == b)


def cogs(form: str, sentence: str, table: MeaningTable) -> Meaning:
    return COGS.language.read(form, sentence.split(), table)


def test_cogs_rewards_count_clauses_and_lemmas() -> None:
    # Emma ate a cake .   against   Emma ate the cake .
    table = MeaningTable(COGS.language.algebra)
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 )"
    gold = cogs(f"{roles} AND cake ( x _ 3 )", "Emma ate a cake .", table)
    target = Target.of(COGS.metrics, gold)
    predicted = cogs(f"* cake ( x _ 3 ) ; {roles}", "Emma ate the cake .", table)
    assert logic_reward(COGS.metrics, predicted, target) == 2 / 4
    assert primitive_reward(COGS.metrics, predicted, target) == 1
    assert reward(COGS.metrics, predicted, target, alpha=0.5) == 0.75
    assert reward(COGS.metrics, predicted, target, alpha=1.0) == 0.5


@given(st.sampled_from(TEST), st.sampled_from(TEST))
def test_the_reward_is_one_exactly_for_the_gold_meaning(one: Example, other: Example) -> None:
    table = MeaningTable(TOY.language.algebra)
    a, b = TOY.language.read_gold(one, table), TOY.language.read_gold(other, table)
    target = Target.of(TOY.metrics, b)
    assert (logic_reward(TOY.metrics, a, target) == 1) == (a is b)
    assert reward(TOY.metrics, a, target, alpha=0.9) == pytest.approx(
        0.9 * logic_reward(TOY.metrics, a, target) + 0.1 * primitive_reward(TOY.metrics, a, target)
    )


def test_rewards_tell_lone_words_apart() -> None:
    table = MeaningTable(COGS.language.algebra)
    verb = "LAMBDA a . LAMBDA e . {0} . agent ( e , a )"
    forms = ["LAMBDA a . dog ( a )", "LAMBDA a . cat ( a )", verb.format("walk"), "dog"]
    meanings = [COGS.language.read(form, ["dog"], table) for form in forms]
    for a in meanings:
        for b in meanings:
            assert (logic_reward(COGS.metrics, a, Target.of(COGS.metrics, b)) == 1) == (a is b)
    assert primitive_reward(COGS.metrics, meanings[0], Target.of(COGS.metrics, meanings[1])) == 0


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
