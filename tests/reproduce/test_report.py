"""Reports: every row is there, whatever ran; files read back; docs/results.md is such a page."""

import csv
import io
from pathlib import Path
from statistics import fmean

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.errors import DataError
from lear.reproduce.experiments import Plot, Table
from lear.reproduce.plan import make_plan
from lear.reproduce.plots import draw
from lear.reproduce.report import (
    Cell,
    Report,
    ReportRow,
    half_width,
    make_report,
    quoted_cell,
    read_report,
    t_quantile,
)
from lear.reproduce.report_files import (
    compose,
    main_table,
    to_csv,
    to_markdown,
    write_page,
    write_report,
)
from lear.reproduce.tables import TABLES
from tests.support.cli import Capture
from tests.support.toy_table import TABLE

DOCS = Path(__file__).parents[2] / "docs"
WIDEST = 160


def nothing_run(table: Table, folder: Path) -> Report:
    plan = make_plan([table], folder / "runs", str(folder))
    return make_report(table, plan, str(folder))


def with_scores(report: Report, name: str, scores: list[float]) -> Report:
    """The report as if the row had these scores in its first column."""
    values = {str(seed): score for seed, score in enumerate(scores, start=1)}
    cell = Cell("as run", fmean(scores), half_width(scores), values)
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
    images = draw(report)
    assert images["svg"].startswith(b"<?xml")
    assert images["png"].startswith(b"\x89PNG")
    assert draw(report) == images


def test_without_matplotlib_a_note_says_how_to_get_plots(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    write_report(nothing_run(TABLE, tmp_path), tmp_path / "results")
    names = {path.name for path in (tmp_path / "results").iterdir()}
    assert names == {"toy.json", "toy.csv", "toy.md"}
    assert "lear[plots]" in capsys.readouterr().err
    assert "toy.svg" not in (tmp_path / "results/toy.md").read_text()


# Abramowitz & Stegun, table 26.10.
@pytest.mark.parametrize(
    ("freedom", "confidence", "expected"),
    [
        (1, 0.95, 12.706),
        (2, 0.95, 4.303),
        (3, 0.95, 3.182),
        (4, 0.95, 2.776),
        (9, 0.95, 2.262),
        (10, 0.95, 2.228),
        (30, 0.95, 2.042),
        (4, 0.99, 4.604),
        (7, 0.50, 0.711),
    ],
)
def test_quantiles_are_those_of_the_table(freedom: int, confidence: float, expected: float) -> None:
    assert t_quantile(freedom, confidence) == pytest.approx(expected, abs=5e-4)


def test_an_interval_worked_out_by_hand() -> None:
    # Deviation 1 from the mean each way: standard deviation 1, half width 4.3027 / sqrt(3).
    assert half_width([9.0, 10.0, 11.0]) == pytest.approx(2.4841, abs=1e-4)


def test_few_seeds_have_no_interval() -> None:
    assert half_width([97.0]) is None
    assert half_width([97.0, 97.0, 97.0]) == 0.0


@given(st.lists(st.floats(0, 100), min_size=2, max_size=8), st.floats(-50, 50))
def test_an_interval_moves_with_its_scores(scores: list[float], shift: float) -> None:
    moved = [score + shift for score in scores]
    assert half_width(moved) == pytest.approx(half_width(scores), abs=1e-6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table."""
    root = tmp_path_factory.mktemp("page")
    write_report(nothing_run(TABLE, root), root / "results")
    return root / "results"


def test_a_table_stands_where_the_template_names_it(folder: Path) -> None:
    (folder / "template.md").write_text("# Results\n\nBefore.\n\n<!-- table: toy -->\n\nAfter.\n")
    page = compose(folder, "results")
    assert page.index("Before.") < page.index("## Toy") < page.index("After.")
    assert page.count("## Toy\n") == 1
    assert "![Toy](results/toy.svg)" in page


def test_a_table_without_a_place_comes_last_and_one_that_was_not_made_is_missing(
    folder: Path,
) -> None:
    (folder / "template.md").write_text("# Results\n\n<!-- table: cogs -->\n")
    page = compose(folder, "results")
    missing = "## COGS\n\nNot run (`lear reproduce cogs`)."
    assert page.index("# Results") < page.index(missing) < page.index("## Toy")


def test_a_page_needs_a_template(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"template\.md"):
        write_page(tmp_path / "page.md", tmp_path)


def test_the_page_of_results_is_what_the_command_makes() -> None:
    assert (DOCS / "results.md").read_text() == compose(DOCS / "results", "results")


LABELS = {"gen_original_lenient": "COGS", "query_lenient": "GEO", "mcd1_lenient": "CFQ"}


def effect(row: ReportRow) -> str:
    """What the page on reproducing says of a row: the mean, and the number of seeds."""
    cells = ((label, row.cells.get(key)) for key, label in LABELS.items())
    return ", ".join(
        f"{label} not run" if cell.mean is None else f"{label} {cell.mean:.2f} ({len(cell.values)})"
        for label, cell in cells
        if cell is not None
    )


def test_effects_of_differences_are_those_of_the_results() -> None:
    report = read_report(DOCS / "results/differences.json")
    page = (DOCS / "reproducing.md").read_text()
    for row in report.rows:
        told = effect(row) if row.kind == "ours" else f"| {row.name} | {effect(row)} |"
        assert told in " ".join(page.split("\n")), row.name
