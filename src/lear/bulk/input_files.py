"""Input files of any size, read chunk by chunk: text as it is there, Parquet as Arrow's bytes."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO

from lear.bulk.rows import Chunk, TextChunk
from lear.errors import DataError, UsageError
from lear.storage.text_lines import MAX_BYTES

FORMATS = ("lines", "tsv", "jsonl", "parquet")
CHUNK_ROWS = 1_024
"""How many rows are answered at once."""
CHUNK_BYTES = 4_000_000
"""A chunk ends here even if it has fewer rows, so that no input takes more memory."""


def format_of(name: str) -> str:
    """The format of a file, or of the files of a folder, by name; by default a sentence a line."""
    suffixes = {path.suffix.removeprefix(".") for path in input_paths(name)}
    formats = {suffix if suffix in FORMATS else "lines" for suffix in suffixes}
    if len(formats) > 1:
        raise UsageError(f"{name}: has files of several formats: {', '.join(sorted(formats))}")
    return formats.pop()


def text_chunks(
    stream: BinaryIO, source: str, input_format: str, rows: int = CHUNK_ROWS, first: int = 1
) -> Iterator[TextChunk]:
    """The lines of a stream, so many at a time; `first` is the number of its first one."""
    lines = _lines(stream)
    while content := b"".join(_first_lines(lines, rows)):
        chunk = TextChunk(source, first, content, input_format)
        yield chunk
        first += chunk.num_rows


def _first_lines(lines: Iterator[bytes], rows: int) -> Iterator[bytes]:
    size = 0
    for line in islice(lines, rows):
        yield line
        size += len(line)
        if size >= CHUNK_BYTES:
            return


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Whole lines, each with its end; one that is too long to be read stays so, cut off."""
    while line := stream.readline(MAX_BYTES + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_BYTES)
        yield line if line.endswith(b"\n") else line + b"\n"


def file_chunks(path: Path, source: str, input_format: str) -> Iterator[Chunk]:
    """The chunks of a file."""
    if input_format == "parquet":
        from lear.bulk.parquet import parquet_chunks

        yield from parquet_chunks(path, source)
        return
    with open_input(path, source) as stream:
        yield from text_chunks(stream, source, input_format)


def open_input(path: Path, source: str) -> BinaryIO:
    """A file, opened; raise `DataError` if it cannot be."""
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror}") from None


def input_paths(name: str) -> list[Path]:
    """The file of this name, or the files of the folder of this name, in order.

    In a folder, files whose names begin with a dot or a line belong to who wrote it.
    """
    path = Path(name)
    if not path.is_dir():
        return [path]
    paths = [p for p in sorted(path.iterdir()) if p.is_file() and p.name[0] not in "._"]
    if not paths:
        raise UsageError(f"{name}: holds no files")
    return paths
