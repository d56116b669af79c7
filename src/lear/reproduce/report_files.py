"""A report as Markdown and as CSV.

A report as a plot, SVG and PNG; needs matplotlib, which is an extra.

The files of a report: NAME.json, NAME.csv, NAME.md, NAME.svg and NAME.png.

A page of all tables: a template in which comments name the tables, `<!-- table: cogs -->`.
"""

import csv
import io
import os
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lear.errors import DataError, LearError
from lear.messages import note
from lear.reproduce.report import FORMAT, NOT_RUN, NOTHING, Cell, Report, ReportColumn, ReportRow
from lear.reproduce.tables import TABLES
from lear.storage.files import read_json, write_whole

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


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Of Okabe and Ito: told apart by all kinds of colour vision, and in print by their lightness.
COLOURS = {"quoted": "#E69F00", "ours": "#0072B2", "ablation": "#56B4E9", "baseline": "#009E73"}
LABELS = {
    "quoted": "quoted",
    "ours": "here",
    "ablation": "here, ablation",
    "baseline": "here, baseline",
}
LINES = ("#E69F00", "#0072B2", "#009E73", "#CC79A7", "#000000", "#56B4E9", "#D55E00")
PARTS = ("#0072B2", "#E69F00", "#999999", "#CC79A7", "#009E73")
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
GREY = "#777777"
GRID = "#DDDDDD"
ROW_INCHES = 0.3
WIDE = 50
"""From this ratio of the largest figure to the smallest on, bars have a logarithmic scale."""
STYLE: dict[Any, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 10,
    "svg.fonttype": "none",
    "svg.hashsalt": "lear",
}


class NoPlotsError(LearError):
    """Matplotlib is not installed."""


def draw(report: Report) -> dict[str, bytes]:
    """The plot as `svg` and `png`."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise NoPlotsError("plots need matplotlib: pip install 'lear[plots]'") from None
    kinds: dict[str, Callable[[Figure, Report], None]] = {
        "dots": _dots,
        "lines": _lines,
        "groups": _groups,
        "bars": _bars,
        "stack": _stack,
    }
    images = {}
    with mpl.rc_context(STYLE):
        figure = Figure(layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.08))
        kinds[report.plot](figure, report)
        for image_format in ("svg", "png"):
            stream = io.BytesIO()
            # Without a date the same report gives the same bytes.
            metadata = {"Date": None} if image_format == "svg" else {"Software": None}
            figure.savefig(stream, format=image_format, dpi=150, metadata=metadata)
            images[image_format] = stream.getvalue()
    return images


def _dots(figure: "Figure", report: Report) -> None:
    """A panel for each column: mean and interval, below them a dot for each seed."""
    columns, rows = _plotted(report), _rows_to_plot(report)
    figure.set_size_inches(3.0 + 3.3 * len(columns), 1.2 + ROW_INCHES * len(rows))
    panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for panel, column in zip(panels, columns, strict=True):
        for place, row in enumerate(rows):
            cell = row.cells.get(column.key)
            if cell is not None:
                _dot_row(panel, place, cell, COLOURS[row.kind])
        panel.set_title(column.title)
        panel.set_xlabel(report.plot_unit)
        panel.set_xlim(-3, 103)
        panel.grid(axis="x", color=GRID, linewidth=0.6)
        panel.set_axisbelow(True)
    _name_rows(panels[0], rows)
    _legend(figure, rows)


def _dot_row(panel: "Axes", place: int, cell: Cell, colour: str) -> None:
    """The figure as dots, and in words behind the panel."""
    if cell.mean is not None:
        _whisker(panel, cell, place, colour, is_vertical=False)
        scores = list(cell.values.values())
        panel.plot(scores, [place + 0.28] * len(scores), ".", color=colour, markersize=3.5)
    panel.annotate(
        cell.text,
        (1.02, place),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=7.5,
        color="black" if cell.mean is not None else GREY,
        style="normal" if cell.mean is not None else "italic",
    )


def _whisker(
    panel: "Axes",
    cell: Cell,
    place: float,
    colour: str,
    *,
    is_vertical: bool,
    marker: str = "o",
) -> None:
    """The mean of a cell with its interval, which scores of 0 and 100 bound."""
    assert cell.mean is not None
    width = cell.half_width or 0.0
    reach = [[min(width, max(0.0, cell.mean))], [min(width, max(0.0, 100 - cell.mean))]]
    x, y = ([place], [cell.mean]) if is_vertical else ([cell.mean], [place])
    panel.errorbar(
        x,
        y,
        xerr=None if is_vertical else reach,
        yerr=reach if is_vertical else None,
        fmt=marker,
        color=colour,
        markersize=5,
        capsize=3,
        linewidth=1.3,
    )


def _name_rows(panel: "Axes", rows: Sequence[ReportRow]) -> None:
    """Names beside the rows, the first on top."""
    panel.set_yticks(range(len(rows)), [row.name for row in rows])
    for label, row in zip(panel.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.kind == "ours" else "normal")
    panel.set_ylim(len(rows) - 0.4, -0.6)


def _legend(figure: "Figure", rows: Sequence[ReportRow]) -> None:
    from matplotlib.lines import Line2D

    kinds = dict.fromkeys(row.kind for row in rows)
    handles = [
        Line2D([], [], color=COLOURS[kind], marker="o", linestyle="", label=LABELS[kind])
        for kind in kinds
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)


def _lines(figure: "Figure", report: Report) -> None:
    """A line for each row over the columns."""
    from matplotlib.lines import Line2D

    figure.set_size_inches(7.2, 4.2)
    panel = figure.subplots()
    columns = _plotted(report)
    handles = []
    for number, row in enumerate(report.rows):
        colour, marker = LINES[number % len(LINES)], MARKERS[number % len(MARKERS)]
        shift = 0.06 * (number - (len(report.rows) - 1) / 2)
        places = [
            (place + shift, row.cells[column.key])
            for place, column in enumerate(columns)
            if column.key in row.cells and row.cells[column.key].mean is not None
        ]
        means = [cell.mean or 0.0 for _, cell in places]
        panel.plot([place for place, _ in places], means, color=colour, linewidth=1.3)
        for place, cell in places:
            _whisker(panel, cell, place, colour, is_vertical=True, marker=marker)
        name = row.name if places else f"{row.name}: {NOT_RUN}"
        handles.append(Line2D([], [], color=colour, marker=marker, label=name))
    panel.set_xticks(range(len(columns)), [column.title for column in columns])
    panel.set_xlim(-0.5, len(columns) - 0.5)
    panel.set_ylabel(report.plot_unit)
    panel.grid(axis="y", color=GRID, linewidth=0.6)
    panel.set_axisbelow(True)
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)


def _groups(figure: "Figure", report: Report) -> None:
    """Quoted rows and ours in groups by what follows the comma in their names."""
    column = _plotted(report)[0]
    groups = list(dict.fromkeys(row.name.rpartition(", ")[2] for row in report.rows))
    kinds = list(dict.fromkeys(row.kind for row in report.rows))
    figure.set_size_inches(5.6, 3.6)
    panel = figure.subplots()
    for row in report.rows:
        shift = 0.3 * (kinds.index(row.kind) - (len(kinds) - 1) / 2)
        place = groups.index(row.name.rpartition(", ")[2]) + shift
        cell = row.cells.get(column.key)
        if cell is not None and cell.mean is not None:
            _whisker(panel, cell, place, COLOURS[row.kind], is_vertical=True)
            scores = list(cell.values.values())
            panel.plot(
                [place + 0.07] * len(scores), scores, ".", color=COLOURS[row.kind], markersize=4
            )
        elif cell is not None:
            bottom = (place, 0.02)
            panel.annotate(
                cell.text, bottom, xycoords=("data", "axes fraction"), rotation=90, color=GREY,
                style="italic", ha="center", fontsize=8,
            )  # fmt: skip
    panel.set_xticks(range(len(groups)), groups)
    panel.set_xlim(-0.6, len(groups) - 0.4)
    panel.set_title(f"{report.title}: {column.title}")
    panel.set_ylabel(report.plot_unit)
    panel.grid(axis="y", color=GRID, linewidth=0.6)
    panel.set_axisbelow(True)
    _legend(figure, report.rows)


def _bars(figure: "Figure", report: Report) -> None:
    """A panel for each column: a bar for each row, with its figure at the end."""
    columns = _plotted(report)
    means = {c.key: [m for row in report.rows if (m := _mean(row, c))] for c in columns}
    is_wide = any(max(found) > WIDE * min(found) for found in means.values() if found)
    figure.set_size_inches(2.6 + 3.0 * len(columns), 1.2 + 1.1 * ROW_INCHES * len(report.rows))
    panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for panel, column in zip(panels, columns, strict=True):
        found = means[column.key] or [1.0]
        if is_wide:
            panel.set_xscale("log")
        panel.set_xlim(min(found) / 3 if is_wide else 0.0, (8 if is_wide else 1.3) * max(found))
        for place, row in enumerate(report.rows):
            cell, length = row.cells.get(column.key), _mean(row, column)
            if cell is not None:
                panel.barh(place, length, color=COLOURS[row.kind], height=0.7)
                end = length or panel.get_xlim()[0]
                panel.text(end, place, f" {cell.text}", va="center", fontsize=8)
        panel.set_title(column.title)
        panel.set_xlabel(report.plot_unit)
    _name_rows(panels[0], report.rows)
    _legend(figure, report.rows)


def _mean(row: ReportRow, column: ReportColumn) -> float:
    """The figure of a row; 0 if it has none."""
    cell = row.cells.get(column.key)
    return 0.0 if cell is None else cell.mean or 0.0


def _stack(figure: "Figure", report: Report) -> None:
    """A bar for each row, of the columns one after the other."""
    columns = _plotted(report)
    figure.set_size_inches(7.2, 1.4 + 1.1 * ROW_INCHES * len(report.rows))
    panel = figure.subplots()
    begins = [0.0] * len(report.rows)
    for column, colour in zip(columns, PARTS, strict=False):
        lengths = [_mean(row, column) for row in report.rows]
        panel.barh(
            range(len(lengths)), lengths, left=begins, color=colour, height=0.7, label=column.title
        )
        for place, length in enumerate(lengths):
            if length >= 6:
                middle = begins[place] + length / 2
                panel.text(
                    middle, place, f"{length:.0f}", ha="center", va="center", fontsize=8,
                    color="white" if colour == PARTS[0] else "black",
                )  # fmt: skip
        begins = [begin + length for begin, length in zip(begins, lengths, strict=True)]
    for place, (row, end) in enumerate(zip(report.rows, begins, strict=True)):
        if end == 0:
            text = next((c.text for c in row.cells.values() if c.mean is None), NOT_RUN)
            panel.text(1, place, text, color=GREY, style="italic", va="center", fontsize=8)
    panel.set_xlim(0, 100)
    panel.set_xlabel(report.plot_unit)
    _name_rows(panel, report.rows)
    figure.legend(loc="outside lower center", ncols=len(columns), frameon=False)


def _plotted(report: Report) -> list[ReportColumn]:
    return [column for column in report.columns if column.is_plotted]


def _rows_to_plot(report: Report) -> list[ReportRow]:
    """The rows with a figure in a plotted column, or that should have one."""
    keys = {column.key for column in _plotted(report)}
    return [row for row in report.rows if keys & row.cells.keys()]


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


def make_folder(folder: Path) -> None:
    """Make the folder of reports, if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from None


def read_report(path: Path) -> Report:
    """The report in a JSON file."""
    report = read_json(path, Report, "a report of `lear reproduce`")
    if report.format != FORMAT:
        raise DataError(f"{path}: not a report of this version of lear ({FORMAT})")
    return report


TEMPLATE = "template.md"
PLACE = re.compile(r"<!-- table: (\w+) -->")
MADE = "<!-- Made by `lear reproduce --page` of {}: change that, not this. -->\n\n"


def write_page(page: Path, folder: Path) -> None:
    """Write the page of the template and the reports in a folder."""
    write_whole(page, compose(folder, os.path.relpath(folder, page.parent)).encode())


def compose(folder: Path, address: str) -> str:
    """The template with the tables in their places; those without one come last, in order.

    Args:
        folder: The folder of the template and of the JSON files.
        address: How the page calls the folder.
    """
    try:
        template = (folder / TEMPLATE).read_text(encoding="utf-8")
    except OSError as error:
        raise DataError(f"{folder / TEMPLATE}: cannot be read: {error.strerror}") from None
    reports = {path.stem: read_report(path) for path in folder.glob("*.json")}
    sections: dict[str, str] = {}
    for name, report in reports.items():
        picture = f"{address}/{name}.svg" if (folder / f"{name}.svg").is_file() else None
        sections[name] = to_markdown(report, level=2, picture=picture).rstrip()
    placed = set(PLACE.findall(template))
    last = [sections[name] for name in (*TABLES, *sections) if name in sections.keys() - placed]
    text = PLACE.sub(lambda place: sections.get(place[1], _absent(place[1])), template)
    return (
        MADE.format(f"{address}/{TEMPLATE}")
        + "\n\n".join((text.rstrip(), *dict.fromkeys(last)))
        + "\n"
    )


def _absent(name: str) -> str:
    """What stands for a table that was not made."""
    title = TABLES[name].title if name in TABLES else name
    return f"## {title}\n\nNot run (`lear reproduce {name}`)."
