"""Reports: every row is there, whatever ran; files read back."""

import csv
import io
from pathlib import Path

import msgspec
import pytest

from lear.reproduce import report_files as plots
from lear.reproduce.report import (
    Cell,
    Report,
    ReportRow,
    half_width,
    make_report,
    mean,
    quoted_cell,
)
from lear.reproduce.report_files import main_table, read_report, to_csv, to_markdown, write_report
from lear.reproduce.scheduler import make_plan
from lear.reproduce.table import Plot, Table
from lear.reproduce.tables import TABLES
from tests.support.cli import Capture
from tests.support.toy_table import TABLE

WIDEST = 160


def nothing_run(table: Table, folder: Path) -> Report:
    plan = make_plan([table], folder / "runs", str(folder))
    return make_report(table, plan, str(folder))


def with_scores(report: Report, name: str, scores: list[float]) -> Report:
    """The report as if the row had these scores in its first column."""
    values = {str(seed): score for seed, score in enumerate(scores, start=1)}
    cell = Cell("as run", mean(scores), half_width(scores), values)
    rows = [
        msgspec.structs.replace(row, cells={**row.cells, report.columns[0].key: cell})
        if row.name == name
        else row
        for row in report.rows
    ]
    return msgspec.structs.replace(report, rows=rows)


@pytest.mark.parametrize("table", [*TABLES.values(), TABLE], ids=lambda table: table.name)
def test_every_row_is_listed_though_nothing_ran(table: Table, tmp_path: Path) -> None:
    report = nothing_run(table, tmp_path)
    assert [row.name for row in report.rows] == [row.name for row in table.rows]
    lines = main_table(report).splitlines()[2:]
    for row, line in zip(report.rows, lines, strict=True):
        assert row.name in line
        if row.kind != "quoted":
            assert any(word in line for word in ("not run", "the recipe itself", "failed"))
    assert all(len(line) <= WIDEST for line in to_markdown(report).splitlines())


def row_named(report: Report, name: str) -> ReportRow:
    return next(row for row in report.rows if row.name == name)


def test_what_stands_for_a_figure_says_why_it_is_not_there(tmp_path: Path) -> None:
    report = nothing_run(TABLE, tmp_path)
    shown = {row.name: [cell.text for cell in row.cells.values()] for row in report.rows}
    assert shown == {
        "another system": ["50.0 ± 1.5"],
        "small": ["not run"] * 3,
        "changes nothing": ["the recipe itself"] * 3,
        "hopeless": ["not run"] * 2,
        "unknown": ["failed"] * 3,
    }
    assert report.failures() == ["unknown: unknown recipe 'bset'; did you mean 'best'?"]
    assert row_named(report, "small").runs[0].state == "not run"


@pytest.mark.parametrize(
    ("text", "middle", "width"),
    [("97.7 ± 0.7", 97.7, 0.7), ("84.1", 84.1, None), ("95,743", 95743, None), ("-", None, None)],
)
def test_quoted_figures_are_read(text: str, middle: float | None, width: float | None) -> None:
    cell = quoted_cell(text)
    assert (cell.text, cell.mean, cell.half_width) == (text, middle, width)


def test_json_reads_back(tmp_path: Path) -> None:
    report = with_scores(nothing_run(TABLE, tmp_path), "small", [90.0, 91.0])
    write_report(report, tmp_path / "results")
    assert read_report(tmp_path / "results/toy.json") == report


def test_csv_reads_back(tmp_path: Path) -> None:
    report = with_scores(nothing_run(TABLE, tmp_path), "small", [90.25, 91.5])
    lines = list(csv.DictReader(io.StringIO(to_csv(report))))
    assert len(lines) == sum(len(row.cells) for row in report.rows)
    line = next(line for line in lines if (line["row"], line["column"]) == ("small", "strict"))
    assert dict(part.split(":") for part in line["scores"].split()) == {"1": "90.25", "2": "91.5"}
    low, middle, high = (float(line[key]) for key in ("low", "mean", "high"))
    assert middle == 90.875
    assert high - middle == pytest.approx(middle - low)
    assert high - middle == pytest.approx(12.7062 * 0.625, abs=1e-3)


def test_every_seed_is_listed(tmp_path: Path) -> None:
    report = with_scores(nothing_run(TABLE, tmp_path), "small", [90.25, 91.5, 88.0])
    text = to_markdown(report)
    assert "| small | test, strict | 1 to 3 | 90.25, 91.50, 88.00 |" in text
    assert "| small | 5 words at most | 1 | not run |" in text


@pytest.mark.parametrize("kind", ["dots", "lines", "groups", "bars", "stack"])
def test_every_kind_of_plot_is_drawn_and_repeats(kind: Plot, tmp_path: Path) -> None:
    report = with_scores(nothing_run(TABLE, tmp_path), "small", [90.0, 91.0])
    report = msgspec.structs.replace(report, plot=kind)
    images = plots.draw(report)
    assert images["svg"].startswith(b"<?xml")
    assert images["png"].startswith(b"\x89PNG")
    assert plots.draw(report) == images


def test_without_matplotlib_a_note_says_how_to_get_plots(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    write_report(nothing_run(TABLE, tmp_path), tmp_path / "results")
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert names == {"toy.json", "toy.csv", "toy.md"}
    assert "lear[plots]" in capsys.readouterr().err
    assert "toy.svg" not in (tmp_path / "results/toy.md").read_text()
