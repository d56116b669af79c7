"""Partitions are the file: all of its rows, each once, in order. Jobs answer every row once,
whatever ended them in between."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.bulk.answering import Answerer, AnswerSettings, Row
from lear.bulk.files import file_chunks, format_of, text_chunks
from lear.bulk.jobs import JOB, JobRequest, do_job, make_partitions
from lear.errors import DataError, UsageError
from lear.messages import SILENT
from lear.storage.files import MAX_BYTES
from tests.support.cli import Capture, fails, predict

NAMES = ("Emma", "Liam", "Noah", "Olivia", "Ava")
SENTENCES = [f"{first} helped {second} ." for first in NAMES for second in NAMES]
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


@given(lines=CONTENTS, partition_rows=st.integers(1, 7), has_end=st.booleans())
def test_partitions_are_the_file(
    tmp_path_factory: pytest.TempPathFactory,
    lines: list[bytes],
    partition_rows: int,
    has_end: bool,
) -> None:
    path = tmp_path_factory.mktemp("in") / "in.txt"
    path.write_bytes(b"\n".join(lines) + (b"\n" if has_end and lines else b""))
    whole = [row for chunk in file_chunks(path, str(path), "lines") for row in chunk.rows()]
    assert rows_of(path, partition_rows) == whole
    with path.open("rb") as stream:
        chunks = text_chunks(stream, str(path), "lines", 3)
        assert [row for chunk in chunks for row in chunk.rows()] == whole


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


@pytest.fixture(scope="module")
def answerer() -> Answerer:
    return Answerer(AnswerSettings("cogs", has_probability=False))


@pytest.fixture
def request_(tmp_path: Path) -> JobRequest:
    path = tmp_path / "in.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in SENTENCES))
    return JobRequest(str(path), "lines", tmp_path / "out", partition_rows=4)


def texts(folder: Path) -> list[str]:
    files = sorted(folder.glob("part-*.jsonl"))
    return [json.loads(line)["text"] for file in files for line in file.read_text().splitlines()]


def test_only_what_is_missing_is_done(answerer: Answerer, request_: JobRequest) -> None:
    tally = do_job(answerer, request_, SILENT)
    assert (tally.rows, tally.bad) == (25, 0)
    assert texts(request_.folder) == SENTENCES
    assert len(list(request_.folder.glob("part-*-of-00007.jsonl"))) == 7
    lost, *others = sorted(request_.folder.glob("part-*"))
    lost.unlink()
    # Killed between its answers and its record, and killed while it wrote its answers.
    (request_.folder / JOB / "part-00003.json").unlink()
    half = request_.folder / f".{others[0].name}.{'0' * 16}.partial"
    half.write_text("half")
    written = {path.name: path.stat().st_ino for path in others}
    assert do_job(answerer, request_, SILENT) == tally
    assert texts(request_.folder) == SENTENCES
    assert not half.exists()
    again = [path for path in others if path.stat().st_ino != written[path.name]]
    assert again == [others[2]]


def test_a_folder_is_of_one_job(answerer: Answerer, request_: JobRequest, tmp_path: Path) -> None:
    do_job(answerer, request_, SILENT)
    before = texts(request_.folder)
    other = Answerer(AnswerSettings("geo", has_probability=False))
    with pytest.raises(UsageError, match="begun with another model"):
        do_job(other, request_, SILENT)
    overlooking = Answerer(AnswerSettings("cogs", "overlook", has_probability=False))
    with pytest.raises(UsageError, match="begun with other settings"):
        do_job(overlooking, request_, SILENT)
    Path(request_.input_name).write_text("Emma slept .\n")
    with pytest.raises(UsageError, match="begun with another input"):
        do_job(answerer, request_, SILENT)
    assert texts(request_.folder) == before
    with pytest.raises(UsageError, match="not empty"):
        do_job(answerer, JobRequest(request_.input_name, "lines", tmp_path), SILENT)


def test_bad_rows_are_told_of_also_when_they_were_met_before(
    capsys: Capture, tmp_path: Path
) -> None:
    path, folder = tmp_path / "in.jsonl", tmp_path / "out"
    content = '{"text": "Emma slept ."}\nnothing\n{"text": "Liam ran ."}\n'
    into = ("--no-probability", "--output-folder", str(folder), "--partition-rows", "1")
    for _ in range(2):
        code, answers, err = predict(capsys, "cogs", path, content, *into)
        assert (code, answers) == (1, [])
        assert f"rows that could not be read: 1; the first: {path}:2: not a JSON" in err
    assert len(list(folder.glob("part-*"))) == 3


def test_a_folder_of_files_is_one_input(answerer: Answerer, request_: JobRequest) -> None:
    do_job(answerer, request_, SILENT)
    folder = request_.folder
    assert format_of(str(folder)) == "jsonl"
    second = JobRequest(str(folder), "jsonl", folder.parent / "again", partition_rows=100)
    assert do_job(answerer, second, SILENT).rows == 25
    assert texts(second.folder) == SENTENCES
    (folder / "notes.txt").write_text("Emma slept .")
    with pytest.raises(UsageError, match="several formats: jsonl, lines"):
        format_of(str(folder))


@pytest.mark.slow
def test_two_processes_do_what_one_does(answerer: Answerer, request_: JobRequest) -> None:
    do_job(answerer, JobRequest(request_.input_name, "lines", request_.folder, jobs=2), SILENT)
    assert texts(request_.folder) == SENTENCES


@pytest.mark.parametrize(
    "options",
    [
        ("--dask", "tcp://127.0.0.1:1"),
        ("--output-folder", "x"),
        ("--no-probability", "--nbest", "2"),
        ("--format", "parquet"),
        ("--format", "csv"),
    ],
)
def test_options_that_do_not_go_together(capsys: Capture, options: tuple[str, ...]) -> None:
    fails(capsys, 2, "predict", "cogs", *options)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(disk)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system may be mounted here: {error}")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


@pytest.mark.parametrize("output_format", ["jsonl", "parquet"])
def test_a_full_disk_is_one_line_and_with_more_room_it_goes_on(
    answerer: Answerer, small_disk: Path, tmp_path: Path, output_format: str
) -> None:
    if output_format == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / "in.txt"
    path.write_text("".join(f"{sentence}\n" for sentence in SENTENCES * 20))
    folder = small_disk / "out"
    request = JobRequest(str(path), "lines", folder, output_format, partition_rows=50)
    with pytest.raises(DataError, match="No space left on device"):
        do_job(answerer, request, SILENT)
    assert not list(folder.glob(".*.partial"))
    subprocess.run(["mount", "-o", "remount,size=8m", str(small_disk)], check=True)
    assert do_job(answerer, request, SILENT).rows == 500
