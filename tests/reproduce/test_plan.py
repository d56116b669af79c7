"""The plan: every run once, first seeds first, and only those that are asked for."""

from dataclasses import replace
from pathlib import Path

import pytest

from lear.reproduce.experiments import Ours, Table
from lear.reproduce.plan import PlannedRow, make_plan, runs_of, selected
from tests.support.toy_table import SMALL_RUN, TABLE, toy


def planned(*rows: Ours, seeds: list[int] | None = None) -> list[PlannedRow]:
    table = Table("t", "t", "", TABLE.columns, rows)
    return make_plan([table], Path("runs"), None, seeds)


def test_the_first_seed_of_every_row_comes_first() -> None:
    plan = planned(Ours("a", (toy(),)), Ours("b", (toy(model__hidden="32"),)))
    order = [(run.changed, run.seed) for run in runs_of(plan)]
    assert order == [({}, 1), ({"model.hidden": 32}, 1), ({}, 2), ({"model.hidden": 32}, 2)]


def test_rows_that_stand_for_one_run_share_it() -> None:
    plan = planned(Ours("a", (toy(),)), Ours("b", (toy(model__hidden="64"),)))
    assert len(runs_of(plan)) == 2
    assert plan[0].runs[0].folder == plan[1].runs[0].folder


def test_a_run_that_rows_share_is_evaluated_as_the_most_demanding_asks() -> None:
    plain, blaming = toy(), replace(toy(), blames=True)
    for first, second in ((plain, blaming), (blaming, plain)):
        runs = runs_of(planned(Ours("a", (first,)), Ours("b", (second,))))
        assert [run.experiment for run in runs] == [blaming, blaming]


def test_seeds_can_be_chosen() -> None:
    plan = planned(Ours("a", (SMALL_RUN,)), seeds=[2, 5, 9])
    assert [run.seed for run in runs_of(plan)] == [2, 5, 9]


def test_rows_without_runs_say_why_and_the_others_stay() -> None:
    rows = {row.row.name: row for row in make_plan([TABLE], Path("runs"), None)}
    assert rows["changes nothing"].is_recipe_itself
    assert rows["changes nothing"].runs == ()
    assert rows["unknown"].failure == "unknown recipe 'bset'; did you mean 'best'?"
    assert len(rows["small"].runs) == 1


@pytest.mark.parametrize(
    ("patterns", "expected"),
    [
        ([], ["wide", "wider", "narrow"]),
        (["wide"], ["wide"]),  # the whole name of a row
        (["wid"], ["wide", "wider"]),
        (["w*e"], ["wide"]),
        (["narrow", "wider"], ["wider", "narrow"]),
        (["toy/deep"], ["wide", "wider", "narrow"]),
        (["*hidden=32*seed-2*"], ["narrow"]),
        (["none of them"], []),
    ],
)
def test_rows_can_be_selected(patterns: list[str], expected: list[str]) -> None:
    names = {"wide": "64", "wider": "128", "narrow": "32"}
    plan = planned(*(Ours(name, (toy(model__hidden=width),)) for name, width in names.items()))
    rows = selected(plan, patterns)
    assert [row.row.name for row in rows] == expected
    assert len(runs_of(rows)) == 2 * len(expected)
