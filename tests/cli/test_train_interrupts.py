"""`lear train` that is ended before it learns: what it says is so, and nothing is left."""

import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from lear.cli.commands import train as command
from lear.domains.terms.corpus import HOME
from lear.learning import cross_fitting as language_choice
from lear.learning.run_folder import RunFolder
from tests.support.cli import Capture, fails, lear

SHORT = ("--curriculum", "[{epochs = 1}]", "--model.hidden", "8")
TERMINATED = 128 + signal.SIGTERM
NOTHING_KEPT = "lear: nothing is kept of this run: it had not begun to learn"


def terminate(*_: object, **__: object) -> None:
    os.kill(os.getpid(), signal.SIGTERM)


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    return str(shutil.copy(HOME, tmp_path / "home.csv"))


def test_ended_while_variants_are_tried_it_leaves_nothing(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pairs: str
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    monkeypatch.setattr(language_choice, "train", terminate)
    run = tmp_path / "run"
    code, _, err = lear(capsys, "train", pairs, "--output", str(run))
    assert (code, err.splitlines()[-2:]) == (TERMINATED, [NOTHING_KEPT, "lear: interrupted"])
    assert not run.exists()
    assert list((tmp_path / "tmp").iterdir()) == []


PLACES: dict[str, tuple[object, str]] = {
    "while rows are read": (command, "load_rows"),
    "before torch is told anything": (torch, "set_num_threads"),
}


@pytest.mark.parametrize("place", PLACES)
def test_what_it_says_of_going_on_is_so(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    run = tmp_path / "run"
    with monkeypatch.context() as patch:
        patch.setattr(*PLACES[place], terminate)
        code, _, err = lear(capsys, "train", "toy", *SHORT, "--output", str(run))
    assert code == TERMINATED
    goes_on = f"lear: `lear train --resume --output {run}` goes on with this run"
    said = err.splitlines()[-2]
    assert said == (goes_on if RunFolder(run).can_go_on() else NOTHING_KEPT)
    assert (said == goes_on) == (place != "while rows are read")
    resume = () if said == NOTHING_KEPT else ("--resume",)
    arguments = resume or ("toy", *SHORT)
    assert lear(capsys, "train", *arguments, "--output", str(run))[0] == 0


def test_a_run_of_before_is_not_taken_for_this_one(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = str(tmp_path / "run")

    def ended_at(place: str, *arguments: str) -> str:
        with monkeypatch.context() as patch:
            patch.setattr(*PLACES[place], terminate)
            code, _, err = lear(capsys, "train", *arguments, "--output", run)
        assert code == TERMINATED
        return err.splitlines()[-2]

    begun = ended_at("before torch is told anything", "toy", *SHORT)
    assert begun.endswith("goes on with this run")
    assert ended_at("while rows are read", "toy", *SHORT, "--seed", "2") == NOTHING_KEPT
    assert ended_at("while rows are read", "--resume") == begun


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("nothing must be done before the folder was looked at")


@pytest.mark.parametrize("spoil", [Path.mkdir, Path.touch])
def test_a_folder_that_does_not_do_is_refused_before_any_work(
    capsys: Capture,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pairs: str,
    spoil: Callable[[Path], None],
) -> None:
    monkeypatch.setattr(command, "load_rows", refuse)
    run = tmp_path / "run"
    spoil(run)
    if run.is_dir():
        (run / "notes.txt").touch()
    said = fails(capsys, 1, "train", pairs, "--output", str(run))
    assert str(run) in said
