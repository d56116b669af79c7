"""Whatever happens while a run saves, the checkpoint before it is whole."""

import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import torch

from lear.decoding.model_file import load_model

SETTINGS = ["--model.hidden", "32", "--threads", "1"]


def start(*arguments: str, largest_file: int | None = None) -> subprocess.Popen[str]:
    """`lear train` as a process of its own; a limit on file sizes stands for a full disk."""

    def limit() -> None:
        if largest_file is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    return subprocess.Popen(
        [sys.executable, "-m", "lear", "train", *arguments],
        preexec_fn=limit,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, said = process.communicate(timeout=120)
    return process.returncode, said


def with_epochs(run: Path, epochs: int) -> None:
    config = run / "config.toml"
    config.write_text(re.sub(r"epochs = \d+", f"epochs = {epochs}", config.read_text()))


def weights(run: Path) -> dict[str, torch.Tensor]:
    return load_model(run / "model-last/model.safetensors").network.state_dict()


def test_a_full_disk_is_one_line_and_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    run = tmp_path / "run"
    short = [*SETTINGS, "--curriculum", "[{epochs = 1}]"]
    assert finish(start("toy", "--output", str(run), *short))[0] == 0
    before = {path: path.read_bytes() for path in run.rglob("*.safetensors")}
    assert len(before) == 3
    with_epochs(run, 3)
    smallest = min(len(content) for content in before.values())
    code, said = finish(start("--resume", "--output", str(run), largest_file=smallest - 1000))
    assert code == 1
    assert said.splitlines()[-1].endswith("cannot be written: File too large")
    assert "Traceback" not in said
    assert {path: path.read_bytes() for path in run.rglob("*.safetensors")} == before
    assert not list(run.rglob("*.partial"))
    assert finish(start("--resume", "--output", str(run)))[0] == 0


def test_a_run_that_was_killed_while_saving_goes_on(tmp_path: Path) -> None:
    broken, whole = tmp_path / "broken", tmp_path / "whole"
    settings = [*SETTINGS, "--curriculum", "[{epochs = 12}]"]
    assert finish(start("toy", "--output", str(whole), *settings))[0] == 0
    process = start("toy", "--output", str(broken), *settings)
    checkpoint = broken / "checkpoint.safetensors"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        # A checkpoint is there and a new one is being written.
        if checkpoint.exists() and list(broken.glob(".checkpoint*.partial")):
            process.kill()
    code, _ = finish(process)
    assert code == -signal.SIGKILL
    assert finish(start("--resume", "--output", str(broken)))[0] == 0
    expected, found = weights(whole), weights(broken)
    assert all(torch.equal(found[name], expected[name]) for name in expected)
