"""Files: atomic writing; JSON, TOML and lines of text from outside, within limits.

A file is replaced as a whole or not at all. Whatever is in a file from outside, it is a value of
the expected type, or one line that says why not.
"""

import os
import secrets
import tomllib
from codecs import getincrementaldecoder
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

import msgspec

from lear.errors import DataError, FileMissingError
from lear.messages import as_utf8

MODE = 0o777
"""The bits of a mode that say who may read, write and run a file."""
PARTIAL = ".partial"
"""How the names of files end that are not whole yet."""


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Give a stream that becomes the file when the block ends without an error.

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
            with suppress(OSError):  # the file is new, or this file system has no modes
                partial.chmod(target.stat().st_mode & MODE)
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def partial_files(folder: Path) -> set[Path]:
    """Return what processes left in a folder that were killed while they wrote there."""
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


T = TypeVar("T")
NOT_JSON = (ValueError, RecursionError)
"""What decoding raises: malformed, of another type, not UTF-8, or nested too deeply."""


def encode_json(value: object) -> bytes:
    """Return a value as JSON; what is not UTF-8 in names of files is shown, as `as_utf8` has it."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return msgspec.json.encode(_in_utf8(msgspec.to_builtins(value)))


def _in_utf8(value: Any) -> Any:
    if isinstance(value, str):
        return as_utf8(value)
    if isinstance(value, dict):
        return {_in_utf8(key): _in_utf8(inner) for key, inner in value.items()}
    return [_in_utf8(inner) for inner in value] if isinstance(value, list | tuple) else value


def read_json(path: Path, kind: type[T], what: str) -> T:
    """Return the contents of a file; `what` says what it should be, for errors."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise FileMissingError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except NOT_JSON as error:
        raise DataError(f"{path}: not {what}: {error}") from None


MAX_CHARACTERS = 1_000_000
MAX_DOTS = 100
"""How many dots a line may have."""


def decode_toml(text: str) -> dict[str, Any]:
    """Return the values of a text; `ValueError` says what is wrong with it.

    Python's reader takes minutes for a name with many dots.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"longer than {MAX_CHARACTERS:,} characters")
    if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        raise ValueError(f"a line with more than {MAX_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """Return the values of a file; `what` says what it should be, for errors."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            return decode_toml(stream.read(MAX_CHARACTERS + 1))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"{path}: not {what}: {error}") from None


MAX_BYTES = 1_000_000
"""How long a line may be; the longest one of a benchmark has two thousand bytes."""
MAX_SHOWN = 200
"""How many bytes are shown of a line that cannot be read."""
STDIN = "standard input"
"""What messages say in place of the name of a file."""
BYTE_ORDER_MARK = "\ufeff"
NOT_TEXT = "not UTF-8 text"
TOO_LONG = f"a line of more than {MAX_BYTES:,} bytes"
BLOCK = 65_536
"""How many bytes are looked at together; no more than a line may have."""


class TextLine(NamedTuple):
    """A line, numbered from 1, without its end and without a byte order mark at its beginning."""

    number: int
    text: str
    """Only the beginning of a line that cannot be read."""
    error: str = ""
    """Why it cannot be read; empty if it can."""


def text_lines(stream: BinaryIO) -> Iterator[TextLine]:
    """Give the lines of UTF-8 text; one that cannot be read keeps no other from being read."""
    number = 0
    while line := stream.readline(MAX_BYTES + 1):
        number += 1
        if len(line) > MAX_BYTES:
            shown = line[:MAX_SHOWN]
            while line and not line.endswith(b"\n"):
                line = stream.readline(MAX_BYTES)
            yield _unreadable(number, shown, TOO_LONG)
            continue
        try:
            text = line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            yield _unreadable(number, line[:MAX_SHOWN], NOT_TEXT)
        else:
            # Files that were put together have marks inside.
            yield TextLine(number, text.removeprefix(BYTE_ORDER_MARK))


def _unreadable(number: int, beginning: bytes, error: str) -> TextLine:
    return TextLine(number, beginning.decode("utf-8", "replace").rstrip("\r\n"), error)


def first_bad_line(stream: BinaryIO) -> TextLine | None:
    """Return the first of these lines that cannot be read, if there is one.

    Lines are not looked at one by one, so empty ones without number take no time either.
    """
    decoder = getincrementaldecoder("utf-8")()
    number, length = 1, 0  # of the line that a block begins in
    while True:
        block = stream.read(BLOCK)
        length += block.find(b"\n") + 1 or len(block)
        if length > MAX_BYTES:
            return TextLine(number, "", TOO_LONG)
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


LOCK_FILE = "lock"


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be; raise `DataError` if another process does."""
    from filelock import FileLock, Timeout  # takes long to import, and few commands need it

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from None
    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise DataError(f"{folder}: another process is at work there") from None
    except OSError as error:
        raise DataError(f"{folder}: cannot be locked: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()
