"""Mean and 95 % interval of a few seeds, by Student's t.

A report: a table with its figures and where they come from, as it is kept in a JSON file.

Markdown, CSV and plots are made of a report alone.
"""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

import msgspec

from lear.reproduce.machine import Provenance, here_and_now
from lear.reproduce.runs import Files, Settings, all_file_digests
from lear.reproduce.scheduler import Plan, PlannedRow, Steps, told_as_command
from lear.reproduce.table import MEASURED, Column, Kind, Measurement, Ours, Plot, Quoted, Table

CONFIDENCE = 0.95


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of no values."""
    return fmean(values) if values else None


def half_width(values: Sequence[float], confidence: float = CONFIDENCE) -> float | None:
    """Half the width of the interval around the mean; None of fewer than two values."""
    if len(values) < 2:
        return None
    return t_quantile(len(values) - 1, confidence) * stdev(values) / math.sqrt(len(values))


def t_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """The t that a variable with so many degrees of freedom exceeds neither way, so probably."""
    low, high = 0.0, math.pi / 2
    for _ in range(100):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability of |t| < sqrt(freedom) tan(angle) (Abramowitz & Stegun 26.7.3, 26.7.4)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for i in range(freedom // 2):
        total += term
        term *= cosine**2 * (2 * i + 1 + odd) / (2 * i + 2 + odd)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total


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
    """Of the 95 % interval."""
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
    """Of all settings and of the training data."""
    folder: str
    training_seconds: float
    other_seconds: float
    """Of evaluations and measurements."""
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
    """A column, without what it is computed of."""

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
        """What failed, in one line each."""
        whole = [f"{row.name}: {row.failure}" for row in self.rows if row.failure]
        single = [
            f"{row.name}, seed {run.seed}: {run.failure}"
            for row in self.rows
            for run in row.runs
            if run.failure
        ]
        return whole + single


def make_report(table: Table, plan: Plan, data: str | None) -> Report:
    """The report of a table: what is there now, and what is not."""
    rows = [
        _quoted(row, table.columns)
        if isinstance(row, Quoted)
        else _ours(plan.row(table.name, row.name), table.columns)
        for row in table.rows
    ]
    return Report(
        name=table.name,
        title=table.title,
        caption=table.caption,
        notes=table.notes,
        columns=[
            ReportColumn(c.key, c.title, c.benchmark, c.format, c.is_plotted, c.has_interval)
            for c in table.columns
        ],
        rows=[_compared(row, table, rows) for row in rows],
        plot=table.plot,
        plot_unit=table.plot_unit,
        made=here_and_now(),
        data={name: all_file_digests(name, data) for name in _benchmarks(table)},
    )


def _benchmarks(table: Table) -> list[str]:
    """All benchmarks that a table's rows are trained or evaluated on."""
    experiments = [e for row in table.rows if isinstance(row, Ours) for e in row.experiments]
    names = [experiment.benchmark for experiment in experiments]
    for experiment in experiments:
        if not isinstance(experiment, Measurement):
            names += experiment.evaluated_on
    return list(dict.fromkeys(names))


def _quoted(row: Quoted, columns: Sequence[Column]) -> ReportRow:
    cells = {c.key: quoted_cell(row.values[c.key]) for c in columns if c.key in row.values}
    return ReportRow(row.name, "quoted", row.source, cells)


def quoted_cell(text: str) -> Cell:
    """A figure as it was printed, `97.7 ± 0.7`, with its numbers where they can be read."""
    number, _, width = text.replace(",", "").partition("±")
    try:
        return Cell(text, float(number), float(width) if width else None)
    except ValueError:
        return Cell(text)


def _compared(row: ReportRow, table: Table, rows: Sequence[ReportRow]) -> ReportRow:
    """A row with the figures marked that differ from those of the row it is compared with."""
    with_name = {r.name: r.compared_with for r in table.rows if isinstance(r, Ours)}.get(row.name)
    if not with_name:
        return row
    other = next(r for r in rows if r.name == with_name)
    cells = {}
    for key, cell in row.cells.items():
        differs = key in other.cells and cell.values and cell.text != other.cells[key].text
        mark = DIFFERS if differs else ""
        cells[key] = msgspec.structs.replace(cell, text=cell.text + mark)
    return msgspec.structs.replace(row, cells=cells)


def _ours(planned: PlannedRow, columns: Sequence[Column]) -> ReportRow:
    row = planned.row
    cells = {}
    for column in columns:
        cell = _cell(planned, column)
        if cell is not None:
            cells[column.key] = cell
    runs = [_run_report(steps) for steps in planned.runs]
    return ReportRow(row.name, row.kind, "here", cells, planned.failure, runs)


def _cell(planned: PlannedRow, column: Column) -> Cell | None:
    """A figure of ours; None if the column does not apply to the row."""
    keys = {key for e in planned.row.experiments for key in _result_keys(e, column)}
    if not keys:
        return None
    if planned.is_recipe_itself:
        return Cell(RECIPE_ITSELF)
    values: dict[str, float] = {}
    missing: dict[str, str] = {}
    for steps in planned.runs:
        for key in keys & set(steps.run.results):
            result = steps.result(key)
            value = None if result is None else column.value(result)
            if value is not None:
                values[str(steps.run.seed)] = value
            else:
                missing[str(steps.run.seed)] = _why_missing(steps, is_there=result is not None)
    scores = list(values.values())
    text = cell_text(scores, column.format, interval=column.has_interval)
    if not values:
        text = FAILED if planned.failure else next(iter(missing.values()), NOT_RUN)
    return Cell(text, mean(scores), half_width(scores), values, missing)


def _why_missing(steps: Steps, *, is_there: bool) -> str:
    """What stands for the score of a seed that has none."""
    if is_there:
        return NOTHING
    return FAILED if steps.files.record().failure else NOT_RUN


def _result_keys(experiment: object, column: Column) -> list[str]:
    """The keys of an experiment's results that a column is about."""
    if isinstance(experiment, Measurement):
        return [MEASURED] if column.benchmark == MEASURED else []
    evaluated: tuple[str, ...] = getattr(experiment, "evaluated_on", ())
    return [key for key in evaluated if column.benchmark in (MEASURED, key)]


def cell_text(scores: Sequence[float], number_format: str, *, interval: bool) -> str:
    """`97.70 ± 0.68`; without the interval if there is none."""
    middle, width = mean(scores), half_width(scores)
    if middle is None:
        return ""
    text = format(middle, number_format)
    return f"{text} ± {format(width, number_format)}" if interval and width is not None else text


def _run_report(steps: Steps) -> RunReport:
    record = steps.files.record()
    return RunReport(
        benchmark=steps.run.experiment.benchmark,
        seed=steps.run.seed,
        state=steps.state(),
        failure=record.failure,
        command=told_as_command(steps.run),
        changed=steps.run.changed,
        digest=steps.run.digest,
        folder=steps.run.name,
        training_seconds=round(record.seconds, 1),
        other_seconds=round(record.other_seconds, 1),
        made=record.made,
    )
