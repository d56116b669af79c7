"""Lines of text from outside: what is no text, or has no end, is a line with an error."""

from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

MAX_BYTES = 1_000_000
"""Of a line; the longest one of a benchmark has two thousand."""
MAX_SHOWN = 200
"""Bytes of a line that cannot be read that are shown."""
STDIN = "standard input"
"""In place of the name of a file."""
BYTE_ORDER_MARK = "\ufeff"
NOT_TEXT = "not UTF-8 text"
BLOCK = 65_536
"""Bytes that are looked at together; no more than a line may have."""


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
            yield TextLine(number, shown, _too_long())
            continue
        try:
            text = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            yield TextLine(number, _beginning(line), NOT_TEXT)
        else:
            # Files that were put together have marks inside.
            yield TextLine(number, text.removeprefix(BYTE_ORDER_MARK))


def _beginning(line: bytes) -> str:
    """What people see of a line that cannot be read."""
    return line[:MAX_SHOWN].decode("utf-8", "replace").rstrip("\r\n")


def first_bad_line(stream: BinaryIO) -> TextLine | None:
    """The first of these lines that cannot be read, if there is one.

    Lines are not looked at one by one, so empty ones without number take no time either.
    """
    decoder = getincrementaldecoder("utf-8")()
    number, length = 1, 0  # of the line that a block begins in
    while True:
        block = stream.read(BLOCK)
        length += block.find(b"\n") + 1 or len(block)
        if length > MAX_BYTES:
            return TextLine(number, "", _too_long())
        try:
            decoder.decode(block, final=not block)
        except UnicodeDecodeError as error:
            number += error.object[: error.start].count(b"\n")
            return TextLine(number, "", NOT_TEXT)
        if not block:
            return None
        if b"\n" in block:
            number += block.count(b"\n")
            length = len(block) - block.rfind(b"\n") - 1


def _too_long() -> str:
    return f"a line of more than {MAX_BYTES:,} bytes"
