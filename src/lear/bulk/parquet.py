"""Parquet: tables in, tables out. Only here is pyarrow needed, which is an extra."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec
import pyarrow
from pyarrow import ipc
from pyarrow import parquet as pq

from lear.bulk.answering import ANSWER_FIELDS, SENTENCE_FIELDS, Row, kept_fields, row_of
from lear.errors import DataError

GROUP_ROWS = 10_000
"""Rows of a row group that is written: enough for readers to skip, few enough for memory."""
READ_ROWS = 1_024
TEXT, NUMBER, TEXTS = pyarrow.string(), pyarrow.float64(), pyarrow.list_(pyarrow.string())
TYPES = {"probability": NUMBER, "score": NUMBER, "overlooked": TEXTS, "unused": TEXTS}
"""Columns of answers that are not text."""
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
        """Return a row for each row."""
        records = enumerate(self.table().to_pylist(), start=self.first)
        return [row_of(record, f"{self.source}, row {number}") for number, record in records]

    def table(self) -> pyarrow.Table:
        """Return the rows as a table."""
        return _table(self.content)


def parquet_chunks(
    path: Path, source: str, first: int = 1, count: int | None = None
) -> Iterator[TableChunk]:
    """Yield the rows of a file from number `first` on, so many of them, or all."""
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
    """Return how many rows a file has, as it says itself."""
    with _readable(source), pq.ParquetFile(path) as file:
        return int(file.metadata.num_rows)


def _groups_from(metadata: Any, skipped: int) -> tuple[list[int], int]:
    """Return the row groups after so many rows, and what is left to skip in the first of them."""
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
    """Return a table of answers, as bytes; other columns of a table stay what they are."""
    table = pyarrow.table(
        {
            name: pyarrow.array([_cell(name, record) for record in records], TYPES.get(name, TEXT))
            for name in ANSWER_FIELDS
        }
    )
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


def _table(content: bytes) -> pyarrow.Table:
    return ipc.open_stream(content).read_all()


@contextmanager
def table_file(stream: BinaryIO) -> Iterator[Callable[[bytes], None]]:
    """Yield what appends a table to a file, some row groups at a time.

    If the block fails, nothing more is written: the file is not to be kept.
    """
    writer: pq.ParquetWriter | None = None
    waiting: list[pyarrow.Table] = []

    def write_group() -> None:
        nonlocal writer
        # A file without rows has columns all the same.
        table = pyarrow.concat_tables(waiting or [_table(answer_table(None, [], []))])
        waiting.clear()
        if writer is None:
            writer = pq.ParquetWriter(stream, table.schema, compression="zstd")
        writer.write_table(table)

    def write(content: bytes) -> None:
        waiting.append(_table(content))
        if sum(table.num_rows for table in waiting) >= GROUP_ROWS:
            write_group()

    try:
        yield write
        if waiting or writer is None:
            write_group()
        assert writer is not None  # a group was written
        writer.close()
    finally:
        if writer is not None:
            writer.is_open = False  # else it would go on writing when it is thrown away
