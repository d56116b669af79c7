"""Printing: data to stdout, and files that the user names.

Progress on stderr: bars in a terminal, else a note now and then.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TypeVar

from lear.errors import DataError
from lear.messages import Tracker, as_one_line, as_utf8, last_note, note
from lear.storage.files import encode_json, whole_file


def peak_rss_mb() -> float | None:
    """The peak memory of this process, in megabytes; None where the system does not tell."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1e6 if sys.platform == "darwin" else 1e3), 1)


def write(text: str) -> None:
    """Print a line of data."""
    sys.stdout.write(as_utf8(text) + "\n")


def write_json(value: Any) -> None:
    """Print a JSON object on one line."""
    write(encode_json(value).decode())


def table(rows: Sequence[Sequence[str]], *, numbers: Iterable[int] = ()) -> str:
    """A text table; the first row is the heading, columns in `numbers` are right-aligned."""
    right_aligned = set(numbers)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = (
        "  ".join(
            cell.rjust(width) if index in right_aligned else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines)


def shortened(text: str, length: int) -> str:
    """The text, with its middle left out if it is longer than this."""
    if len(text) <= length:
        return text
    end = (length - 1) // 2
    return f"{text[: length - 1 - end]}…{text[-end:]}"


@contextmanager
def output_file(path: str | None) -> Iterator[BinaryIO | None]:
    """A file to write, opened at once so that errors come early; None if no path is given."""
    if path is None:
        yield None
        return
    try:
        with whole_file(Path(path)) as stream:
            yield stream
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None


if TYPE_CHECKING:
    from rich.progress import Progress, ProgressColumn

T = TypeVar("T")
QUIET_SECONDS = 10.0
"""How long a command that is not at a terminal works without a word."""


def stderr_tracker() -> Tracker:
    """What shows progress where stderr leads to."""
    return TerminalTracker() if _is_terminal() else NoteTracker()


class NoteTracker:
    """For logs and pipes: a line for each phase, and one where counted work has long been quiet."""

    def __init__(self, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._quiet_seconds = quiet_seconds

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """The items; where they take long, a note of how many are done."""
        of_all = "" if total is None else f" of {total:,}"
        began = time.monotonic()
        for number, item in enumerate(items, start=1):
            yield item
            if time.monotonic() - max(began, last_note()) >= self._quiet_seconds:
                note(f"{label}: {number:,}{of_all}")

    @contextmanager
    def phase(self, label: str, *, is_long: bool = True) -> Iterator[None]:
        """One line, when it begins, unless it is short."""
        if is_long:
            note(f"{label} ...")
        yield


class TerminalTracker:
    """Bars that are gone when the work is done; work within work has a bar of its own below."""

    def __init__(self) -> None:
        self._bars: Progress | None = None

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """The items, with a bar."""
        of_all = "" if total is None else f" of {total:,}"
        with self._bar(label, total) as tell:
            for number, item in enumerate(items, start=1):
                yield item
                tell(number, f"{number:,}{of_all}")

    @contextmanager
    def phase(self, label: str, *, is_long: bool = True) -> Iterator[None]:
        """A bar that only shows that something happens."""
        del is_long
        with self._bar(label, None):
            yield

    @contextmanager
    def _bar(self, label: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
        """A bar among those that are shown, and what moves it; the first one opens the display."""
        is_first = self._bars is None
        bars = self._bars = self._bars or _counting_bars()
        if is_first:
            bars.start()
        task = bars.add_task(as_one_line(label), total=total, count="")
        try:
            yield lambda number, count: bars.update(task, completed=number, count=count)
        finally:
            bars.remove_task(task)
            if is_first:
                bars.stop()
                self._bars = None


@contextmanager
def byte_progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with the size of each chunk; it moves a bar if stderr is a terminal."""
    if not _is_terminal():
        yield lambda _: None
        return
    from rich.progress import BarColumn, DownloadColumn, TimeRemainingColumn

    columns = (BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with _bars(*columns) as bars:
        task = bars.add_task(as_one_line(label), total=total)
        yield lambda received: bars.update(task, advance=received)


def _counting_bars() -> "Progress":
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn

    return _bars(BarColumn(), TextColumn("{task.fields[count]}"), TimeElapsedColumn())


def _bars(*columns: "ProgressColumn") -> "Progress":
    # Rich takes some 50 ms to import: only where something is shown.
    from rich.console import Console
    from rich.progress import Progress, TextColumn

    # Notes are written above the bars. Data must go to stdout as ever, wherever that leads to.
    return Progress(
        TextColumn("{task.description}", markup=False),
        *columns,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()
