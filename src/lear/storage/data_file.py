"""A published data file, known by its checksum, and the reading of it line by line."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from lear.errors import DataError


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a benchmark as its authors publish it, or as a user made it."""

    path: str
    """Where it lies below a data folder, such as `cogs/train.tsv`."""
    sha256: str
    """Empty where there is no published file to compare with."""
    size: int
    url: str
    """Its address, or, without one of its own, advice on how to get it."""

    @property
    def has_address(self) -> bool:
        """Whether it can be fetched by itself."""
        return self.url.startswith(("http:", "https:", "file:"))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's contents, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def paired_lines(first: Path, second: Path) -> Iterator[tuple[int, str, str]]:
    """The lines of two files that belong together, numbered from 1; neither may be empty."""
    number = 0
    for one, other in zip_longest(numbered_lines(first), numbered_lines(second)):
        if one is None or other is None:
            short, long = (first, second) if one is None else (second, first)
            raise DataError(f"{short}: has fewer lines than {long}")
        number, text = one
        yield number, text, other[1]
    if number == 0:
        raise DataError(f"{first}: the file is empty")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a UTF-8 file, numbered from 1, without their line ends."""
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, start=1):
                try:
                    text = line.decode("utf-8").rstrip("\r\n")
                    yield number, text.removeprefix("\ufeff") if number == 1 else text
                except UnicodeDecodeError:
                    raise DataError(f"{path}:{number}: not UTF-8 text") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
