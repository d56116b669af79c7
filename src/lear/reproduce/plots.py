"""A report as a plot, SVG and PNG; needs matplotlib, which is an extra."""

import io
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lear.errors import LearError
from lear.reproduce.report import NOT_RUN, Cell, Report, ReportColumn, ReportRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours: told apart by all kinds of colour vision, and in print by lightness.
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
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "lear",
}


class NoPlotsError(LearError):
    """Matplotlib is not installed."""


def draw(report: Report) -> dict[str, bytes]:
    """Return the plot as `svg` and `png`."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
        from matplotlib.layout_engine import ConstrainedLayoutEngine
    except ImportError:
        raise NoPlotsError("plots need matplotlib: pip install 'lear[plots]'") from None
    kinds = {"dots": _dots, "lines": _lines, "groups": _groups, "bars": _bars, "stack": _stack}
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
    """Draw a panel for each column: mean and interval, below them a dot for each seed."""
    columns = _plotted(report)
    keys = {column.key for column in columns}
    rows = [row for row in report.rows if keys & row.cells.keys()]
    figure.set_size_inches(3.0 + 3.3 * len(columns), 1.2 + ROW_INCHES * len(rows))
    for panel, column in _panels(figure, report, rows):
        for place, row in enumerate(rows):
            cell = row.cells.get(column.key)
            if cell is None:
                continue
            has_mean = cell.mean is not None
            if has_mean:
                _whisker(panel, place, cell, COLOURS[row.kind], is_vertical=False)
                _seeds(panel, place + 0.28, cell, COLOURS[row.kind], is_vertical=False)
            panel.annotate(
                cell.text,
                (1.02, place),
                xycoords=("axes fraction", "data"),
                va="center",
                fontsize=7.5,
                color="black" if has_mean else GREY,
                style="normal" if has_mean else "italic",
            )
        panel.set_xlim(-3, 103)
        panel.grid(axis="x")
        panel.set_axisbelow(True)


def _bars(figure: "Figure", report: Report) -> None:
    """Draw a panel for each column: a bar for each row, with its figure at the end."""
    columns = _plotted(report)
    means = {c.key: [m for row in report.rows if (m := _mean(row, c))] for c in columns}
    is_wide = any(max(found) > WIDE * min(found) for found in means.values() if found)
    figure.set_size_inches(2.6 + 3.0 * len(columns), 1.2 + 1.1 * ROW_INCHES * len(report.rows))
    for panel, column in _panels(figure, report, report.rows):
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


def _lines(figure: "Figure", report: Report) -> None:
    """Draw a line for each row over the columns."""
    from matplotlib.lines import Line2D

    figure.set_size_inches(7.2, 4.2)
    panel = figure.subplots()
    columns = _plotted(report)
    handles = []
    for number, row in enumerate(report.rows):
        colour, marker = LINES[number % len(LINES)], MARKERS[number % len(MARKERS)]
        shift = 0.06 * (number - (len(report.rows) - 1) / 2)
        cells = {
            place + shift: row.cells[column.key]
            for place, column in enumerate(columns)
            if column.key in row.cells and row.cells[column.key].mean is not None
        }
        means = [cell.mean or 0.0 for cell in cells.values()]
        panel.plot(list(cells), means, color=colour, linewidth=1.3)
        for place, cell in cells.items():
            _whisker(panel, place, cell, colour, is_vertical=True, marker=marker)
        name = row.name if cells else f"{row.name}: {NOT_RUN}"
        handles.append(Line2D([], [], color=colour, marker=marker, label=name))
    panel.set_xticks(range(len(columns)), [column.title for column in columns])
    panel.set_xlim(-0.5, len(columns) - 0.5)
    panel.set_ylabel(report.plot_unit)
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    figure.legend(handles=handles, loc="outside lower center", ncols=2, frameon=False)


def _groups(figure: "Figure", report: Report) -> None:
    """Draw quoted rows and ours in groups by what follows the comma in their names."""
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
            _whisker(panel, place, cell, COLOURS[row.kind], is_vertical=True)
            _seeds(panel, place + 0.07, cell, COLOURS[row.kind], is_vertical=True)
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
    panel.grid(axis="y")
    panel.set_axisbelow(True)
    _legend(figure, report.rows)


def _stack(figure: "Figure", report: Report) -> None:
    """Draw a bar for each row, of the columns one after the other."""
    columns = _plotted(report)
    figure.set_size_inches(7.2, 1.4 + 1.1 * ROW_INCHES * len(report.rows))
    panel = figure.subplots()
    ends = [0.0] * len(report.rows)
    for column, colour in zip(columns, PARTS, strict=False):
        lengths = [_mean(row, column) for row in report.rows]
        bars = panel.barh(
            range(len(lengths)), lengths, left=ends, color=colour, height=0.7, label=column.title
        )
        shown = [f"{length:.0f}" if length >= 6 else "" for length in lengths]
        white = "white" if colour == PARTS[0] else "black"
        panel.bar_label(bars, shown, label_type="center", fontsize=8, color=white)
        ends = [end + length for end, length in zip(ends, lengths, strict=True)]
    for place, (row, end) in enumerate(zip(report.rows, ends, strict=True)):
        if end == 0:
            text = next((c.text for c in row.cells.values() if c.mean is None), NOT_RUN)
            panel.text(1, place, text, color=GREY, style="italic", va="center", fontsize=8)
    panel.set_xlim(0, 100)
    panel.set_xlabel(report.plot_unit)
    _name_rows(panel, report.rows)
    figure.legend(loc="outside lower center", ncols=len(columns), frameon=False)


def _panels(
    figure: "Figure", report: Report, rows: Sequence[ReportRow]
) -> "Iterator[tuple[Axes, ReportColumn]]":
    """Make a panel for each column, with rows from top to bottom."""
    columns = _plotted(report)
    panels = figure.subplots(1, len(columns), sharey=True, squeeze=False)[0]
    for panel, column in zip(panels, columns, strict=True):
        yield panel, column
        panel.set_title(column.title)
        panel.set_xlabel(report.plot_unit)
    _name_rows(panels[0], rows)
    _legend(figure, rows)


def _whisker(
    panel: "Axes", place: float, cell: Cell, colour: str, *, is_vertical: bool, marker: str = "o"
) -> None:
    """Draw the mean of a cell with its interval, which scores of 0 and 100 bound."""
    assert cell.mean is not None
    width = cell.half_width or 0.0
    reach = [[min(width, max(0.0, cell.mean))], [min(width, max(0.0, 100 - cell.mean))]]
    x, y = (place, cell.mean) if is_vertical else (cell.mean, place)
    xerr, yerr = (None, reach) if is_vertical else (reach, None)
    panel.errorbar(
        [x], [y], xerr=xerr, yerr=yerr, fmt=marker, color=colour, markersize=5, capsize=3,
        linewidth=1.3,
    )  # fmt: skip


def _seeds(panel: "Axes", place: float, cell: Cell, colour: str, *, is_vertical: bool) -> None:
    """Draw a dot for each seed."""
    scores, places = list(cell.values.values()), [place] * len(cell.values)
    x, y = (places, scores) if is_vertical else (scores, places)
    panel.plot(x, y, ".", color=colour, markersize=4 if is_vertical else 3.5)


def _name_rows(panel: "Axes", rows: Sequence[ReportRow]) -> None:
    """Write names beside the rows, the first on top."""
    panel.set_yticks(range(len(rows)), [row.name for row in rows])
    for label, row in zip(panel.get_yticklabels(), rows, strict=True):
        label.set_fontweight("bold" if row.kind == "ours" else "normal")
    panel.set_ylim(len(rows) - 0.4, -0.6)


def _legend(figure: "Figure", rows: Sequence[ReportRow]) -> None:
    from matplotlib.lines import Line2D

    handles = [
        Line2D([], [], color=COLOURS[kind], marker="o", linestyle="", label=LABELS[kind])
        for kind in dict.fromkeys(row.kind for row in rows)
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)


def _mean(row: ReportRow, column: ReportColumn) -> float:
    """Return the figure of a row; 0 if it has none."""
    cell = row.cells.get(column.key)
    return 0.0 if cell is None else cell.mean or 0.0


def _plotted(report: Report) -> list[ReportColumn]:
    return [column for column in report.columns if column.is_plotted]
