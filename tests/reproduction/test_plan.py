"""The plan: every run once, first seeds first; the paper's tables are all there."""

from dataclasses import replace
from pathlib import Path

import pytest

from lear.reproduce.scheduler import Plan, make_plan
from lear.reproduce.table import Ours, Quoted, Table
from lear.reproduce.tables import ABLATIONS, TABLES
from tests.support.toy_table import SMALL_RUN, TABLE, toy

PAPER = {
    "cogs": ["35 ± 6", "16 ± 8", "32 ± 6", "97.7 ± 0.7", "94.5 ± 2.8", "94.0 ± 3.6", "80.7 ± 4.3"],
    "geo": ["46.0", "49.6", "54.0", "81.2", "82.2", "84.1"],
}
"""All figures of two of the paper's tables."""


def planned(*rows: Ours, seeds: list[int] | None = None) -> Plan:
    table = Table("t", "t", "", TABLE.columns, rows)
    return make_plan([table], Path("runs"), None, seeds)


def test_the_first_seed_of_every_row_comes_first() -> None:
    plan = planned(Ours("a", (toy(),)), Ours("b", (toy(model__hidden="32"),)))
    order = [(run.run.changed, run.run.seed) for run in plan.runs()]
    assert order == [({}, 1), ({"model.hidden": 32}, 1), ({}, 2), ({"model.hidden": 32}, 2)]


def test_rows_that_stand_for_one_run_share_it() -> None:
    plan = planned(Ours("a", (toy(),)), Ours("b", (toy(model__hidden="64"),)))
    assert len(plan.runs()) == 2
    assert plan.row("t", "a").runs[0].files == plan.row("t", "b").runs[0].files


def test_a_run_that_rows_share_is_evaluated_as_the_most_demanding_asks() -> None:
    plain, blaming = toy(), replace(toy(), blames=True)
    for first, second in ((plain, blaming), (blaming, plain)):
        runs = planned(Ours("a", (first,)), Ours("b", (second,))).runs()
        assert [steps.run.experiment for steps in runs] == [blaming, blaming]


def test_seeds_can_be_chosen() -> None:
    plan = planned(Ours("a", (SMALL_RUN,)), seeds=[2, 5, 9])
    assert [steps.run.seed for steps in plan.runs()] == [2, 5, 9]


def test_an_ablation_that_changes_nothing_runs_nothing() -> None:
    row = make_plan([TABLE], Path("runs"), None).row("toy", "changes nothing")
    assert row.is_recipe_itself
    assert row.runs == []


def test_a_row_that_cannot_run_says_why_and_the_others_stay() -> None:
    plan = make_plan([TABLE], Path("runs"), None)
    assert plan.row("toy", "unknown").failure == "unknown recipe 'bset'; did you mean 'best'?"
    assert len(plan.row("toy", "small").runs) == 1


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
    assert [row.row.name for row in plan.selected(patterns)] == expected
    assert len(plan.runs(patterns)) == 2 * len(expected)


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_every_table_is_sound(table: Table) -> None:
    keys = [column.key for column in table.columns]
    names = [row.name for row in table.rows]
    assert len(set(keys)) == len(keys)
    assert len(set(names)) == len(names)
    for row in table.rows:
        if isinstance(row, Quoted):
            assert row.values.keys() <= set(keys)
            assert row.source
        else:
            assert row.experiments
            assert row.compared_with in ("", *names)


@pytest.mark.parametrize("name", ["cogs", "cfq", "geo"])
def test_accuracy_tables_have_ours_beside_the_papers(name: str) -> None:
    rows = [row for row in TABLES[name].rows if isinstance(row, Ours)]
    by_kind = {kind: [r.name for r in rows if r.kind == kind] for kind in ("ablation", "baseline")}
    assert len(by_kind["ablation"]) == len(ABLATIONS) == 5
    assert len(by_kind["baseline"]) == 2
    recipes = {e.recipe for row in rows for e in row.experiments if hasattr(e, "recipe")}
    assert recipes >= {"paper", "best"}


@pytest.mark.parametrize("name", PAPER)
def test_the_figures_of_the_paper_are_quoted(name: str) -> None:
    rows = [row for row in TABLES[name].rows if isinstance(row, Quoted)]
    quoted = [text for row in rows for text in row.values.values()]
    assert set(PAPER[name]) <= set(quoted)
    later = [row.name for row in rows if not set(row.values.values()) & set(PAPER[name])]
    assert all("not in the paper" in other for other in later)
