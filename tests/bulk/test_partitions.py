"""Partitions are the file: all of its rows, each once, in order, whatever is in it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.bulk.answering import Row
from lear.bulk.files import text_chunks
from lear.bulk.jobs import make_partitions
from lear.errors import DataError
from lear.storage.files import MAX_BYTES

CONTENTS = st.lists(st.sampled_from([b"a", b"", b"b c", b"\xff", b"x\r"]), max_size=20)


def rows_of(path: Path, partition_rows: int) -> list[Row]:
    partitions = make_partitions([path], "lines", partition_rows)
    rows = []
    for partition in partitions:
        part = [row for chunk in partition.chunks() for row in chunk.rows()]
        assert len(part) == partition.rows <= partition_rows
        rows += part
    assert [partition.number for partition in partitions] == list(range(len(partitions)))
    return rows


def rows_at_once(path: Path, rows: int = 1000) -> list[Row]:
    with path.open("rb") as stream:
        chunks = text_chunks(stream, str(path), "lines", rows)
        return [row for chunk in chunks for row in chunk.rows()]


@given(lines=CONTENTS, partition_rows=st.integers(1, 7), has_end=st.booleans())
def test_partitions_are_the_file(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    partition_rows: int,
    has_end: bool,
) -> None:
    path = tmp_path_factory.mktemp("in") / "in.txt"
    path.write_bytes(b"\n".join(lines) + (b"\n" if has_end and lines else b""))
    whole = rows_at_once(path)
    assert rows_of(path, partition_rows) == whole
    assert rows_at_once(path, 3) == whole


def test_a_line_without_end_takes_one_row_and_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_bytes(b"first\n" + b"x" * (3 * MAX_BYTES) + b"\nlast")
    first, long, last = rows_of(path, 2)
    assert (first.sentence, last.sentence) == ("first", "last")
    assert long.error == f"{path}:2: a line of more than 1,000,000 bytes"
    with path.open("rb") as stream:
        chunks = list(text_chunks(stream, "in", "lines"))
    assert sum(len(chunk.content) for chunk in chunks) < MAX_BYTES + 100


def test_a_file_that_changes_under_way_is_named(tmp_path: Path) -> None:
    path = tmp_path / "in.txt"
    path.write_text("a\nb\n")
    (partition,) = make_partitions([path], "lines", 5)
    path.write_text("a\nb\nc\n")
    with pytest.raises(DataError, match="has changed since"):
        list(partition.chunks())
    path.unlink()
    with pytest.raises(DataError, match="is not there"):
        list(partition.chunks())
