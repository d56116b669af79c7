"""The rows of GEO: the 600, those held out of them, and a rough sort of questions."""

from collections.abc import Callable

import pytest

from lear.domain.example import Benchmark, Example
from lear.domains.geo.corpus import HELD_OUT, STANDARD, kind_of_question


@pytest.mark.data
def test_the_rows_held_out_are_rows_of_the_600(
    load_geo: Callable[[Benchmark, str], list[Example]],
) -> None:
    train, dev = (load_geo(HELD_OUT, part) for part in ("train", "dev"))
    whole, test = (load_geo(STANDARD, part) for part in ("train", "test"))
    assert (len(train), len(dev), len(whole), len(test)) == (500, 100, 600, 280)
    assert {row.source for row in train} | {row.source for row in dev} == {r.source for r in whole}
    assert {row.source for row in whole}.isdisjoint(row.source for row in test)


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("answer(exclude(state(all), stateid('texas')))", "set operation"),
        ("answer(most(state(loc_1(river(all)))))", "most or fewest"),
        ("answer(largest_one(population_1(state(all))))", "superlative"),
        ("answer(count(river(all)))", "count or sum"),
        ("answer(capital(loc_2(stateid('texas'))))", "plain"),
    ],
)
def test_questions_are_sorted_by_what_is_hard_about_them(program: str, kind: str) -> None:
    assert kind_of_question(program) == kind
