"""Real runs of the toy language: used again, resumed, failed, and not begun."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from lear.reproduce.report import Report, ReportRow
from lear.reproduce.report_files import read_report
from lear.reproduce.reproduce import Outcome, Request, listed, reproduce
from lear.reproduce.scheduler import lock_folder
from tests.support.cli import Capture
from tests.support.toy_table import EPOCHS, TABLE

pytestmark = pytest.mark.slow


def row(report: Report, name: str) -> ReportRow:
    return next(row for row in report.rows if row.name == name)


def request(folder: Path) -> Request:
    return Request([TABLE], folder / "runs", folder / "results", jobs=2)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Request, Outcome]:
    """The toy table, run to its end."""
    asked = request(tmp_path_factory.mktemp("reproduce"))
    return asked, reproduce(asked)


def test_a_row_has_the_scores_of_its_seeds(finished: tuple[Request, Outcome]) -> None:
    _, outcome = finished
    (run,) = row(outcome.reports[0], "small").runs
    cells = row(outcome.reports[0], "small").cells
    assert run.state == "finished"
    assert 50 < cells["strict"].values["1"] <= 100
    assert 50 < cells["short"].values["1"] <= 100
    assert cells["seconds"].mean == pytest.approx(run.training_seconds, abs=0.06)
    assert run.made is not None
    settings = f"--model.hidden 8 --curriculum '[{{epochs = {EPOCHS}}}]'"
    assert run.command == f"lear train toy/deep --recipe best {settings} --seed 1"


def test_a_run_that_fails_is_shown_with_its_reason(finished: tuple[Request, Outcome]) -> None:
    asked, outcome = finished
    report = outcome.reports[0]
    assert {cell.text for cell in row(report, "hopeless").cells.values()} == {"failed"}
    reason = "unknown benchmark 'nowhere'"
    assert any(reason in failure for failure in outcome.failures)
    assert reason in (asked.output / "toy.md").read_text().replace("\n  ", " ")


def test_finished_runs_are_used_again(finished: tuple[Request, Outcome], capsys: Capture) -> None:
    asked, outcome = finished
    again = reproduce(replace(asked, only=["small"]))
    assert "begins" not in capsys.readouterr().err
    assert row(again.reports[0], "small") == row(outcome.reports[0], "small")
    assert again.failures == []  # of the row that was asked for
    runs, _ = listed(asked)
    assert {run.state for run in runs} == {"finished", "failed"}


def test_what_is_kept_beside_the_tables_is_not_run_again(
    finished: tuple[Request, Outcome], tmp_path: Path, capsys: Capture
) -> None:
    asked, outcome = finished
    copied = tmp_path / "results"
    shutil.copytree(asked.output, copied)
    elsewhere = replace(asked, runs=tmp_path / "runs", output=copied, only=["small"])
    again = row(reproduce(elsewhere).reports[0], "small")
    assert "begins" not in capsys.readouterr().err
    before = row(outcome.reports[0], "small")
    assert again.cells == before.cells
    assert [run.made for run in again.runs] == [run.made for run in before.runs]
    assert not list(copied.rglob("*.safetensors"))  # no models
    (result,) = (copied / "runs").rglob("toy--deep.json")
    result.unlink()  # then it is no longer whole
    runs, _ = listed(replace(elsewhere, runs=tmp_path / "others"))
    assert [run.state for run in runs if run.state == "finished"] == []


def test_a_run_interrupted_in_the_middle_goes_on_to_the_same_scores(
    finished: tuple[Request, Outcome], tmp_path: Path
) -> None:
    _, unbroken = finished
    asked = replace(request(tmp_path), only=["small"])

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
    (whole,) = reproduce(asked).reports
    for key in ("strict", "short"):
        expected = row(unbroken.reports[0], "small").cells[key]
        assert row(whole, "small").cells[key] == expected


def test_no_budget_runs_nothing_and_writes_the_table(tmp_path: Path) -> None:
    asked = replace(request(tmp_path), budget_minutes=0.0)
    outcome = reproduce(asked)
    assert row(outcome.reports[0], "small").cells["strict"].text == "not run"
    assert not (tmp_path / "runs").exists()
    assert json.loads((tmp_path / "results/toy.json").read_text())["name"] == "toy"


def test_a_run_at_work_elsewhere_is_left_alone(tmp_path: Path) -> None:
    asked = replace(request(tmp_path), only=["small"])
    (steps,) = asked.plan().runs(["small"])
    assert lock_folder(steps.files.root) is not None
    outcome = reproduce(asked)
    assert row(outcome.reports[0], "small").cells["strict"].text == "not run"
    assert not steps.files.training.exists()
    (failure,) = outcome.failures
    assert failure.endswith("another process is at work there")
