"""Whatever happens while a run saves, the checkpoint before it is whole."""

import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.runs import same, weights

pytestmark = pytest.mark.slow

SETTINGS = ["--model.hidden", "32", "--threads", "1"]

# `lear` that is killed when its second checkpoint is written, but has not yet its name.
KILLED = """
import os, signal, sys
from pathlib import Path
from lear.__main__ import main

rename = Path.replace

def replace(self, target):
    # The first checkpoint is written before the first step.
    if self.name.startswith(".checkpoint") and Path(target.parent, "metrics.jsonl").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return rename(self, target)

Path.replace = replace
sys.exit(main(sys.argv[1:]))
"""


def train(
    *arguments: str, largest_file: int | None = None, program: tuple[str, ...] = ("-m", "lear")
) -> subprocess.CompletedProcess[str]:
    """`lear train` as a process of its own; a limit on file sizes stands for a full disk."""

    def limit() -> None:
        if largest_file is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.run(
        [sys.executable, *program, "train", *arguments],
        preexec_fn=limit,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )


def with_epochs(run: Path, epochs: int) -> None:
    config = run / "config.toml"
    config.write_text(re.sub(r"epochs = \d+", f"epochs = {epochs}", config.read_text()))


def test_a_full_disk_is_one_line_and_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    run = tmp_path / "run"
    short = [*SETTINGS, "--curriculum", "[{epochs = 1}]"]
    assert train("toy", "--output", str(run), *short).returncode == 0
    before = {path: path.read_bytes() for path in run.rglob("*.safetensors")}
    assert len(before) == 3
    with_epochs(run, 3)
    smallest = min(len(content) for content in before.values())
    full = train("--resume", "--allow-changes", "--output", str(run), largest_file=smallest - 1000)
    assert full.returncode == 1
    assert full.stderr.splitlines()[-1].endswith("cannot be written: File too large")
    assert "Traceback" not in full.stderr
    assert {path: path.read_bytes() for path in run.rglob("*.safetensors")} == before
    assert not list(run.rglob("*.partial"))
    assert train("--resume", "--allow-changes", "--output", str(run)).returncode == 0


def test_a_run_that_was_killed_while_saving_goes_on(tmp_path: Path) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    settings = [*SETTINGS, "--curriculum", "[{epochs = 3}]"]
    assert train("toy", "--output", str(whole), *settings).returncode == 0
    killed = train("toy", "--output", str(broken), *settings, program=("-c", KILLED))
    assert killed.returncode == -signal.SIGKILL
    # One checkpoint is whole; the next one was on its way.
    assert (broken / "checkpoint.safetensors").is_file()
    assert list(broken.glob(".checkpoint*.partial"))
    assert len((broken / "metrics.jsonl").read_text().splitlines()) == 1
    assert train("--resume", "--output", str(broken)).returncode == 0
    assert same(weights(whole), weights(broken))
