"""Printing: data to stdout, progress to stderr, and files that the user names."""

import resource
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import msgspec

from lear.errors import DataError
from lear.storage.atomic_file import whole_file

T = TypeVar("T")


def peak_rss_mb() -> float:
    """The peak memory of this process, in megabytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


def write(text: str) -> None:
    """Print a line of data."""
    sys.stdout.write(text + "\n")


def write_json(value: Any) -> None:
    """Print a JSON object on one line."""
    write(msgspec.json.encode(value).decode())


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


def track(items: Sequence[T], label: str) -> Iterator[T]:
    """The items, with a progress bar if stderr is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track as rich_track

    yield from rich_track(items, label, console=Console(stderr=True), transient=True)


@contextmanager
def byte_progress(label: str, total: int) -> Iterator[Callable[[int], None]]:
    """A function to call with the size of each chunk; it moves a bar if stderr is a terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TimeRemainingColumn

    columns = ("{task.description}", BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(label, total=total)
        yield lambda received: progress.update(task, advance=received)


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
