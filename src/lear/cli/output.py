"""Printing: data to stdout, and files that the user names."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from lear.errors import DataError
from lear.messages.shown_text import as_utf8
from lear.storage.atomic_file import whole_file
from lear.storage.json_file import encode_json


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
