"""Atomic writing: a file is replaced as a whole or not at all, and failures leave no folders."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from lear.errors import DataError

MODE = 0o777
"""Who may read, write and run a file."""
PARTIAL = ".partial"
"""How the names of files end that are not whole yet."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A stream that becomes the file when the block ends without an error.

    Symbolic links are followed. What is not a regular file (a pipe, /dev/null) is written directly.
    A file that is replaced keeps its mode: who may read it, may read the new one.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        with target.open("wb") as stream:
            yield stream
        return
    # Nobody can put a link in the way of a name that nobody knows, nor of a file that is new.
    partial = target.with_name(f".{target.name}.{secrets.token_hex(8)}{PARTIAL}")
    try:
        with partial.open("xb") as stream:
            _keep_mode(target, partial)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _keep_mode(target: Path, partial: Path) -> None:
    """Give a file the mode of the one that it will replace, before anything is in it."""
    with suppress(OSError):  # there is none, or this file system has no modes
        partial.chmod(target.stat().st_mode & MODE)


def partial_files(folder: Path) -> set[Path]:
    """What processes left in a folder that were killed while they wrote there."""
    return set(folder.glob(f".*.{'[0-9a-f]' * 16}{PARTIAL}"))


@contextmanager
def new_folders(folder: Path) -> Iterator[None]:
    """Make a folder, and those above it; if the block fails, those that are new go again."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for path in missing:  # from the inside out
            with suppress(OSError):  # there is something in it by now, which is not ours
                path.rmdir()
        raise


def write_whole(path: Path, content: bytes) -> None:
    """Write a file atomically; raise `DataError` if it cannot be written."""
    try:
        with whole_file(path) as stream:
            stream.write(content)
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror}") from None
