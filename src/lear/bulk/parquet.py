"""Parquet: tables in, tables out. Only here is pyarrow needed, which is an extra."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import pyarrow
from pyarrow import ipc
from pyarrow import parquet as pq

from lear.bulk.answering import ANSWER_FIELDS, kept_fields
from lear.bulk.rows import SENTENCE_FIELDS, Row, row_of
from lear.errors import DataError

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
