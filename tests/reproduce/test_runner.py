"""Real runs of the toy language: used again, resumed, failed, and not begun."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lear.reproduce.experiments import Baseline, Ours, Table
from lear.reproduce.plan import runs_of
from lear.reproduce.report import Report, ReportRow, read_report
from lear.reproduce.runner import Request, reproduce
from lear.storage.files import locked_folder
from tests.support.cli import Capture
from tests.support.toy_table import EPOCHS, TABLE

pytestmark = pytest.mark.slow


def row(report: Report, name: str) -> ReportRow:
    return next(row for row in report.rows if row.name == name)


def request(folder: Path, *only: str) -> Request:
    return Request([TABLE], folder / "runs", folder / "results", only=only, jobs=2)


Finished = tuple[Request, Report, list[str]]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """The toy table, run to its end, and what failed."""
    asked = request(tmp_path_factory.mktemp("reproduce"))
    (report,), failures = reproduce(asked)
    return asked, report, failures


def test_a_row_has_the_scores_of_its_seeds(finished: Finished) -> None:
    small = row(finished[1], "small")
    (run,) = small.runs
    assert run.state == "finished"
    assert 50 < small.cells["strict"].values["1"] <= 100
    assert 50 < small.cells["short"].values["1"] <= 100
    assert small.cells["seconds"].mean == pytest.approx(run.training_seconds, abs=0.06)
    assert run.made is not None
    settings = f"--model.hidden 8 --curriculum '[{{epochs = {EPOCHS}}}]'"
    assert run.command == f"lear train toy/deep --recipe best {settings} --seed 1"


def test_a_run_that_fails_is_shown_with_its_reason(finished: Finished) -> None:
    asked, report, failures = finished
    assert {cell.text for cell in row(report, "hopeless").cells.values()} == {"failed"}
    reason = "unknown benchmark 'nowhere'"
    assert any(reason in failure for failure in failures)
    assert reason in (asked.output / "toy.md").read_text().replace("\n  ", " ")


def test_finished_runs_are_used_again(finished: Finished, capsys: Capture) -> None:
    asked, report, _ = finished
    (again,), failures = reproduce(replace(asked, only=["small"]))
    assert "begins" not in capsys.readouterr().err
    assert row(again, "small") == row(report, "small")
    assert failures == []  # of the row that was asked for
    assert {run.state() for run in runs_of(asked.plan())} == {"finished", "failed"}


def test_what_is_kept_beside_the_tables_is_not_run_again(
    finished: Finished, tmp_path: Path, capsys: Capture
) -> None:
    asked, report, _ = finished
    copied = tmp_path / "results"
    shutil.copytree(asked.output, copied)
    elsewhere = replace(request(tmp_path, "small"), output=copied)
    (again,), _ = reproduce(elsewhere)
    assert "begins" not in capsys.readouterr().err
    before, after = row(report, "small"), row(again, "small")
    assert after.cells == before.cells
    assert [run.made for run in after.runs] == [run.made for run in before.runs]
    assert not list(copied.rglob("*.safetensors"))  # no models
    (result,) = (copied / "runs").rglob("toy--deep.json")
    result.unlink()  # then it is no longer whole
    plan = replace(elsewhere, runs=tmp_path / "others").plan()
    assert "finished" not in {run.state() for run in runs_of(plan)}


def test_a_run_interrupted_in_the_middle_goes_on_to_the_same_scores(
    finished: Finished, tmp_path: Path
) -> None:
    asked = request(tmp_path, "small")

    def lines() -> int:
        return sum(len(p.read_text().splitlines()) for p in tmp_path.rglob("metrics.jsonl"))

    def interrupt() -> bool:
        if lines():
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        reproduce(asked, interrupt)
    assert 0 < lines() < EPOCHS
    stopped = read_report(asked.output / "toy.json")
    assert row(stopped, "small").runs[0].state == "cut off"
    assert row(stopped, "small").cells["strict"].text == "not run"
    (whole,), _ = reproduce(asked)
    for key in ("strict", "short"):
        assert row(whole, "small").cells[key] == row(finished[1], "small").cells[key]


def test_a_baseline_keeps_its_scores_and_the_time_of_its_training(tmp_path: Path) -> None:
    lstm = Baseline("toy/deep", "lstm", ("toy/deep",), overrides={"steps": "2", "hidden": "8"})
    table = Table("toy", "Toy", "", TABLE.columns, (Ours("lstm", (replace(lstm, seeds=1),)),))
    (report,), failures = reproduce(replace(request(tmp_path), tables=[table]))
    assert failures == []
    (run,) = row(report, "lstm").runs
    assert run.state == "finished"
    (result,) = tmp_path.glob("runs/*/training/result.json")
    assert run.training_seconds == round(json.loads(result.read_text())["seconds"], 1)
    assert run.other_seconds > 0  # to load torch, to evaluate
    assert 0 <= row(report, "lstm").cells["strict"].values["1"] <= 100


def test_no_budget_runs_nothing_and_writes_the_table(tmp_path: Path) -> None:
    (report,), _ = reproduce(replace(request(tmp_path), budget_minutes=0.0))
    assert row(report, "small").cells["strict"].text == "not run"
    assert not (tmp_path / "runs").exists()
    assert json.loads((tmp_path / "results/toy.json").read_text())["name"] == "toy"


def test_a_run_at_work_elsewhere_is_left_alone(tmp_path: Path) -> None:
    asked = request(tmp_path, "small")
    run = next(run for run in runs_of(asked.plan()) if run.title.startswith("toy-deep+best"))
    with locked_folder(run.folder):
        (report,), (failure,) = reproduce(asked)
    assert row(report, "small").cells["strict"].text == "not run"
    assert not run.training.exists()
    assert failure.endswith("another process is at work there")
