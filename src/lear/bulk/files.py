"""Input files of any size, read chunk by chunk, and files of answers; memory stays the same.

A chunk travels as bytes to the process that answers it, and its answers come back as bytes.
"""

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

import msgspec

from lear.bulk.answering import Answerer, AnswerSettings, Row, row_of
from lear.errors import DataError, UsageError
from lear.storage.files import MAX_BYTES, MAX_SHOWN, NOT_JSON, text_lines

FORMATS = ("lines", "tsv", "jsonl", "parquet")
OUTPUT_FORMATS = ("jsonl", "parquet")
CHUNK_ROWS = 1_024
"""How many rows are answered at once."""
CHUNK_BYTES = 4_000_000
"""A chunk ends here even if it has fewer rows, so that no input takes more memory."""
Write = Callable[[bytes], object]


class Chunk(Protocol):
    """Some rows of an input file, one after the other; can be pickled."""

    def rows(self) -> list[Row]:
        """Read the rows."""


class TextChunk(NamedTuple):
    """Lines of a text file, as they are there; each has its end."""

    source: str
    """The name of the file, for errors."""
    first: int
    """The number of the first line, from 1."""
    content: bytes
    input_format: str
    """`lines`, `tsv` or `jsonl`."""

    def rows(self) -> list[Row]:
        """Return a row for each line."""
        return [
            self._row(text, error, f"{self.source}:{self.first + number - 1}")
            for number, text, error in text_lines(io.BytesIO(self.content))
        ]

    def _row(self, text: str, error: str, place: str) -> Row:
        if error:
            return Row({}, text, f"{place}: {error}")
        if self.input_format != "jsonl":
            return Row({}, text.split("\t")[0] if self.input_format == "tsv" else text)
        try:
            row = row_of(msgspec.json.decode(text, type=dict[str, object]), place)
        except NOT_JSON as reason:
            return Row({}, text[:MAX_SHOWN], f"{place}: not a JSON object: {reason}")
        return row._replace(sentence=text[:MAX_SHOWN]) if row.error else row


def format_of(name: str) -> str:
    """Return the format of a file, or of the files of a folder, by name; by default `lines`."""
    suffixes = {path.suffix.removeprefix(".") for path in input_paths(name)}
    formats = {suffix if suffix in FORMATS else "lines" for suffix in suffixes}
    if len(formats) > 1:
        raise UsageError(f"{name}: has files of several formats: {', '.join(sorted(formats))}")
    return formats.pop()


def input_paths(name: str) -> list[Path]:
    """Return the file of this name, or the files of the folder of this name, in order.

    In a folder, files whose names begin with a dot or an underscore belong to whoever wrote it.
    """
    path = Path(name)
    if not path.is_dir():
        return [path]
    paths = [p for p in sorted(path.iterdir()) if p.is_file() and p.name[0] not in "._"]
    if not paths:
        raise UsageError(f"{name}: holds no files")
    return paths


def open_input(path: Path, source: str) -> BinaryIO:
    """Open a file; raise `DataError` if it cannot be opened."""
    try:
        return path.open("rb")
    except OSError as error:
        raise DataError(f"{source}: cannot be read: {error.strerror}") from None


def file_chunks(
    path: Path,
    source: str,
    input_format: str,
    begin: int = 0,
    first: int = 1,
    count: int | None = None,
) -> Iterator[Chunk]:
    """Yield so many rows of a file, or all, from the one with number `first` on.

    Args:
        path: The file.
        source: What errors call it.
        input_format: One of `FORMATS`.
        begin: The byte of a text file at which that row begins.
        first: The number of that row, from 1.
        count: How many rows; None is all.
    """
    if input_format == "parquet":
        from lear.bulk.parquet import parquet_chunks  # pyarrow is an extra

        yield from parquet_chunks(path, source, first, count)
        return
    with open_input(path, source) as stream:
        stream.seek(begin)
        yield from text_chunks(stream, source, input_format, first=first, count=count)


def text_chunks(
    stream: BinaryIO,
    source: str,
    input_format: str,
    rows: int = CHUNK_ROWS,
    first: int = 1,
    count: int | None = None,
) -> Iterator[TextChunk]:
    """Yield the lines of a stream, `rows` at a time; `first` is the number of its first one."""
    lines = islice(_lines(stream), count)
    while content := list(_first_lines(lines, rows)):
        yield TextChunk(source, first, b"".join(content), input_format)
        first += len(content)


def _first_lines(lines: Iterator[bytes], rows: int) -> Iterator[bytes]:
    size = 0
    for line in islice(lines, rows):
        yield line
        size += len(line)
        if size >= CHUNK_BYTES:
            return


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield whole lines, each with its end; one that is too long to be read stays so, cut off."""
    while line := stream.readline(MAX_BYTES + 1):
        rest = line
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_BYTES)
        yield line if line.endswith(b"\n") else line + b"\n"


class Tally(msgspec.Struct, frozen=True):
    """Counts of rows."""

    rows: int = 0
    bad: int = 0
    """Rows that could not be read."""
    first_bad: str = ""
    """What is wrong with the first of these."""

    def __add__(self, later: "Tally") -> "Tally":
        """Return the counts of both."""
        first_bad = self.first_bad or later.first_bad
        return Tally(self.rows + later.rows, self.bad + later.bad, first_bad)


class ChunkAnswers(NamedTuple):
    """The answers to a chunk."""

    content: bytes
    """Ready to be written."""
    tally: Tally


def answer_chunk(answerer: Answerer, output_format: str, chunk: Chunk) -> ChunkAnswers:
    """Return the answers to a chunk, as they are written in this format."""
    rows = chunk.rows()
    records = answerer.records(rows)
    if output_format == "parquet":
        from lear.bulk.parquet import answer_table

        content = answer_table(chunk, rows, records)
    else:
        content = b"".join(msgspec.json.encode(record) + b"\n" for record in records)
    errors = [row.error for row in rows if row.error]
    return ChunkAnswers(content, Tally(len(rows), len(errors), errors[0] if errors else ""))


@contextmanager
def answer_file(stream: BinaryIO, output_format: str) -> Iterator[Write]:
    """Yield what writes answers to a stream; if the block fails, the file is not whole."""
    if output_format == "jsonl":
        yield stream.write
        return
    from lear.bulk.parquet import table_file

    with table_file(stream) as write:
        yield write


def answered(
    answerer: Answerer, chunks: Iterator[Chunk], output_format: str, jobs: int
) -> Iterator[ChunkAnswers]:
    """Yield the answers to each chunk, in order, by one process or several."""
    if jobs == 1:
        return map(partial(answer_chunk, answerer, output_format), chunks)
    answerer.require_known_elsewhere()
    from lear.parallel.processes import in_processes  # slow to load

    make: Callable[[], Callable[[Chunk], ChunkAnswers]]
    make = partial(_chunk_answerer, answerer.settings, output_format)
    return in_processes(make, chunks, jobs)


def _chunk_answerer(
    settings: AnswerSettings, output_format: str
) -> Callable[[Chunk], ChunkAnswers]:
    return partial(answer_chunk, Answerer(settings), output_format)
