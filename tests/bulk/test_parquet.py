"""Tables in and out: every row once, other columns as they were, damaged files in one line."""

import datetime
import json
from pathlib import Path

import pytest

from lear.bulk.jobs import make_partitions
from lear.bulk.parquet import FIELDS, parquet_chunks
from lear.errors import DataError
from tests.support.cli import Capture, fails, lear, predict

pa = pytest.importorskip("pyarrow", reason="needs pyarrow: pip install 'lear[parquet]'")
pq = pytest.importorskip("pyarrow.parquet")

SENTENCES = ["Emma slept .", "Liam ran .", "", "was was was", "The cake was eaten ."]


def write_table(path: Path, **columns: object) -> Path:
    pq.write_table(pa.table(columns), path, row_group_size=3)
    return path


@pytest.mark.parametrize("partition_rows", [1, 2, 3, 4, 100])
def test_partitions_of_a_table_are_the_table(tmp_path: Path, partition_rows: int) -> None:
    texts = [f"row {number}" for number in range(11)]
    path = write_table(tmp_path / "in.parquet", text=texts)
    partitions = make_partitions([path], "parquet", partition_rows)
    rows = [row for p in partitions for chunk in p.chunks() for row in chunk.rows()]
    assert [row.sentence for row in rows] == texts
    assert all(partition.rows <= partition_rows for partition in partitions)


def test_columns_are_kept_with_their_types(capsys: Capture, tmp_path: Path) -> None:
    days = [datetime.date(2026, 11, day) for day in range(1, 6)]
    path = write_table(
        tmp_path / "in.parquet", utterance=SENTENCES, id=[7, 8, None, 10, 11], day=days, form=days
    )
    out = tmp_path / "out.parquet"
    arguments = ("predict", "cogs", "--input", str(path), "--output", str(out))
    assert lear(capsys, *arguments) == (0, "", "")
    table = pq.read_table(out)
    assert table["id"].to_pylist() == [7, 8, None, 10, 11]
    assert table.schema.field("day").type == pa.date32()
    assert table["day"].to_pylist() == days
    assert table["utterance"].to_pylist() == SENTENCES
    # The same as lines of JSON, field by field.
    assert lear(capsys, *arguments[:-1], str(tmp_path / "out.jsonl"))[0] == 0
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    for row, line in zip(table.to_pylist(), lines, strict=True):
        assert row["form"] == line["form"]
        assert row["reason"] == line.get("reason")
        assert json.loads(row["derivation"] or "null") == line.get("derivation")
        assert row["probability"] == pytest.approx(line.get("probability"))


def test_fields_of_lines_are_kept_as_json(capsys: Capture, tmp_path: Path) -> None:
    path, out = tmp_path / "in.jsonl", tmp_path / "out.parquet"
    content = '{"text": "Emma slept .", "id": 1}\n{"sentence": "Liam ran .", "tags": ["x"]}\n'
    assert predict(capsys, "cogs", path, content, "--output", str(out))[0] == 0
    kept = [json.loads(text) for text in pq.read_table(out)[FIELDS].to_pylist()]
    assert kept == [{"id": 1}, {"tags": ["x"]}]
    # No rows are a table without rows.
    assert predict(capsys, "cogs", path, "", "--output", str(out)) == (0, [], "")
    assert pq.read_table(out).num_rows == 0


def test_a_cell_without_text_has_a_reason(capsys: Capture, tmp_path: Path) -> None:
    path = write_table(tmp_path / "in.parquet", text=["Emma slept .", None])
    out = tmp_path / "out.parquet"
    code, _, err = lear(capsys, "predict", "cogs", "--input", str(path), "--output", str(out))
    assert code == 1
    assert "row 2: `text` is not text" in err
    assert pq.read_table(out)["reason"].to_pylist()[1].endswith("`text` is not text")


def test_damaged_tables_are_one_line(capsys: Capture, tmp_path: Path) -> None:
    whole = write_table(tmp_path / "whole.parquet", text=SENTENCES * 50).read_bytes()
    path, out = tmp_path / "in.parquet", tmp_path / "out.parquet"
    for content in (b"", b"PAR1", b"no table", whole[:-9], whole[:100] + whole[120:]):
        path.write_bytes(content)
        err = fails(capsys, 1, "predict", "cogs", "--input", str(path), "--output", str(out))
        assert str(path) in err
        assert not out.exists()
    with pytest.raises(DataError, match="no column"):
        list(parquet_chunks(write_table(path, words=SENTENCES), "in"))
