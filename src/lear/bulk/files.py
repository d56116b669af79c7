"""How many rows were answered, and how many could not be read.

Parquet: tables in, tables out. Only here is pyarrow needed, which is an extra.

Input files of any size, read chunk by chunk: text as it is there, Parquet as Arrow's bytes.

Files of answers, JSON lines or Parquet; what goes into them is made ready by who answered.

Answers to a stream of chunks, in order, by one process or several; memory stays the same.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import pyarrow
from pyarrow import ipc
from pyarrow import parquet as pq

from lear.bulk.answering import (
    ANSWER_FIELDS,
    SENTENCE_FIELDS,
    Answerer,
    AnswerSettings,
    Chunk,
    Row,
    TextChunk,
    kept_fields,
    row_of,
)
from lear.domains.registry import is_from_file
from lear.errors import DataError, UsageError
from lear.storage.files import MAX_BYTES


class Tally(msgspec.Struct, frozen=True):
    """Counts of rows; however many there are, it stays small."""

    rows: int = 0
    bad: int = 0
    """Rows that could not be read."""
    first_bad: str = ""
    """What is wrong with the first of these."""

    def __add__(self, later: "Tally") -> "Tally":
        """The counts of both."""
        first_bad = self.first_bad or later.first_bad
        return Tally(self.rows + later.rows, self.bad + later.bad, first_bad)


GROUP_ROWS = 10_000
"""Rows of a row group that is written: enough for readers to skip, few enough for memory."""
READ_ROWS = 1_024
TEXT, NUMBER, TEXTS = pyarrow.string(), pyarrow.float64(), pyarrow.list_(pyarrow.string())
COLUMNS = {
    "text": TEXT,
    "sentence": TEXT,
    "form": TEXT,
    "probability": NUMBER,
    "score": NUMBER,
    "reason": TEXT,
    "derivation": TEXT,
    "repaired": TEXT,
    "guessed": TEXT,
    "overlooked": TEXTS,
    "unused": TEXTS,
    "nbest": TEXT,
    "answer": TEXT,
    "unit": TEXT,
    "error": TEXT,
}
"""The columns of answers."""
AS_JSON = ("derivation", "repaired", "guessed", "nbest", "answer")
"""Columns of values that have parts, written as JSON text."""
FIELDS = "fields"
"""The column of what else a line of JSON had, as JSON text: lines may differ in it."""


class TableChunk(NamedTuple):
    """Rows of a table, as Arrow's bytes."""

    source: str
    first: int
    """The number of its first row, from 1."""
    content: bytes

    def rows(self) -> list[Row]:
        """A row for each row."""
        records = self.table().to_pylist()
        places = (f"{self.source}, row {self.first + i}" for i in range(len(records)))
        return [row_of(*pair) for pair in zip(records, places, strict=True)]

    def table(self) -> pyarrow.Table:
        """The rows as a table."""
        return ipc.open_stream(self.content).read_all()


def parquet_chunks(
    path: Path, source: str, first: int = 1, count: int | None = None
) -> Iterator[TableChunk]:
    """The rows of a file from number `first` on, so many of them, or all."""
    with _readable(source), pq.ParquetFile(path) as file:
        if not set(SENTENCE_FIELDS) & set(file.schema_arrow.names):
            raise DataError(f"{source}: no column {' or '.join(SENTENCE_FIELDS)}")
        left = file.metadata.num_rows if count is None else count
        groups, skipped = _groups_from(file.metadata, first - 1)
        for batch in file.iter_batches(READ_ROWS, row_groups=groups):
            if left and skipped < batch.num_rows:
                part = batch.slice(skipped, left)
                yield TableChunk(source, first, _as_bytes(pyarrow.Table.from_batches([part])))
                first += part.num_rows
                left -= part.num_rows
            skipped = max(0, skipped - batch.num_rows)


def count_rows(path: Path, source: str) -> int:
    """How many rows a file has, as it says itself."""
    with _readable(source), pq.ParquetFile(path) as file:
        return int(file.metadata.num_rows)


def _groups_from(metadata: Any, skipped: int) -> tuple[list[int], int]:
    """The row groups after so many rows, and what is left to skip in the first of them."""
    group = 0
    while group < metadata.num_row_groups and skipped >= metadata.row_group(group).num_rows:
        skipped -= metadata.row_group(group).num_rows
        group += 1
    return list(range(group, metadata.num_row_groups)), skipped


@contextmanager
def _readable(source: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        reason = error.strerror or "it is damaged, or no Parquet"
        raise DataError(f"{source}: cannot be read: {reason}") from None
    except pyarrow.ArrowException as error:
        raise DataError(f"{source}: not Parquet: {str(error).splitlines()[0]}") from None


def answer_table(chunk: object, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> bytes:
    """A table of answers, as bytes; other columns of a table stay what they are."""
    columns = {
        name: pyarrow.array([_cell(name, record) for record in records], kind)
        for name, kind in COLUMNS.items()
    }
    table = pyarrow.table(columns)
    if isinstance(chunk, TableChunk):
        given = chunk.table()
        for name in (name for name in given.column_names if name not in ANSWER_FIELDS):
            table = table.append_column(given.schema.field(name), given.column(name))
    else:
        others = [msgspec.json.encode(kept_fields(row.fields)).decode() for row in rows]
        table = table.append_column(FIELDS, pyarrow.array(others, TEXT))
    return _as_bytes(table)


def _cell(name: str, record: dict[str, Any]) -> Any:
    value = record.get(name)
    return msgspec.json.encode(value).decode() if name in AS_JSON and name in record else value


def _as_bytes(table: pyarrow.Table) -> bytes:
    sink = pyarrow.BufferOutputStream()
    with ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return bytes(sink.getvalue())


class ParquetFile:
    """A file that tables are appended to, some row groups at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pyarrow.Table] = []

    def write(self, content: bytes) -> None:
        """Append a table."""
        self._waiting.append(ipc.open_stream(content).read_all())
        if sum(table.num_rows for table in self._waiting) >= GROUP_ROWS:
            self._write_group()

    def close(self) -> None:
        """Write what is left, and the end; a file without rows has columns all the same."""
        if not self._waiting and self._writer is None:
            self.write(answer_table(None, [], []))
        if self._waiting:
            self._write_group()
        assert self._writer is not None  # something was written
        self._writer.close()

    def _write_group(self) -> None:
        table = pyarrow.concat_tables(self._waiting)
        self._waiting = []
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._stream, table.schema, compression="zstd")
        self._writer.write_table(table)

    def abandon(self) -> None:
        """Write nothing more: the file is not to be kept."""
        self._waiting = []
        if self._writer is not None:
            self._writer.is_open = False  # else it would go on writing when it is thrown away


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


OUTPUT_FORMATS = ("jsonl", "parquet")
Write = Callable[[bytes], object]


class ChunkAnswers(NamedTuple):
    """The answers to a chunk."""

    content: bytes
    """Ready to be written."""
    tally: Tally


def chunk_answerer(settings: AnswerSettings, output_format: str) -> Callable[[Chunk], ChunkAnswers]:
    """What answers chunks; for `in_processes`, this makes it in each process."""
    return partial(answer_chunk, Answerer(settings), output_format)


def answer_chunk(answerer: Answerer, output_format: str, chunk: Chunk) -> ChunkAnswers:
    """The answers to a chunk, as they are written in this format."""
    rows = chunk.rows()
    records = answerer.records(rows)
    content = _ENCODERS[output_format](chunk, rows, records)
    errors = [row.error for row in rows if row.error]
    return ChunkAnswers(content, Tally(len(rows), len(errors), errors[0] if errors else ""))


def _json_lines(chunk: Chunk, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> bytes:
    del chunk, rows
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def _table(chunk: Chunk, rows: Sequence[Row], records: Sequence[dict[str, Any]]) -> bytes:

    return answer_table(chunk, rows, records)


_ENCODERS = {"jsonl": _json_lines, "parquet": _table}


@contextmanager
def answer_file(stream: BinaryIO, output_format: str) -> Iterator[Write]:
    """What writes contents of chunks to a stream; if the block fails, the file is not whole."""
    if output_format == "jsonl":
        yield stream.write
        return

    file = ParquetFile(stream)
    try:
        yield file.write
        file.close()
    finally:
        file.abandon()


def answered(
    answerer: Answerer, chunks: Iterator[Chunk], output_format: str, jobs: int
) -> Iterator[ChunkAnswers]:
    """The answers to each chunk, in order."""
    if jobs == 1:
        return map(partial(answer_chunk, answerer, output_format), chunks)
    require_known_elsewhere(answerer)
    from lear.parallel.processes import in_processes  # slow to load

    make: Callable[[], Callable[[Chunk], ChunkAnswers]]
    make = partial(chunk_answerer, answerer.settings, output_format)
    return in_processes(make, chunks, jobs)


def require_known_elsewhere(answerer: Answerer) -> None:
    """Raise `UsageError` if other processes could not make the same parser."""
    name = answerer.parser.domain.name
    if is_from_file(name):
        raise UsageError(
            f"domain {name!r} is in a file, which other processes do not run: use --jobs 1"
        )
