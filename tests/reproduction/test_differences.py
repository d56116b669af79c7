"""The tables of differences and of exploration: every row changes what it says, and can run."""

from dataclasses import replace
from pathlib import Path

import pytest

from lear.learning import config as recipes
from lear.reproduce.exploration import settings
from lear.reproduce.runs import identify
from lear.reproduce.scheduler import make_plan
from lear.reproduce.table import Measurement, Ours, Training
from lear.reproduce.tables import TABLES

DIFFERENCES, EXPLORATION = TABLES["differences"], TABLES["exploration"]
ROWS = [row for row in DIFFERENCES.rows if isinstance(row, Ours)]
TRAININGS = [(row.name, e) for row in ROWS for e in row.experiments if isinstance(e, Training)]
MEASUREMENTS = [
    e
    for row in EXPLORATION.rows
    if isinstance(row, Ours)
    for e in row.experiments
    if isinstance(e, Measurement)
]


def test_every_row_is_of_trainings_and_can_run() -> None:
    assert len(TRAININGS) == sum(len(row.experiments) for row in ROWS)
    plan = make_plan([DIFFERENCES, EXPLORATION], Path("runs"), None)
    assert plan.failures() == []
    assert all(planned.runs for planned in plan.rows)


@pytest.mark.parametrize(("name", "training"), TRAININGS)
def test_everything_that_a_row_changes_is_otherwise_in_the_recipe(
    name: str, training: Training
) -> None:
    del name
    changed = identify(training, 1, None).changed
    assert changed.keys() == (training.overrides or {}).keys()


def test_no_two_rows_are_one_run() -> None:
    names = [identify(training, 1, None).name for _, training in TRAININGS]
    assert len(set(names)) == len(names)


def test_the_recipe_itself_shares_the_runs_of_the_accuracy_tables() -> None:
    tables = [TABLES[name] for name in ("cogs", "geo", "cfq")]
    known = {steps.run.name for steps in make_plan(tables, Path("runs"), None).runs()}
    for training in ROWS[0].experiments:
        assert identify(training, 1, None).name in known


def test_explorations_read_settings_that_make_sense() -> None:
    for measurement in MEASUREMENTS:
        benchmark, recipe, *rest = measurement.arguments
        changed = dict(word.split("=", 1) for word in rest[: rest.index("--rows")])
        assert (benchmark, recipe) == (measurement.benchmark, measurement.recipe)
        config = settings(benchmark, recipe, changed, 1)
        assert config.optim.objective == "reinforce"
        assert (config.model.algebra == "strict") == bool(changed)


def test_a_measurement_of_a_changed_recipe_is_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measurement = MEASUREMENTS[0]
    before = identify(measurement, 1, None)
    plain = identify(replace(measurement, recipe=""), 1, None)
    text = recipes.find_recipe("cogs", "paper").read_text()
    copy = tmp_path / "paper.toml"
    monkeypatch.setattr(recipes, "find_recipe", lambda *_: copy)
    copy.write_text(f"# A comment changes nothing.\n{text}")
    assert identify(measurement, 1, None) == before
    copy.write_text(text.replace("samples = 10", "samples = 9"))
    assert identify(measurement, 1, None).digest != before.digest
    assert identify(replace(measurement, recipe=""), 1, None) == plain
