"""Coverage: tallies, why rows are out of reach, and forms that print back differently."""

from dataclasses import replace

from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.evaluation.coverage import Reached, Tally, Unreached, altered, coverage
from lear.forest.chart import Budget
from lear.forest.oracle import Oracle
from tests.support.toy_rows import TRAIN

ROW = Example(("x",), "x", "", "here:1")
LOST = Unreached("here:2", "", "x", "x", "no derivation", None, 0.0)


def tally_of(*counts: int, lost: int = 0) -> Tally:
    tally = Tally()
    for count in counts:
        tally.add(Reached(ROW, count))
    for _ in range(lost):
        tally.add(LOST)
    return tally


def test_a_tally_counts_rows_and_their_derivations() -> None:
    tally = tally_of(1, 1, 7, 2, 9, lost=5)
    assert (tally.n, tally.covered, tally.coverage) == (10, 5, 0.5)
    assert (tally.median_derivations, tally.most_derivations) == (2, 9)


def test_an_empty_tally_is_zero() -> None:
    tally = Tally()
    assert (tally.coverage, tally.median_derivations, tally.most_derivations) == (0, 0, 0)


def test_the_total_is_as_if_all_rows_had_been_counted_together() -> None:
    assert Tally.total([tally_of(1, 2), tally_of(5, lost=3)]) == tally_of(1, 2, 5, lost=3)


def test_a_word_without_meaning_is_named() -> None:
    oracle = Oracle.of(TOY, TOY.words.induce([Example(("Tom",), "tom", "", "")], ()))
    row = Example(("Zoe", "sees", "Tom"), "see ( tom , tom )", "", "here:1")
    (outcome,) = coverage(oracle, [row])
    assert isinstance(outcome, Unreached)
    assert (outcome.reason, outcome.nearest) == ("words without a meaning: Zoe sees", None)


def test_the_nearest_form_is_looked_for_only_where_it_is_asked_for(toy_oracle: Oracle) -> None:
    row = Example(("Tom", "teaches", "Mary"), "help ( tom , mary )", "", "here:1")
    (without,) = coverage(toy_oracle, [row])
    (found,) = coverage(toy_oracle, [row], nearest=True)
    assert isinstance(without, Unreached)
    assert isinstance(found, Unreached)
    assert (without.reason, without.nearest, without.nearest_reward) == ("no derivation", None, 0)
    assert found.nearest in ("teach ( tom , mary )", "teach ( mary , tom )")
    assert 0 < found.nearest_reward < 1


def test_a_row_beyond_the_search_limit_is_out_of_reach(toy_oracle: Oracle) -> None:
    oracle = Oracle.of(TOY, toy_oracle.lexicon, Budget(combinations=1))
    row = Example(("Tom", "sees", "Mary"), "see ( tom , mary )", "", "here:1")
    (outcome,) = coverage(oracle, [row])
    assert isinstance(outcome, Unreached)
    assert outcome.reason == (
        "no answer among the first 1 combinations of its phrases: the sentence, of 3 words and "
        "marks, is too long or too ambiguous"
    )


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
