"""What commands print: data on stdout, files that the user names, and progress on stderr.

In a terminal progress is a bar that is gone when the work is done; elsewhere it is a line now and
then.
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

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")
QUIET_SECONDS = 10.0
"""How long a command that is not at a terminal works without a line."""


def write(text: str) -> None:
    """Print a line of data."""
    sys.stdout.write(as_utf8(text) + "\n")


def write_json(value: Any) -> None:
    """Print a JSON object on one line."""
    write(encode_json(value).decode())


def table(rows: Sequence[Sequence[str]], *, numbers: Iterable[int] = ()) -> str:
    """Return a text table; the first row is the heading, columns in `numbers` are right-aligned."""
    right_aligned = set(numbers)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if index in right_aligned else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def shortened(text: str, length: int) -> str:
    """Return the text, without its middle if it is longer than this."""
    if len(text) <= length:
        return text
    end = (length - 1) // 2
    return f"{text[: length - 1 - end]}…{text[-end:]}"


@contextmanager
def output_file(path: str | None) -> Iterator[BinaryIO | None]:
    """Open a file to write, at once so that errors come early; yield None if no path is given."""
    if path is None:
        yield None
        return
    try:
        with whole_file(Path(path)) as stream:
            yield stream
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None


def peak_rss_mb() -> float | None:
    """Return the peak memory of this process in MB; None where the system does not tell it."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1e6 if sys.platform == "darwin" else 1e3), 1)


def stderr_tracker() -> Tracker:
    """Return what shows progress where stderr leads to."""
    return TerminalTracker() if _is_terminal() else NoteTracker()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class NoteTracker:
    """For logs and pipes: a line for each phase, and one where counted work has long been quiet."""

    def __init__(self, quiet_seconds: float = QUIET_SECONDS) -> None:
        self._quiet_seconds = quiet_seconds

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """Yield the items; where they take long, note how many are done."""
        of_all = "" if total is None else f" of {total:,}"
        began = time.monotonic()
        for number, item in enumerate(items, start=1):
            yield item
            if time.monotonic() - max(began, last_note()) >= self._quiet_seconds:
                note(f"{label}: {number:,}{of_all}")

    @contextmanager
    def phase(self, label: str, *, is_long: bool = True) -> Iterator[None]:
        """Note that a phase begins, unless it is short."""
        if is_long:
            note(f"{label} ...")
        yield


class TerminalTracker:
    """Bars that are gone when the work is done; work within work has a bar of its own below."""

    def __init__(self) -> None:
        self._bars: Progress | None = None

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """Yield the items, with a bar."""
        of_all = "" if total is None else f" of {total:,}"
        with self.bar(label, total) as tell:
            for number, item in enumerate(items, start=1):
                yield item
                tell(number, f"{number:,}{of_all}")

    @contextmanager
    def phase(self, label: str, *, is_long: bool = True) -> Iterator[None]:
        """Show that something happens."""
        del is_long
        with self.bar(label, None):
            yield

    @contextmanager
    def bar(self, label: str, total: int | None) -> Iterator[Callable[[int, str], None]]:
        """Show a bar, and yield what moves it; the first one opens the display."""
        is_first = self._bars is None
        bars = self._bars = self._bars or _bars()
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
    """Yield a function that takes the size of each chunk; it moves a bar at a terminal."""
    if not _is_terminal():
        yield lambda _: None
        return
    received = 0
    with TerminalTracker().bar(label, total) as tell:

        def advance(size: int) -> None:
            nonlocal received
            received += size
            tell(received, f"{received / 1e6:.1f} of {total / 1e6:.1f} MB")

        yield advance


def _bars() -> "Progress":
    # Rich takes some 50 ms to import: only where something is shown.
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    # Notes are written above the bars. Data must go to stdout as ever, wherever that leads to.
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
    )
