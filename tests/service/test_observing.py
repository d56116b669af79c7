"""The log: all lines in order, nobody waits for its reader, and no words of clients in it."""

import io
import json
import logging
import os
from pathlib import Path

import pytest

from lear.service.observing import MAX_PENDING, ServiceLog, mistake_of
from tests.support.broken_domains import SOUND
from tests.support.cli import Capture, lear
from tests.support.service_process import RunningService, wait_until

RENDER = 'return " ".join([number.name'
QUICK = ("--curriculum", "[{epochs = 30}]", "--model.hidden", "16", "--dev_every", "30")


def test_every_line_is_a_json_object_in_order() -> None:
    stream = io.StringIO()
    log = ServiceLog(stream)
    for number in range(100):
        log.write("something", number=number)
    log.handle(logging.makeLogRecord({"msg": "of %s", "args": ("a client",), "levelname": "ERROR"}))
    log.finish()
    *records, other = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert [record["number"] for record in records] == list(range(100))
    assert {record["event"] for record in records} == {"something"}
    assert other | {"time": 0} == {"time": 0, "event": "http", "level": "error", "message": "of %s"}


def test_a_log_that_nobody_reads_holds_up_nobody() -> None:
    reader, writer = os.pipe()
    log = ServiceLog(os.fdopen(writer, "w"))
    for _ in range(4 * MAX_PENDING):
        log.write("something", text="long enough to fill a pipe " * 4)
    assert log.num_dropped > 0
    log.finish(seconds=0.1)
    os.close(reader)


def test_words_of_the_client_are_left_out() -> None:
    told = mistake_of(KeyError("no entry for 'Zorp_led' or zorples"), ["the zorpled cake"])
    assert told.kind == "KeyError"
    assert told.text == "\"no entry for '…' or …\""
    assert mistake_of(ValueError("two\nlines"), ()).text == "two"


@pytest.fixture
def trained(tmp_path: Path, capsys: Capture) -> tuple[Path, Path]:
    """The file of a domain, and a model of it."""
    file, run = tmp_path / "tiny.py", tmp_path / "mine"
    file.write_text(SOUND)
    assert lear(capsys, "train", str(file), "--output", str(run), *QUICK)[0] == 0
    return file, run


def test_a_model_that_does_not_work_is_not_served(
    trained: tuple[Path, Path], capsys: Capture
) -> None:
    file, run = trained
    file.write_text(SOUND.replace(RENDER, f"raise ValueError('no luck')\n    {RENDER}"))
    arguments = ("serve", str(run), "--domain", str(file), "--port", "0")
    code, out, err = lear(capsys, *arguments)
    assert (code, out) == (1, "")
    (line,) = err.splitlines()
    assert "model 'mine' does not fit the code" in line
    assert "no luck" in line


@pytest.mark.slow
def test_a_mistake_is_logged_without_what_the_client_wrote(trained: tuple[Path, Path]) -> None:
    file, run = trained
    told = "if len(number.inside) > 1: raise KeyError('bad luck with plus')"
    file.write_text(SOUND.replace(RENDER, f"{told}\n    {RENDER}"))
    running = RunningService(str(run), "--domain", str(file), "--workers", "1")
    try:
        answer = running.parse("mine", "one plus two")
        assert (answer.status, answer.error) == (500, "internal")
        wait_until(lambda: '"mistake"' in running.log)
        (line,) = [line for line in running.log.splitlines() if '"mistake"' in line]
        event = json.loads(line)
        assert (event["code"], event["model"], event["kind"]) == ("internal", "mine", "DomainError")
        assert "bad luck with" in event["text"]
        assert "tiny.py:" in event["place"]
        assert "plus" not in running.log
        # It is nobody else's trouble, not even in the same request.
        assert running.forms("mine", "one") == ["1"]
    finally:
        assert running.stop() == 0
