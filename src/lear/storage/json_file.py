"""JSON: files from outside are values of a type, or one line that says why not."""

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lear.errors import DataError, FileMissingError
from lear.messages.shown_text import as_utf8

T = TypeVar("T")
NOT_JSON = (ValueError, RecursionError)
"""What decoding raises: malformed, of another type, not UTF-8, or nested too deeply."""


def encode_json(value: object) -> bytes:
    """A value as JSON; what is not UTF-8 in names of files is shown, as `as_utf8` has it."""
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
    """The contents of a file; `what` says what it should be, for errors."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except FileNotFoundError:
        raise FileMissingError(f"{path}: no such file") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except NOT_JSON as error:
        raise DataError(f"{path}: not {what}: {error}") from None
