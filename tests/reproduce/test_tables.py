"""The tables: what is quoted is the paper's, every row of ours can run and changes what it says."""

from pathlib import Path

import pytest

from lear.reproduce.experiments import Measurement, Ours, Quoted, Table, Training
from lear.reproduce.plan import failures_of, make_plan, runs_of
from lear.reproduce.runs import identify, recipe_settings
from lear.reproduce.tables import TABLES

ARCHIVE = Path(__file__).parents[2] / "docs/results/runs"
PAPER = {
    "cogs": ["35 ± 6", "16 ± 8", "32 ± 6", "97.7 ± 0.7", "94.5 ± 2.8", "94.0 ± 3.6", "80.7 ± 4.3"],
    "geo": ["46.0", "49.6", "54.0", "81.2", "82.2", "84.1"],
}
"""All figures of two of the paper's tables."""


def ours(name: str) -> list[Ours]:
    return [row for row in TABLES[name].rows if isinstance(row, Ours)]


DIFFERENCES = [e for row in ours("differences") for e in row.experiments if isinstance(e, Training)]


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


@pytest.mark.parametrize("name", PAPER)
def test_the_figures_of_the_paper_are_quoted(name: str) -> None:
    rows = [row for row in TABLES[name].rows if isinstance(row, Quoted)]
    quoted = [text for row in rows for text in row.values.values()]
    assert set(PAPER[name]) <= set(quoted)
    later = [row.name for row in rows if not set(row.values.values()) & set(PAPER[name])]
    assert all("not in the paper" in other for other in later)


def test_every_row_can_run() -> None:
    plan = make_plan(TABLES.values(), Path("runs"), None)
    assert failures_of(plan) == []
    assert all(planned.runs or planned.is_recipe_itself for planned in plan)


def test_everything_that_a_difference_changes_is_otherwise_in_the_recipe() -> None:
    assert len(DIFFERENCES) == sum(len(row.experiments) for row in ours("differences"))
    runs = [identify(training, 1, Path("runs"), None) for training in DIFFERENCES]
    for run in runs:
        assert run.changed.keys() == run.flags.keys(), run.name
    assert len({run.name for run in runs}) == len(runs)


def test_the_recipe_itself_shares_the_runs_of_the_accuracy_tables() -> None:
    tables = [TABLES[name] for name in ("cogs", "geo", "cfq")]
    known = {run.name for run in runs_of(make_plan(tables, Path("runs"), None))}
    for training in ours("differences")[0].experiments:
        assert identify(training, 1, Path("runs"), None).name in known


def test_explorations_read_settings_that_make_sense() -> None:
    for measurement in (e for row in ours("exploration") for e in row.experiments):
        assert isinstance(measurement, Measurement)
        benchmark, recipe, *rest = measurement.arguments
        changed = dict(word.split("=", 1) for word in rest[: rest.index("--rows")])
        assert (benchmark, recipe) == (measurement.benchmark, measurement.recipe)
        config = recipe_settings(benchmark, recipe, changed)
        assert config.optim.objective == "reinforce"
        assert (config.model.algebra == "strict") == bool(changed)


@pytest.mark.data
def test_results_that_are_kept_are_those_of_runs_that_tables_ask_for(data_folder: Path) -> None:
    plan = make_plan(TABLES.values(), Path("runs"), str(data_folder))
    names = {run.name for run in runs_of(plan)}
    assert {path.name for path in ARCHIVE.iterdir()} <= names
