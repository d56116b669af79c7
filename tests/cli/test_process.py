"""The command as a process: signals, streams that close or fill up, other locales."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.cli import FIGURE_1, FIGURE_1_FORM


def start(*arguments: str, stdout: int, mirror: str = "") -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "lear", *arguments],
        stdout=stdout,
        stderr=subprocess.PIPE,
        env=os.environ | {"LEAR_MIRROR": mirror},
    )


def test_ctrl_c_exits_130_with_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    # A server that accepts and never answers: the command is surely in the middle of its work.
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}"
        process = start(
            "data", "get", "cogs", "--data", str(tmp_path), stdout=subprocess.DEVNULL,
            mirror=address,
        )  # fmt: skip
        with process, server.accept()[0] as connection:
            connection.recv(1)  # the request is out, and the command waits for its answer
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert err.decode().splitlines() == ["lear: interrupted"]
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_reader_that_leaves_is_no_error() -> None:
    with start("lexicon", "toy", stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert b"Traceback" not in err
    assert process.returncode == 128 + signal.SIGPIPE


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_behind_stdout_is_one_line() -> None:
    with open("/dev/full", "wb") as full:
        process = start("algebra", "cogs", stdout=full.fileno())
        _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert err.decode().splitlines() == ["lear: standard output: No space left on device"]


def test_trees_are_printed_whatever_the_locale_says() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "lear", "show", "toy", FIGURE_1, "--gold", FIGURE_1_FORM],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        capture_output=True,
        check=True,
    )
    assert "└─" in result.stdout.decode("utf-8")


def test_an_argument_that_is_not_text_is_wrong_usage() -> None:
    result = subprocess.run(
        [sys.executable, "-m", "lear", "show", "toy", b"Z\xff", "--gold", "x"], capture_output=True
    )
    assert result.returncode == 2
    assert result.stderr.decode().splitlines()[0].startswith("lear: argument is not UTF-8")


@pytest.mark.parametrize(("redirection", "code"), [(">&-", 1), ("2>&- >/dev/null", 0)])
def test_a_closed_stream_is_no_traceback(redirection: str, code: int) -> None:
    result = subprocess.run(
        f"{sys.executable} -m lear lexicon toy {redirection}", shell=True, capture_output=True
    )
    assert result.returncode == code
    assert b"Traceback" not in result.stderr
