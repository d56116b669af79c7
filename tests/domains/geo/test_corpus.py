"""The rows of GEO: the 600, those held out of them, and a rough sort of questions."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import HELD_OUT, QUERY, STANDARD, gazetteer, kind_of_question
from lear.storage.datasets import DataFolder


@pytest.mark.data
def test_the_rows_held_out_are_rows_of_the_600(
    load_geo: Callable[[Benchmark, str], list[Example]],
) -> None:
    train, dev = (load_geo(HELD_OUT, part) for part in ("train", "dev"))
    whole, test = (load_geo(STANDARD, part) for part in ("train", "test"))
    assert (len(train), len(dev), len(whole), len(test)) == (500, 100, 600, 280)
    assert {row.source for row in train} | {row.source for row in dev} == {r.source for r in whole}
    assert {row.source for row in whole}.isdisjoint(row.source for row in test)


@pytest.mark.data
def test_names_are_the_same_with_and_without_the_file(geo_data: Path, tmp_path: Path) -> None:
    with_file, without = (DataFolder(root, "--data").find for root in (geo_data, tmp_path))
    names = gazetteer(STANDARD, with_file)
    assert names == gazetteer(STANDARD, without)
    assert len(names) > 600


def test_anonymised_questions_have_no_list_of_names(tmp_path: Path) -> None:
    assert gazetteer(QUERY, DataFolder(tmp_path, "--data").find) == ()


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
