"""The command as a process: signals, streams that close or fill up, other locales."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import lear
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
        server.settimeout(60)  # a command that never asks must not be waited for
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
    assert list(tmp_path.iterdir()) == []


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


def test_geography_is_answered_with_nothing_but_the_package(tmp_path: Path) -> None:
    # The environment of a first call: an empty home, another folder, no data anywhere.
    package = str(Path(lear.__file__).parents[1])
    result = subprocess.run(
        [sys.executable, "-m", "lear", "execute", "geo", "answer(len(riverid('ohio')))"],
        env={"HOME": str(tmp_path), "PYTHONPATH": package},
        cwd=tmp_path,
        capture_output=True,
        check=True,
    )
    row = {"form": "answer(len(riverid('ohio')))", "answer": [1569], "unit": "km"}
    assert json.loads(result.stdout) == row
    assert result.stderr == b""
    assert list(tmp_path.iterdir()) == []


WITHOUT_UNIX = """
import importlib, pkgutil, sys
sys.modules["fcntl"] = sys.modules["resource"] = None
import lear.cli, lear.cli.commands
for package in (lear.cli, lear.cli.commands):
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
from lear.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def without_unix(*arguments: str) -> subprocess.CompletedProcess[str]:
    """A command where modules are missing that Windows does not have."""
    command = [sys.executable, "-c", WITHOUT_UNIX, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command_line_needs_no_module_that_only_unix_has() -> None:
    result = without_unix("coverage", "toy", "--limit", "1", "--json")
    assert (result.returncode, result.stderr) == (0, "")
