"""A report as Markdown and as CSV."""

import csv
import io
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence

from lear.reproduction.report import NOTHING, Cell, Report, ReportColumn, ReportRow

WIDTH = 118
CSV_HEADING = (
    "table", "row", "kind", "source", "column", "shown", "seeds_wanted", "seeds", "mean",
    "low", "high", "scores",
)  # fmt: skip


def to_csv(report: Report) -> str:
    """One line for each figure; `scores` are `SEED:SCORE`, separated by spaces."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_HEADING)
    for row in report.rows:
        for column in report.columns:
            cell = row.cells.get(column.key)
            if cell is not None:
                writer.writerow(_csv_line(report, row, column, cell))
    return stream.getvalue()


def _csv_line(report: Report, row: ReportRow, column: ReportColumn, cell: Cell) -> list[object]:
    low, high = interval(cell)
    scores = " ".join(f"{seed}:{score}" for seed, score in cell.values.items())
    where = [report.name, row.name, row.kind, row.source, column.key]
    wanted = len(cell.values) + len(cell.missing)
    return [*where, cell.text, wanted, len(cell.values), cell.mean, low, high, scores]


def interval(cell: Cell) -> tuple[float | None, float | None]:
    """Both ends of the 95 % interval."""
    if cell.mean is None or cell.half_width is None:
        return None, None
    return cell.mean - cell.half_width, cell.mean + cell.half_width


def to_markdown(report: Report, *, level: int = 1, picture: str | None = None) -> str:
    """The table, every seed of it, what failed, and where it was made.

    Args:
        report: What to write.
        level: Of its heading; parts have headings one level below.
        picture: The address of its plot.
    """
    mark = "#" * level
    parts = [f"{mark} {report.title}", fill(report.caption, WIDTH), main_table(report)]
    if picture is not None:
        parts.append(f"![{report.title}]({picture})")
    if report.notes:
        parts.append(bullets(report.notes))
    failures = report.failures()
    if failures:
        parts.append(f"Failed:\n\n{bullets(failures)}")
    seeds = seed_table(report)
    if seeds:
        parts += [f"{mark}# {report.title}: every seed", seeds]
    parts.append(provenance(report))
    return "\n\n".join(parts) + "\n"


def main_table(report: Report) -> str:
    """One line for each row: its source, its seeds, and its figures as mean and interval."""
    heading = ["system", "source", "seeds", *(column.title for column in report.columns)]
    has_seeds = any(run.seed for row in report.rows for run in row.runs)
    rows = []
    for row in report.rows:
        figures = [_shown(row, column) for column in report.columns]
        rows.append([_name(row), row.source, _seeds(row), *figures])
    if not has_seeds:
        heading.pop(2)
        for cells in rows:
            cells.pop(2)
    return markdown_table(heading, rows, first_number=3 if has_seeds else 2)


def _name(row: ReportRow) -> str:
    """Rows of ours stand out."""
    return f"**{row.name}**" if row.kind == "ours" else row.name


def _shown(row: ReportRow, column: ReportColumn) -> str:
    cell = row.cells.get(column.key)
    return NOTHING if cell is None else cell.text


def _seeds(row: ReportRow) -> str:
    """How many seeds a row has, of how many; a score that it never has says nothing."""
    cells = [cell for cell in row.cells.values() if cell.text != NOTHING]
    counts = {(len(cell.values), len(cell.values) + len(cell.missing)) for cell in cells}
    if row.kind == "quoted" or counts <= {(0, 0)}:
        return NOTHING
    return ", ".join(
        str(n) if n == wanted else f"{n} of {wanted}" for n, wanted in sorted(counts, reverse=True)
    )


def seed_table(report: Report) -> str:
    """One line for each score of ours: what each seed gave; empty if there is nothing to list."""
    rows = []
    for row in report.rows:
        for column in report.columns:
            cell = row.cells.get(column.key)
            if column.has_interval and cell is not None and row.kind != "quoted":
                each = {s: format(v, column.format) for s, v in cell.values.items()} | cell.missing
                seeds = sorted(map(int, each))
                if any(seeds):
                    shown = ", ".join(each[str(seed)] for seed in seeds)
                    rows.append([row.name, column.title, _ranges(seeds), shown])
    heading = ["system", "score", "seeds", "scores in this order"]
    return markdown_table(heading, rows, first_number=len(heading)) if rows else ""


def _ranges(seeds: Sequence[int]) -> str:
    """`1 to 5`, or the list."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def provenance(report: Report) -> str:
    """Commits, machine, versions and data, in a few lines."""
    runs = [run.made for row in report.rows for run in row.runs if run.made is not None]
    commits = Counter(made.commit for made in runs)
    machines = dict.fromkeys(f"{m.cpu}, {m.cores} cores, {m.memory_gib:.0f} GiB" for m in runs)
    versions = dict.fromkeys(
        f"Python {m.python}, torch {m.torch}, {m.system.partition('-')[0]}" for m in runs
    )
    days = sorted(made.date[:10] for made in runs)
    lines = [f"Put together on {report.made.date[:10]} at commit {report.made.commit}."]
    if runs:
        told = ", ".join(f"{commit} ({count})" for commit, count in commits.most_common())
        when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
        lines.append(f"Runs: {when}, at commits (number of runs) {told}.")
        lines.append(f"Machine: {'; '.join(machines)}. {'; '.join(versions)}.")
    data = (
        f"{name} {', '.join(sorted({digest[:8] for digest in files.values()}))}"
        for name, files in report.data.items()
        if files
    )
    told_data = "; ".join(data)
    if told_data:
        lines.append(f"Data, by the first digits of SHA-256: {told_data}.")
    return fill(" ".join(lines), WIDTH)


def bullets(lines: Iterable[str]) -> str:
    """A list."""
    return "\n".join(fill(f"- {line}", WIDTH, subsequent_indent="  ") for line in lines)


def fill(text: str, width: int, subsequent_indent: str = "") -> str:
    """Text in lines of this width; long words stay whole."""
    return textwrap.fill(
        text,
        width,
        subsequent_indent=subsequent_indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def markdown_table(
    heading: Sequence[str], rows: Iterable[Sequence[str]], *, first_number: int
) -> str:
    """A table; columns from `first_number` on are aligned to the right."""
    rule = ["---" if index < first_number else "---:" for index in range(len(heading))]
    lines = (heading, rule, *rows)
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
