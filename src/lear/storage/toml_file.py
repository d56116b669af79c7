"""TOML from outside, within limits: Python's reader takes minutes for a name with many dots."""

import tomllib
from pathlib import Path
from typing import Any

from lear.errors import DataError

MAX_CHARACTERS = 1_000_000
MAX_DOTS = 100
"""In one line, as TOML has it: other marks that end lines of text may be a part of a name."""


def decode_toml(text: str) -> dict[str, Any]:
    """The values of a text; `ValueError` says what is wrong with it."""
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"longer than {MAX_CHARACTERS:,} characters")
    if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        raise ValueError(f"a line with more than {MAX_DOTS} dots")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """The values of a file; `what` says what it should be, for errors."""
    try:
        with path.open(encoding="utf-8-sig") as stream:
            return decode_toml(stream.read(MAX_CHARACTERS + 1))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise DataError(f"{path}: not {what}: {error}") from None
