"""A report: a table with its figures and where they come from, as a JSON file keeps it.

Markdown, CSV and plots are made of a report alone. Figures are means of seeds with the 95 %
interval by Student's t.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean, stdev

import msgspec

from lear.benchmark import PARTS
from lear.errors import DataError
from lear.reproduce.experiments import MEASURED, Column, Kind, Ours, Plot, Quoted, Table
from lear.reproduce.machine import Provenance, here_and_now
from lear.reproduce.plan import PlannedRow
from lear.reproduce.runs import Files, Run, Settings, file_digests
from lear.storage.files import read_json

CONFIDENCE = 0.95
FORMAT = "lear-reproduction-1"
RECIPE_ITSELF = "the recipe itself"
NOT_RUN = "not run"
FAILED = "failed"
NOTHING = "-"
DIFFERS = " (differs)"


class Cell(msgspec.Struct, frozen=True):
    """A figure: as it was printed, or as our seeds gave it."""

    text: str
    """As tables show it."""
    mean: float | None = None
    half_width: float | None = None
    """Half the width of the 95 % interval."""
    values: dict[str, float] = {}
    """Seed -> score."""
    missing: dict[str, str] = {}
    """Seed that was asked for -> why it has no score: `not run` or `failed`."""


class RunReport(msgspec.Struct, frozen=True):
    """One run behind a row."""

    benchmark: str
    seed: int
    state: str
    failure: str
    command: str
    changed: Settings
    digest: str
    """A digest of all settings and of the training data."""
    folder: str
    training_seconds: float
    other_seconds: float
    """The time of evaluations and measurements."""
    made: Provenance | None


class ReportRow(msgspec.Struct, frozen=True):
    """A row."""

    name: str
    kind: Kind
    source: str
    cells: dict[str, Cell]
    """Key of a column -> figure; columns that do not apply are left out."""
    failure: str = ""
    """Why it cannot run."""
    runs: list[RunReport] = []


class ReportColumn(msgspec.Struct, frozen=True):
    """A column, without what takes its figure of a result."""

    key: str
    title: str
    benchmark: str
    format: str
    is_plotted: bool
    has_interval: bool


class Report(msgspec.Struct, frozen=True):
    """A table with its figures."""

    name: str
    title: str
    caption: str
    notes: tuple[str, ...]
    columns: list[ReportColumn]
    rows: list[ReportRow]
    plot: Plot
    plot_unit: str
    made: Provenance
    """Where the table was put together; each run has its own."""
    data: dict[str, Files]
    """Benchmark -> its files."""
    format: str = FORMAT

    def failures(self) -> list[str]:
        """Return what failed, in one line each."""
        whole = [f"{row.name}: {row.failure}" for row in self.rows if row.failure]
        single = [
            f"{row.name}, seed {run.seed}: {run.failure}"
            for row in self.rows
            for run in row.runs
            if run.failure
        ]
        return whole + single


def make_report(table: Table, plan: Sequence[PlannedRow], data: str | None) -> Report:
    """Return the report of a table: what is there now, and what is not."""
    planned = {row.row.name: row for row in plan if row.table == table.name}
    rows: dict[str, ReportRow] = {}
    for row in table.rows:
        if isinstance(row, Quoted):
            keys = (column.key for column in table.columns if column.key in row.values)
            cells = {key: quoted_cell(row.values[key]) for key in keys}
            rows[row.name] = ReportRow(row.name, "quoted", row.source, cells)
        else:
            rows[row.name] = _ours(planned[row.name], table.columns)
            if row.compared_with:
                rows[row.name] = _compared(rows[row.name], rows[row.compared_with])
    experiments = [e for row in table.rows if isinstance(row, Ours) for e in row.experiments]
    names = [e.benchmark for e in experiments] + [key for e in experiments for key in e.keys if key]
    return Report(
        name=table.name,
        title=table.title,
        caption=table.caption,
        notes=table.notes,
        columns=[
            ReportColumn(c.key, c.title, c.benchmark, c.format, c.is_plotted, c.has_interval)
            for c in table.columns
        ],
        rows=list(rows.values()),
        plot=table.plot,
        plot_unit=table.plot_unit,
        made=here_and_now(),
        data={name: file_digests(name, PARTS, data) for name in dict.fromkeys(names)},
    )


def read_report(path: Path) -> Report:
    """Read the report in a JSON file."""
    report = read_json(path, Report, "a report of `lear reproduce`")
    if report.format != FORMAT:
        raise DataError(f"{path}: not a report of this version of lear ({FORMAT})")
    return report


def quoted_cell(text: str) -> Cell:
    """Return a figure as it was printed, `97.7 ± 0.7`, with its numbers where they can be read."""
    number, _, width = text.replace(",", "").partition("±")
    try:
        return Cell(text, float(number), float(width) if width else None)
    except ValueError:
        return Cell(text)


def _compared(row: ReportRow, other: ReportRow) -> ReportRow:
    """Mark the figures of a row that differ from those of another one."""
    cells = {}
    for key, cell in row.cells.items():
        differs = key in other.cells and cell.values and cell.text != other.cells[key].text
        text = cell.text + (DIFFERS if differs else "")
        cells[key] = msgspec.structs.replace(cell, text=text)
    return msgspec.structs.replace(row, cells=cells)


def _ours(planned: PlannedRow, columns: Sequence[Column]) -> ReportRow:
    cells = {column.key: _cell(planned, column) for column in columns}
    there = {key: cell for key, cell in cells.items() if cell is not None}
    runs = [_run_report(run) for run in planned.runs]
    row = planned.row
    return ReportRow(row.name, row.kind, "here", there, planned.failure, runs)


def _cell(planned: PlannedRow, column: Column) -> Cell | None:
    """Return a figure of ours; None if the column does not apply to the row."""
    all_keys = {key for experiment in planned.row.experiments for key in experiment.keys}
    keys = {key for key in all_keys if column.benchmark in (MEASURED, key)}
    if not keys:
        return None
    if planned.is_recipe_itself:
        return Cell(RECIPE_ITSELF)
    values: dict[str, float] = {}
    missing: dict[str, str] = {}
    for run in planned.runs:
        for key in keys & set(run.experiment.keys):
            result = run.result(key)
            value = None if result is None else column.value(result)
            if value is not None:
                values[str(run.seed)] = value
            else:
                reason = FAILED if run.record().failure else NOT_RUN
                missing[str(run.seed)] = reason if result is None else NOTHING
    scores = list(values.values())
    if not scores:
        text = FAILED if planned.failure else next(iter(missing.values()), NOT_RUN)
        return Cell(text, missing=missing)
    middle, width = fmean(scores), half_width(scores)
    text = format(middle, column.format)
    if column.has_interval and width is not None:
        text += f" ± {format(width, column.format)}"
    return Cell(text, middle, width, values, missing)


def _run_report(run: Run) -> RunReport:
    record = run.record()
    return RunReport(
        benchmark=run.experiment.benchmark,
        seed=run.seed,
        state=run.state(),
        failure=record.failure,
        command=run.command(),
        changed=run.changed,
        digest=run.digest,
        folder=run.name,
        training_seconds=round(record.seconds, 1),
        other_seconds=round(record.other_seconds, 1),
        made=record.made,
    )


def half_width(values: Sequence[float]) -> float | None:
    """Return half the width of the interval around the mean; None of fewer than two values."""
    if len(values) < 2:
        return None
    return t_quantile(len(values) - 1) * stdev(values) / math.sqrt(len(values))


def t_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """Return the t that a variable with so many degrees of freedom exceeds neither way."""
    low, high = 0.0, math.pi / 2
    for _ in range(100):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """Return P(|t| < sqrt(freedom) tan(angle)) (Abramowitz & Stegun 26.7.3, 26.7.4)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for i in range(freedom // 2):
        total += term
        term *= cosine**2 * (2 * i + 1 + odd) / (2 * i + 2 + odd)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
