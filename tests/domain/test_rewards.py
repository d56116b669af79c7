"""Rewards of section 4.1."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Target, jaccard, logic_reward, primitive_reward, reward
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from tests.support.toy_rows import TEST

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
