"""The files of a report, NAME.json, .csv, .md, .svg and .png, and a page of all tables.

The page is made of a template in which comments name the tables, `<!-- table: cogs -->`.
"""

import csv
import io
import os
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from lear.errors import DataError
from lear.messages import note
from lear.reproduce.plots import NoPlotsError, draw
from lear.reproduce.report import NOTHING, Report, ReportRow, read_report
from lear.reproduce.tables import TABLES
from lear.storage.files import write_whole

WIDTH = 118
CSV_HEADING = (
    "table", "row", "kind", "source", "column", "shown", "seeds_wanted", "seeds", "mean",
    "low", "high", "scores",
)  # fmt: skip
TEMPLATE = "template.md"
PLACE = re.compile(r"<!-- table: (\w+) -->")
MADE = "<!-- Made by `lear reproduce --page` of {}: change that, not this. -->\n\n"


def make_folder(folder: Path) -> None:
    """Make the folder of reports, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from None


def write_report(report: Report, folder: Path) -> None:
    """Write all files of a report; without matplotlib its pictures are left out, with a note."""
    make_folder(folder)
    encoded = msgspec.json.format(msgspec.json.encode(report), indent=1)
    write_whole(folder / f"{report.name}.json", encoded + b"\n")
    write_whole(folder / f"{report.name}.csv", to_csv(report).encode())
    picture = None
    try:
        for image_format, content in draw(report).items():
            write_whole(folder / f"{report.name}.{image_format}", content)
        picture = f"{report.name}.svg"
    except NoPlotsError as error:
        note(str(error))
    write_whole(folder / f"{report.name}.md", to_markdown(report, picture=picture).encode())


def write_page(page: Path, folder: Path) -> None:
    """Write the page of the template and the reports in a folder."""
    write_whole(page, compose(folder, os.path.relpath(folder, page.parent)).encode())


def compose(folder: Path, address: str) -> str:
    """Return the template with tables in their places; those without one come last, in order.

    Args:
        folder: The folder of the template and of the JSON files.
        address: How the page calls the folder.
    """
    try:
        template = (folder / TEMPLATE).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder / TEMPLATE}: cannot be read: {error.strerror}") from None
    sections: dict[str, str] = {}
    for path in folder.glob("*.json"):
        picture = f"{address}/{path.stem}.svg" if path.with_suffix(".svg").is_file() else None
        details = f"Every seed, with commits, machines and data: `{address}/{path.stem}.md`."
        sections[path.stem] = "\n\n".join((*_summary(read_report(path), "##", picture), details))
    unplaced = sections.keys() - set(PLACE.findall(template))
    last = [sections[name] for name in dict.fromkeys((*TABLES, *sections)) if name in unplaced]
    text = PLACE.sub(lambda place: sections.get(place[1], _absent(place[1])), template)
    return MADE.format(f"{address}/{TEMPLATE}") + "\n\n".join((text.rstrip(), *last)) + "\n"


def _absent(name: str) -> str:
    """Return what stands for a table that was not made."""
    title = TABLES[name].title if name in TABLES else name
    return f"## {title}\n\nNot run (`lear reproduce {name}`)."


def to_csv(report: Report) -> str:
    """Return one line for each figure; `scores` are `SEED:SCORE`, separated by spaces."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(CSV_HEADING)
    for row in report.rows:
        for column in report.columns:
            if (cell := row.cells.get(column.key)) is None:
                continue
            low = high = None
            if cell.mean is not None and cell.half_width is not None:
                low, high = cell.mean - cell.half_width, cell.mean + cell.half_width
            scores = " ".join(f"{seed}:{score}" for seed, score in cell.values.items())
            where = (report.name, row.name, row.kind, row.source, column.key)
            seeds = (len(cell.values) + len(cell.missing), len(cell.values))
            writer.writerow((*where, cell.text, *seeds, cell.mean, low, high, scores))
    return stream.getvalue()


def to_markdown(report: Report, *, picture: str | None = None) -> str:
    """Return the table, every seed of it, what failed, and where it was made.

    Args:
        report: What to write.
        picture: The address of its plot.
    """
    seeds = seed_table(report)
    parts = [f"## {report.title}: every seed", seeds] if seeds else []
    return "\n\n".join((*_summary(report, "#", picture), *parts, provenance(report))) + "\n"


def _summary(report: Report, mark: str, picture: str | None) -> list[str]:
    """Return a heading with this mark, the table, its plot and notes, and what failed."""
    failures = report.failures()
    parts = [f"{mark} {report.title}", _fill(report.caption), main_table(report)]
    parts += [f"![{report.title}]({picture})"] if picture is not None else []
    parts += [_bullets(report.notes)] if report.notes else []
    return parts + ([f"Failed:\n\n{_bullets(failures)}"] if failures else [])


def main_table(report: Report) -> str:
    """Return one line for each row: its source, its seeds, and its means and intervals."""
    has_seeds = any(run.seed for row in report.rows for run in row.runs)
    seeds = ["seeds"] if has_seeds else []
    heading = ["system", "source", *seeds, *(column.title for column in report.columns)]
    rows = []
    for row in report.rows:
        cells = [row.cells.get(column.key) for column in report.columns]
        figures = [NOTHING if cell is None else cell.text for cell in cells]
        name = f"**{row.name}**" if row.kind == "ours" else row.name
        rows.append([name, row.source, *([_seeds(row)] if has_seeds else []), *figures])
    return _table(heading, rows, first_number=2 + has_seeds)


def _seeds(row: ReportRow) -> str:
    """Return how many seeds a row has, of how many; a score that it never has says nothing."""
    cells = [cell for cell in row.cells.values() if cell.text != NOTHING]
    counts = {(len(cell.values), len(cell.values) + len(cell.missing)) for cell in cells}
    if row.kind == "quoted" or counts <= {(0, 0)}:
        return NOTHING
    return ", ".join(
        str(n) if n == wanted else f"{n} of {wanted}" for n, wanted in sorted(counts, reverse=True)
    )


def seed_table(report: Report) -> str:
    """Return one line for each score of ours: what each seed gave; empty if there is none."""
    rows = []
    for row in report.rows:
        for column in report.columns:
            cell = row.cells.get(column.key)
            if not column.has_interval or cell is None or row.kind == "quoted":
                continue
            each = {s: format(v, column.format) for s, v in cell.values.items()} | cell.missing
            seeds = sorted(map(int, each))
            if any(seeds):
                shown = ", ".join(each[str(seed)] for seed in seeds)
                rows.append([row.name, column.title, _ranges(seeds), shown])
    heading = ["system", "score", "seeds", "scores in this order"]
    return _table(heading, rows, first_number=len(heading)) if rows else ""


def _ranges(seeds: Sequence[int]) -> str:
    """Return `1 to 5`, or the list."""
    if len(seeds) > 2 and list(seeds) == list(range(seeds[0], seeds[-1] + 1)):
        return f"{seeds[0]} to {seeds[-1]}"
    return ", ".join(map(str, seeds))


def provenance(report: Report) -> str:
    """Return commits, machine, versions and data, in a few lines."""
    lines = [f"Put together on {report.made.date[:10]} at commit {report.made.commit}."]
    runs = [run.made for row in report.rows for run in row.runs if run.made is not None]
    if runs:
        commits = Counter(made.commit for made in runs).most_common()
        days = dict.fromkeys((min(m.date for m in runs)[:10], max(m.date for m in runs)[:10]))
        machines = (f"{m.cpu}, {m.cores} cores, {m.memory_gib:.0f} GiB" for m in runs)
        versions = (
            f"Python {m.python}, torch {m.torch}, {m.system.partition('-')[0]}" for m in runs
        )
        told = ", ".join(f"{commit} ({count})" for commit, count in commits)
        lines.append(f"Runs: {' to '.join(days)}, at commits (number of runs) {told}.")
        lines.append(
            f"Machine: {'; '.join(dict.fromkeys(machines))}. {'; '.join(dict.fromkeys(versions))}."
        )
    data = "; ".join(
        f"{name} {', '.join(sorted({digest[:8] for digest in files.values()}))}"
        for name, files in report.data.items()
        if files
    )
    lines += [f"Data, by the first digits of SHA-256: {data}."] if data else []
    return _fill(" ".join(lines))


def _bullets(lines: Iterable[str]) -> str:
    return "\n".join(_fill(f"- {line}", indent="  ") for line in lines)


def _fill(text: str, indent: str = "") -> str:
    """Return text in lines of equal width; long words stay whole."""
    return textwrap.fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _table(heading: Sequence[str], rows: Iterable[Sequence[str]], *, first_number: int) -> str:
    """Return a table; columns from `first_number` on are aligned to the right."""
    rule = ["---" if index < first_number else "---:" for index in range(len(heading))]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (heading, rule, *rows))
