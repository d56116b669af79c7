"""Ctrl-C before the first epoch has ended: the run goes on as if nothing had happened."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import pytest

from lear.domains.toy import TOY
from lear.errors import DataError
from lear.learning.config import RunConfig, load_config
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.messages import SilentTracker
from tests.support.runs import POLICY, config, losses, run, same, weights
from tests.support.toy_rows import DEV, TRAIN

T = TypeVar("T")
EXACT = config(curriculum="[{epochs = 2}]")
REINFORCE = config(**POLICY, model__legality="attested", curriculum="[{epochs = 2}]")


class Interrupter(SilentTracker):
    """Remembers what work it is told of, and presses Ctrl-C at the beginning of one piece."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.told: list[str] = []

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        self._tell(label)
        return super().track(items, label, total)

    @contextmanager
    def phase(self, label: str, *, is_long: bool = True) -> Iterator[None]:
        self._tell(label)
        yield

    def _tell(self, label: str) -> None:
        if len(self.told) == self.at:
            os.kill(os.getpid(), signal.SIGINT)
        self.told.append(label)


def train_with(tracker: Interrupter, settings: RunConfig, folder: Path) -> None:
    train(settings, TOY, {"train": TRAIN, "dev": DEV}, RunFolder(folder), tracker=tracker)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [EXACT, REINFORCE], ids=["exact", "reinforce"])
def test_a_run_that_is_interrupted_early_goes_on_as_if_it_were_not(
    tmp_path: Path, settings: RunConfig
) -> None:
    whole = Interrupter()
    train_with(whole, settings, tmp_path / "whole")
    early = whole.told[: whole.told.index("steps of epoch 2")]
    assert len(early) >= 4
    for number, label in enumerate(early):
        folder = RunFolder(tmp_path / f"{number}")
        with pytest.raises(KeyboardInterrupt):
            train_with(Interrupter(at=number), settings, folder.root)
        has_learned = number >= early.index("steps of epoch 1")
        assert folder.checkpoint.is_file() == has_learned, label
        run(folder.root, load_config(folder.config, {}), resume=True)
        for which in ("best", "last"):
            assert same(weights(tmp_path / "whole", which), weights(folder.root, which)), label
        assert losses(folder.root) == losses(tmp_path / "whole")


def test_a_new_run_may_begin_where_one_had_learned_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_with(Interrupter(at=0), EXACT, tmp_path / "run")
    other = config(seed="7", curriculum="[{epochs = 1}]")
    run(tmp_path / "run", other)
    run(tmp_path / "other", other)
    assert same(weights(tmp_path / "run"), weights(tmp_path / "other"))
    assert load_config(tmp_path / "run/config.toml", {}) == other


def test_a_new_run_does_not_begin_where_one_has_learned(tmp_path: Path) -> None:
    told = Interrupter()
    train_with(told, EXACT, tmp_path / "whole")
    at = told.told.index("steps of epoch 1")
    with pytest.raises(KeyboardInterrupt):
        train_with(Interrupter(at=at), EXACT, tmp_path / "run")
    before = RunFolder(tmp_path / "run").checkpoint.read_bytes()
    with pytest.raises(DataError, match="choose another folder, or --resume the run"):
        run(tmp_path / "run", EXACT)
    assert RunFolder(tmp_path / "run").checkpoint.read_bytes() == before


def test_a_run_that_had_learned_nothing_does_not_go_on_with_other_data(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_with(Interrupter(at=0), EXACT, tmp_path / "run")
    rows = {"train": TRAIN, "dev": DEV}
    folder, other = RunFolder(tmp_path / "run"), {"rows": {"train": "other"}}
    with pytest.raises(DataError, match="its data has changed"):
        train(EXACT, TOY, rows, folder, resume=True, environment=other)


@pytest.mark.slow
def test_ctrl_c_at_the_terminal_says_how_to_go_on(tmp_path: Path) -> None:
    folder = str(tmp_path / "a run")
    command = [sys.executable, "-m", "lear", "train"]
    long = ("--curriculum", "[{epochs = 2000}]", "--model.hidden", "8")
    with subprocess.Popen(
        [*command, "toy", "--output", folder, *long],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while "finding all derivations" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        *_, advice, last = process.stderr.read().splitlines()
    assert process.returncode == 130
    assert advice == f"lear: `lear train --resume --output '{folder}'` goes on with this run"
    assert last == "lear: interrupted"
    saved = Path(folder, "config.toml")
    saved.write_text(re.sub(r"epochs = \d+", "epochs = 1", saved.read_text()))
    resume = [*command, "--resume", "--allow-changes", "--output", folder]
    subprocess.run(resume, capture_output=True, check=True)
    assert RunFolder(Path(folder)).model("best").is_file()
