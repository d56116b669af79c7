"""Files of answers, JSON lines or Parquet; what goes into them is made ready by who answered."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO, NamedTuple

import msgspec

from lear.bulk.answering import Answerer, AnswerSettings
from lear.bulk.rows import Chunk, Row
from lear.bulk.tally import Tally

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
    from lear.bulk.parquet import answer_table

    return answer_table(chunk, rows, records)


_ENCODERS = {"jsonl": _json_lines, "parquet": _table}


@contextmanager
def answer_file(stream: BinaryIO, output_format: str) -> Iterator[Write]:
    """What writes contents of chunks to a stream; if the block fails, the file is not whole."""
    if output_format == "jsonl":
        yield stream.write
        return
    from lear.bulk.parquet import ParquetFile

    file = ParquetFile(stream)
    try:
        yield file.write
        file.close()
    finally:
        file.abandon()
