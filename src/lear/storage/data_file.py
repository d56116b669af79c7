"""Data files: the record of a published file, and reading files line by line."""

import hashlib
from collections.abc import Iterator, Sized
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from lear.errors import DataError
from lear.storage.text_lines import text_lines


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a benchmark, published by its authors or made by a user."""

    path: str
    """Path below the data folder, such as `cogs/train.tsv`."""
    sha256: str
    """Empty where there is no published file to compare with."""
    size: int
    url: str
    """Its address; advice on how to get it, where it has no address of its own."""

    @property
    def has_address(self) -> bool:
        """Whether it can be downloaded by itself."""
        return self.url.startswith(("http:", "https:", "file:"))


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file's contents, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def listed_files(manifest: Path, address: str) -> dict[str, DataFile]:
    """Path -> data file, for a list with one file a line: its SHA-256, size and path.

    Args:
        manifest: The list.
        address: What the paths follow in the files' addresses, but for their first folder.
    """
    files = {}
    for _, line in numbered_lines(manifest):
        sha256, size, path = line.split()
        files[path] = DataFile(path, sha256, int(size), f"{address}/{path.partition('/')[2]}")
    return files


def refuse_empty(content: Sized, what: str, source: str) -> None:
    """Raise `DataError` if a column of a row is empty; `what` and `source` name it."""
    if not content:
        raise DataError(f"{source}: the {what} is empty")


def paired_lines(first: Path, second: Path) -> Iterator[tuple[int, str, str]]:
    """The lines of two parallel files, numbered from 1; neither file may be empty."""
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
            for number, text, cause in text_lines(stream):
                if cause:
                    raise DataError(f"{path}:{number}: {cause}")
                yield number, text
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
