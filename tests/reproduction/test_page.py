"""The page of all tables, and that docs/results.md is one."""

from pathlib import Path

import pytest

from lear.errors import DataError
from lear.reproduce.report import ReportRow, make_report
from lear.reproduce.report_files import compose, read_report, write_page, write_report
from lear.reproduce.scheduler import make_plan
from tests.support.toy_table import TABLE

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table."""
    root = tmp_path_factory.mktemp("page")
    plan = make_plan([TABLE], root / "runs", None)
    write_report(make_report(TABLE, plan, None), root / "results")
    return root / "results"


def test_a_table_stands_where_the_template_names_it(folder: Path) -> None:
    (folder / "template.md").write_text("# Results\n\nBefore.\n\n<!-- table: toy -->\n\nAfter.\n")
    page = compose(folder, "results")
    assert page.index("Before.") < page.index("## Toy") < page.index("After.")
    assert page.count("## Toy\n") == 1
    assert "![Toy](results/toy.svg)" in page


def test_a_table_without_a_place_comes_last(folder: Path) -> None:
    (folder / "template.md").write_text("# Results\n")
    page = compose(folder, "results")
    assert page.index("# Results") < page.index("## Toy")


def test_a_table_that_was_not_made_is_said_to_be_missing(folder: Path) -> None:
    (folder / "template.md").write_text("# Results\n\n<!-- table: cogs -->\n")
    assert "## COGS\n\nNot run (`lear reproduce cogs`)." in compose(folder, "results")


def test_a_page_needs_a_template(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"template\.md"):
        write_page(tmp_path / "page.md", tmp_path)


def test_the_page_of_results_is_what_the_command_makes() -> None:
    if not list((DOCS / "results").glob("*.json")):
        pytest.skip("docs/results holds no tables yet")
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
