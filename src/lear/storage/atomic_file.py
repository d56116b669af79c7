"""Atomic writing of files: a file is replaced as a whole, or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from lear.errors import DataError


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream that becomes the file when the block ends without an error.

    Symbolic links are followed. What is not a regular file (a pipe, /dev/null) is written directly.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with partial.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically; raise `DataError` if it cannot be written."""
    try:
        with whole_file(path) as stream:
            stream.write(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None
