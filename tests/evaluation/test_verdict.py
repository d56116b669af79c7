"""When an answer is right: letter for letter, strictly, in the published sense, and when run."""

import pytest

from lear.algebra.algebra import MeaningTable
from lear.benchmark import Example
from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from lear.errors import FormError
from lear.evaluation.scores import RIGHT, WRONG, judge, same_answer


def test_matches_are_strict_and_lenient() -> None:
    table = MeaningTable(COGS.language.algebra)
    tokens = ("Emma", "ate", "the", "cake", ".")
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 )"
    form = f"* cake ( x _ 3 ) ; {roles}"
    row = Example(tokens, form, "", "here")
    gold = COGS.language.read(form, tokens, table)
    indefinite = COGS.language.read(f"{roles} AND cake ( x _ 3 )", tokens, table)
    other = COGS.language.read("eat . agent ( x _ 1 , Emma )", tokens, table)
    predictions = (gold, indefinite, other)
    verdicts = [judge(COGS, row, COGS.language.render(p), p)[:3] for p in predictions]
    assert verdicts == [(True, True, True), (False, False, True), (False, False, False)]
    assert judge(COGS, row, None, None) == WRONG


def test_the_same_meaning_in_other_letters_is_exact_but_not_the_text() -> None:
    # Gold is spaced otherwise than the printer writes it.
    row = Example(("Tom", "sees", "Mary"), "see  ( tom , mary )", "", "here")
    meaning = TOY.language.read("see ( tom , mary )", (), MeaningTable(TOY.language.algebra))
    verdict = judge(TOY, row, "see ( tom , mary )", meaning)
    assert (verdict.text, verdict.exact, verdict.lenient) == (False, True, True)
    assert judge(TOY, row, row.form, meaning) == RIGHT


def answer(form: str) -> object:
    if form == "broken":
        raise FormError("broken")
    return len(form)


@pytest.mark.parametrize(
    ("gold", "form", "expected"),
    [
        ("abc", "xyz", True),
        ("abc", "xy", False),
        ("abc", "broken", False),
        ("abc", None, False),
        ("broken", "abc", None),
        ("broken", "broken", None),
    ],
)
def test_answers_are_compared_where_gold_can_be_run(
    gold: str, form: str | None, expected: bool | None
) -> None:
    assert same_answer(answer, gold, form) is expected
