"""Partitions: input files cut into parts of so many rows, which are answered one by one."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from lear.bulk.input_files import open_input, text_chunks
from lear.bulk.rows import Chunk
from lear.errors import DataError
from lear.messages.shown_text import as_utf8
from lear.storage.data_file import sha256_of

BLOCK_BYTES = 1 << 20
NEWLINE = ord("\n")


class InputFile(msgspec.Struct, frozen=True):
    """An input file as it was when its partitions were made."""

    path: str
    """From the root, so that every worker finds it."""
    input_format: str
    size: int
    changed: int
    """When it was last written, in nanoseconds."""
    sha256: str
    rows: int


class Partition(NamedTuple):
    """Some rows of a file; can be pickled."""

    number: int
    """From 0, over all files."""
    file: InputFile
    begin: int
    """Where its first row is: the byte of a text file; of a table it says nothing."""
    first: int
    """The number of its first row, from 1."""
    rows: int

    def chunks(self) -> Iterator[Chunk]:
        """Its rows; raise `DataError` if the file is not what it was."""
        path, source = Path(self.file.path), as_utf8(self.file.path)
        if (path_state := _state(path)) != (self.file.size, self.file.changed):
            cause = "is not there" if path_state is None else "has changed since the work was begun"
            raise DataError(f"{source}: {cause}, or is another one on the machine of a worker")
        if self.file.input_format == "parquet":
            from lear.bulk.parquet import parquet_chunks

            yield from parquet_chunks(path, source, self.first, self.rows)
            return
        left = self.rows
        with open_input(path, source) as stream:
            stream.seek(self.begin)
            for chunk in text_chunks(stream, source, self.file.input_format, first=self.first):
                if chunk.num_rows >= left:
                    yield chunk.cut(left)
                    return
                left -= chunk.num_rows
                yield chunk


def make_partitions(paths: list[Path], input_format: str, rows: int) -> list[Partition]:
    """All rows of these files, in order, cut into partitions of at most so many."""
    partitions: list[Partition] = []
    for path in paths:
        scan = _scan_table if input_format == "parquet" else _scan_text
        file, begins = scan(path.absolute(), input_format, rows)
        for index, begin in enumerate(begins):
            first = index * rows + 1
            size = min(rows, file.rows - index * rows)
            partitions.append(Partition(len(partitions), file, begin, first, size))
    return partitions


def _scan_text(path: Path, input_format: str, rows: int) -> tuple[InputFile, list[int]]:
    """A file, and the bytes at which its partitions begin."""
    begins, offset, num_lines, last = [0], 0, 0, b"\n"
    digest = hashlib.sha256()
    with open_input(path, str(path)) as stream:
        while block := stream.read(BLOCK_BYTES):
            digest.update(block)
            ends = np.flatnonzero(np.frombuffer(block, np.uint8) == NEWLINE)
            # The first line end of this block that ends a partition, and every so many after it.
            chosen = ends[rows - 1 - num_lines % rows :: rows]
            begins += (offset + 1 + chosen).tolist()
            num_lines += len(ends)
            offset += len(block)
            last = block[-1:]
    num_lines += last != b"\n"  # the last line may lack its end
    num_partitions = -(-num_lines // rows)
    return _file(path, input_format, digest.hexdigest(), num_lines), begins[:num_partitions]


def _scan_table(path: Path, input_format: str, rows: int) -> tuple[InputFile, list[int]]:
    from lear.bulk.parquet import count_rows

    num_rows = count_rows(path, str(path))
    file = _file(path, input_format, sha256_of(path), num_rows)
    return file, [0] * -(-num_rows // rows)


def _file(path: Path, input_format: str, sha256: str, rows: int) -> InputFile:
    state = _state(path)
    if state is None:
        raise DataError(f"{path}: went away while it was read")
    return InputFile(str(path), input_format, *state, sha256, rows)


def _state(path: Path) -> tuple[int, int] | None:
    """Size and time of a file; None if there is none."""
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_size, state.st_mtime_ns
