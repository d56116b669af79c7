"""Forms that print back differently are found, with whether they still mean the same."""

from dataclasses import replace

from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.evaluation.coverage import altered
from tests.support.toy_rows import TRAIN


def test_what_prints_back_as_it_was_is_not_altered() -> None:
    assert list(altered(TOY, TRAIN)) == []


def test_other_letters_may_mean_the_same() -> None:
    row = Example(("Tom", "sees", "Mary"), "see  (  tom , mary )", "", "here:1")
    (found,) = altered(TOY, [row])
    assert found == (row, "see ( tom , mary )", True)


def test_a_printer_that_changes_the_meaning_is_found_out() -> None:
    language = replace(TOY.language, render=lambda _: "see ( mary , tom )")
    row = Example(("Tom", "sees", "Mary"), "see ( tom , mary )", "", "here:1")
    (found,) = altered(replace(TOY, language=language), [row])
    assert found == (row, "see ( mary , tom )", False)
