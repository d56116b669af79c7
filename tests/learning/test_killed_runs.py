"""A run that is killed anywhere goes on, and leaves what an unbroken one leaves."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lear.domains.toy import TOY
from lear.errors import DataError, UsageError
from lear.learning.config import RunConfig, load_config
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.storage.files import locked_folder
from tests.support.runs import config, losses, same, weights
from tests.support.toy_rows import DEV, TRAIN

SETTINGS = config(curriculum="[{epochs = 2}]")
ROWS = {"train": TRAIN[:60], "dev": DEV[:5]}


def run(folder: Path, settings: RunConfig, *, resume: bool = False) -> None:
    """Train on few rows: there are many runs here."""
    train(settings, TOY, ROWS, RunFolder(folder), resume=resume)


class Killed(BaseException):
    """Stands for SIGKILL: nothing in the program handles it."""


def kill_at(monkeypatch: pytest.MonkeyPatch, number: int, *, is_written: bool) -> None:
    """Kill the program when a file gets its name for the Nth time, just before or after that."""
    rename = Path.replace
    count = 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal count
        count += 1
        if count != number:
            return rename(self, target)
        if is_written:
            rename(self, target)
        # A program that is killed cleans nothing up.
        monkeypatch.setattr(Path, "unlink", lambda *args, **settings: None)
        raise Killed

    monkeypatch.setattr(Path, "replace", replace)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    run(folder, SETTINGS)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("is_written", [False, True])
def test_a_run_killed_at_any_save_goes_on(whole: Path, tmp_path: Path, *, is_written: bool) -> None:
    kills = 0
    for number in range(1, 100):
        folder = tmp_path / str(number)
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, number, is_written=is_written)
            try:
                run(folder, SETTINGS)
            except Killed:
                kills += 1
        if kills < number:
            break
        is_begun = (folder / "config.toml").is_file()
        run(folder, SETTINGS, resume=is_begun)
        for which in ("best", "last"):
            assert same(weights(whole, which), weights(folder, which)), number
        assert losses(folder) == losses(whole), number
        assert not list(folder.rglob("*.partial"))
    assert kills >= 8


def test_a_line_behind_the_checkpoint_is_written_once(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path)
    lines = [json.dumps({"steps": steps}).encode() + b"\n" for steps in (5, 10, 15)]
    for torn in (b"", b'{"steps": 2', b"not JSON\n"):
        for steps, is_looked, kept in ((0, True, 0), (9, True, 1), (10, False, 1), (10, True, 2)):
            folder.metrics.write_bytes(b"".join(lines) + torn)
            folder.trim_metrics(steps, is_looked=is_looked)
            assert folder.metrics.read_bytes() == b"".join(lines[:kept])


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with locked_folder(folder):
        with pytest.raises(DataError, match="another process is at work there"):
            run(folder, SETTINGS)
        assert {path.name for path in folder.iterdir()} == {"lock"}
    run(folder, SETTINGS)


def test_nothing_is_put_into_a_folder_of_others(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(DataError, match="not empty"):
        run(tmp_path, SETTINGS)
    with pytest.raises(UsageError, match="no run to resume"):
        run(tmp_path / "x", SETTINGS, resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_changed_settings_are_told_and_refused(tmp_path: Path) -> None:
    run(tmp_path / "run", SETTINGS)
    saved = tmp_path / "run/config.toml"
    saved.write_text(saved.read_text().replace("batch_size = 16", "batch_size = 8"))
    changed = load_config(saved, {})
    with pytest.raises(DataError, match=r"optim\.batch_size was 16, is 8") as caught:
        run(tmp_path / "run", changed, resume=True)
    assert "--allow-changes" in str(caught.value)
    train(changed, TOY, ROWS, RunFolder(tmp_path / "run"), resume=True, allow_changes=True)


@pytest.mark.slow
def test_a_request_to_end_saves_first(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "lear", "train"]
    settings = ["--model.hidden", "16", "--optim.batch_size", "16", "--threads", "1"]
    long = ["--curriculum", "[{epochs = 2000}]"]
    with subprocess.Popen(
        [*command, "toy", "--output", str(folder), *settings, *long],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while "epoch 2:" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGTERM)
        *_, advice, last = process.stderr.read().splitlines()
    assert process.returncode == 128 + signal.SIGTERM
    assert "--resume" in advice
    assert last == "lear: interrupted"
    assert RunFolder(folder).checkpoint.is_file()
