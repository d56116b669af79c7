"""JSON files from outside: values of a type, or one line that says why not."""

from pathlib import Path
from typing import TypeVar

import msgspec

from lear.errors import DataError, FileMissingError

T = TypeVar("T")
NOT_JSON = (ValueError, RecursionError)
"""What decoding raises: malformed, of another type, not UTF-8, or nested too deeply."""


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
