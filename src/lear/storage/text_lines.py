"""Lines of text from outside: what is no text, or has no end, is a line with an error."""

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

MAX_BYTES = 1_000_000
"""Of a line; the longest one of a benchmark has two thousand."""
MAX_SHOWN = 200
"""Bytes of a line that cannot be read that are shown."""
STDIN = "standard input"
"""In place of the name of a file."""
BYTE_ORDER_MARK = "\ufeff"


class TextLine(NamedTuple):
    """A line, numbered from 1, without its end and without a byte order mark at its beginning."""

    number: int
    text: str
    """Of a line that cannot be read, what can be: no more than its beginning."""
    error: str = ""
    """Why it cannot be read; empty if it can."""


def text_lines(stream: BinaryIO) -> Iterator[TextLine]:
    """The lines of UTF-8 text; one that cannot be read does not keep others from being read."""
    number = 0
    while line := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(line) > MAX_BYTES:
            shown = _beginning(line)
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_BYTES)
            yield TextLine(number, shown, f"a line of more than {MAX_BYTES:,} bytes")
            continue
        try:
            text = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            yield TextLine(number, _beginning(line), "not UTF-8 text")
        else:
            # Files that were put together have marks inside.
            yield TextLine(number, text.removeprefix(BYTE_ORDER_MARK))


def _beginning(line: bytes) -> str:
    """What people see of a line that cannot be read."""
    return line[:MAX_SHOWN].decode("utf-8", "replace").rstrip("\r\n")
