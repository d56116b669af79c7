"""Jobs in a folder: every row answered once, whatever ended them in between."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from lear.bulk.answering import Answerer, AnswerSettings
from lear.bulk.files import format_of
from lear.bulk.jobs import JOB, JobRequest, do_job
from lear.errors import DataError, UsageError
from lear.messages import SILENT
from tests.support.cli import Capture, fails, lear

NAMES = ("Emma", "Liam", "Noah", "Olivia", "Ava")
SENTENCES = [f"{first} helped {second} ." for first in NAMES for second in NAMES]


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


def test_partitions_hold_each_row_once_in_order(answerer: Answerer, request_: JobRequest) -> None:
    tally = do_job(answerer, request_, SILENT)
    assert (tally.rows, tally.bad) == (25, 0)
    assert texts(request_.folder) == SENTENCES
    assert len(list(request_.folder.glob("part-*-of-00007.jsonl"))) == 7


def test_only_what_is_missing_is_done(answerer: Answerer, request_: JobRequest) -> None:
    do_job(answerer, request_, SILENT)
    lost, *others = sorted(request_.folder.glob("part-*"))
    lost.unlink()
    # Killed between its answers and its record, and killed while it wrote its answers.
    (request_.folder / JOB / "part-00003.json").unlink()
    half = request_.folder / f".{others[0].name}.{'0' * 16}.partial"
    half.write_text("half")
    written = {path.name: path.stat().st_ino for path in others}
    do_job(answerer, request_, SILENT)
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
    path = tmp_path / "in.jsonl"
    path.write_text('{"text": "Emma slept ."}\nnothing\n{"text": "Liam ran ."}\n')
    arguments = (
        *("predict", "cogs", "--no-probability", "--input", str(path)),
        *("--output-folder", str(tmp_path / "out"), "--partition-rows", "1"),
    )
    for _ in range(2):
        code, out, err = lear(capsys, *arguments)
        assert (code, out) == (1, "")
        assert f"rows that could not be read: 1; the first: {path}:2: not a JSON" in err
    assert len(list((tmp_path / "out").glob("part-*"))) == 3


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


@pytest.mark.parametrize("options", [("--dask", "tcp://127.0.0.1:1"), ("--output-folder", "x")])
def test_options_that_do_not_go_together(capsys: Capture, options: tuple[str, ...]) -> None:
    fails(capsys, 2, "predict", "cogs", *options)
    fails(capsys, 2, "predict", "cogs", "--no-probability", "--nbest", "2")


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
