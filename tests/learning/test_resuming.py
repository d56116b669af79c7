"""A run that is broken off goes on bit by bit as if it had not been, or says why it cannot."""

import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import numpy as np
import pytest
import torch

from lear.domains.toy import TOY
from lear.errors import DataError, LearError, UsageError
from lear.learning.config import RunConfig, load_config
from lear.learning.exact import ExactObjective
from lear.learning.run import train
from lear.learning.run_folder import RunFolder, setting_changes
from lear.messages import SilentTracker
from lear.model.network import StepResult
from lear.policy.gradient import ReinforceObjective
from lear.storage.files import locked_folder
from tests.support.crafted_files import Change, craft, tensor
from tests.support.runs import (
    POLICY,
    TYPED,
    UNITS,
    Weights,
    checkpoint_tensors,
    config,
    losses,
    same,
    weights,
)
from tests.support.toy_rows import DEV, TRAIN

PAPER = {
    "model__nothing": '"interpreter"',
    "model__leaf_symbols": '"typed"',
    "model__units": '"found"',
    "model__nonterminals": "9",
    "model__initialisation": '"orthogonal"',
    "optim__entropy_of": '"mean"',
    "optim__batch_size": "32",
}
STAGES = {
    "optim__averaging": "0.9",
    "dev_every": "0.5",
    "curriculum": "[{epochs = 9, max_tokens = 5, final_rate = 0.1, enough = 0.001}, "
    "{epochs = 1, rate = 0.5, final_rate = 0.0}]",
}
ONE, TWO = ({"curriculum": f"[{{epochs = {number}}}]"} for number in (1, 2))
ROWS = {"train": TRAIN[:60], "dev": DEV[:5]}
T = TypeVar("T")


def run_few(folder: Path, settings: RunConfig, **how: Any) -> None:
    """Train on few rows: there are many runs here."""
    train(settings, TOY, ROWS, RunFolder(folder), **how)


def assert_equal_runs(one: Path, other: Path, label: object = "") -> None:
    for which in ("best", "last"):
        assert same(weights(one, which), weights(other, which)), label
    assert losses(one) == losses(other), label
    assert not list(other.rglob("*.partial"))


def assert_resumed_equals_unbroken(broken: Path, whole: Path) -> None:
    """Let a broken run go on; all that it leaves is what an unbroken one leaves."""
    run_few(broken, load_config(broken / "config.toml", {}), resume=True)
    assert_equal_runs(whole, broken)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "whole"
    run_few(folder, config(**TWO))
    return folder


# Broken off anywhere.


@pytest.mark.slow
@pytest.mark.parametrize(
    ("objective", "settings"),
    [
        (ExactObjective, config()),
        (ExactObjective, config(**UNITS, model__members="2", dev_every="2")),
        (ReinforceObjective, config(**POLICY, optim__replay="0.5", model__legality="attested")),
        (ReinforceObjective, config(**POLICY | TYPED, model__encoder="contextual")),
        (ReinforceObjective, config(**POLICY | PAPER, **STAGES)),
        (ExactObjective, config(**STAGES)),
    ],
    ids=["exact", "committee", "replay", "contextual", "paper", "stages"],
)
def test_a_resumed_run_equals_an_unbroken_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    objective: type[ExactObjective | ReinforceObjective],
    settings: RunConfig,
) -> None:
    few = msgspec.structs.replace(settings.optim, batch_size=8)
    settings = msgspec.structs.replace(settings, optim=few)
    run_few(tmp_path / "whole", settings)
    # Ctrl-C in the middle of an epoch.
    steps = 0
    original = objective.backward

    def interrupted(self, units, rng):  # type: ignore[no-untyped-def]
        nonlocal steps
        steps += 1
        if steps == 6:
            os.kill(os.getpid(), signal.SIGINT)
        return original(self, units, rng)

    with monkeypatch.context() as patch:
        patch.setattr(objective, "backward", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run_few(tmp_path / "broken", settings)
    assert steps == 6
    assert_resumed_equals_unbroken(tmp_path / "broken", tmp_path / "whole")


class Interrupter(SilentTracker):
    """Remembers what work it is told of, and presses Ctrl-C at the beginning of one piece."""

    def __init__(self, at: int | None = None) -> None:
        self.at = at
        self.labels: list[str] = []

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        self._begin(label)
        return super().track(items, label, total)

    @contextmanager
    def phase(self, label: str, *, is_long: bool = True) -> Iterator[None]:
        self._begin(label)
        yield

    def _begin(self, label: str) -> None:
        if len(self.labels) == self.at:
            os.kill(os.getpid(), signal.SIGINT)
        self.labels.append(label)


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [config(**TWO), config(**POLICY, model__legality="attested", **TWO)],
    ids=["exact", "reinforce"],
)
def test_a_run_that_is_interrupted_early_goes_on_as_if_it_were_not(
    tmp_path: Path, settings: RunConfig
) -> None:
    tracker = Interrupter()
    run_few(tmp_path / "whole", settings, tracker=tracker)
    early = tracker.labels[: tracker.labels.index("steps of epoch 2")]
    assert len(early) >= 4
    for number, label in enumerate(early):
        folder = RunFolder(tmp_path / f"{number}")
        with pytest.raises(KeyboardInterrupt):
            run_few(folder.root, settings, tracker=Interrupter(at=number))
        has_learned = number >= early.index("steps of epoch 1")
        assert folder.checkpoint.is_file() == has_learned, label
        if has_learned:
            before = folder.checkpoint.read_bytes()
            with pytest.raises(DataError, match="choose another folder, or --resume the run"):
                run_few(folder.root, settings)
            assert folder.checkpoint.read_bytes() == before
        run_few(folder.root, load_config(folder.config, {}), resume=True)
        assert_equal_runs(tmp_path / "whole", folder.root, label)


def test_another_run_may_begin_where_one_had_learned_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        run_few(tmp_path / "run", config(**TWO), tracker=Interrupter(at=0))
    origin = {"rows": {"train": "other"}}
    with pytest.raises(DataError, match="its data has changed"):
        run_few(tmp_path / "run", config(**TWO), resume=True, environment=origin)
    other = config(seed="7", **ONE)
    run_few(tmp_path / "run", other)
    run_few(tmp_path / "other", other)
    assert_equal_runs(tmp_path / "other", tmp_path / "run")
    assert load_config(tmp_path / "run/config.toml", {}) == other


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


@pytest.mark.slow
@pytest.mark.parametrize("is_written", [False, True])
def test_a_run_killed_at_any_save_goes_on(whole: Path, tmp_path: Path, *, is_written: bool) -> None:
    kills = 0
    for number in range(1, 100):
        folder = tmp_path / str(number)
        with pytest.MonkeyPatch.context() as patch:
            kill_at(patch, number, is_written=is_written)
            try:
                run_few(folder, config(**TWO))
            except Killed:
                kills += 1
        if kills < number:
            break
        run_few(folder, config(**TWO), resume=(folder / "config.toml").is_file())
        assert_equal_runs(whole, folder, number)
    assert kills >= 8


def test_lines_of_metrics_behind_the_checkpoint_are_written_once(
    whole: Path, tmp_path: Path
) -> None:
    run_few(tmp_path / "run", config(**TWO))
    metrics = RunFolder(tmp_path / "run").metrics
    lines = metrics.read_bytes()
    for torn in (b'{"steps": 99}\n', b'{"steps": 2', b"not JSON\n"):
        metrics.write_bytes(lines + torn)
        run_few(tmp_path / "run", config(**TWO), resume=True)
        assert metrics.read_bytes() == lines
    assert losses(tmp_path / "run") == losses(whole)


BAD_STEP = 5


@pytest.mark.slow
@pytest.mark.parametrize("what", ["loss", "gradient"])
def test_what_is_not_a_number_stops_the_run_and_the_weights_before_it_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    settings = config(**TWO)
    run_few(tmp_path / "whole", settings)
    before: list[Weights] = []
    original = ExactObjective.backward

    def poisoned(self: ExactObjective, units: list[int], rng: np.random.Generator) -> StepResult:
        state = self.network.state_dict()
        before.append({name: tensor.clone() for name, tensor in state.items()})
        result = original(self, units, rng)
        if len(before) == BAD_STEP:
            if what == "loss":
                return result._replace(loss=math.nan)
            for parameter in self.network.parameters():
                if parameter.grad is not None:
                    parameter.grad.fill_(math.nan)
        return result

    broken = tmp_path / "broken"
    with monkeypatch.context() as patch:
        patch.setattr(ExactObjective, "backward", poisoned)
        with pytest.raises(LearError, match=f"at step {BAD_STEP - 1}: .* not a number"):
            run_few(broken, settings)
    assert len(before) == BAD_STEP
    saved = checkpoint_tensors(broken)
    assert all(bool(torch.isfinite(tensor).all()) for tensor in saved.values())
    kept = {name.removeprefix("weight."): t for name, t in saved.items() if "weight." in name[:7]}
    assert same(kept, before[-1])
    assert not same(kept, before[-2])
    # Without the bad step the run goes on as if nothing had happened.
    assert_resumed_equals_unbroken(broken, tmp_path / "whole")


COMMAND = [sys.executable, "-m", "lear", "train"]
SETTINGS = ["--model.hidden", "32", "--threads", "1", "--curriculum"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "number"),
    [("finding all derivations", signal.SIGINT), ("epoch 2:", signal.SIGTERM)],
)
def test_a_process_that_is_asked_to_end_says_how_to_go_on(
    tmp_path: Path, line: str, number: signal.Signals
) -> None:
    folder = RunFolder(tmp_path / "a run")
    with subprocess.Popen(
        [*COMMAND, "toy", "--output", str(folder.root), *SETTINGS, "[{epochs = 2000}]"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while line not in process.stderr.readline():
            pass
        process.send_signal(number)
        *_, advice, last = process.stderr.read().splitlines()
    assert process.returncode == 128 + number
    assert advice == f"lear: `lear train --resume --output '{folder.root}'` goes on with this run"
    assert last == "lear: interrupted"
    assert folder.checkpoint.is_file() == (number == signal.SIGTERM)
    with_epochs(folder, 1)
    assert resume(folder).returncode == 0
    assert folder.model("last").is_file()


def with_epochs(folder: RunFolder, epochs: int) -> None:
    text = folder.config.read_text()
    folder.config.write_text(re.sub(r"epochs = \d+", f"epochs = {epochs}", text))


def resume(folder: RunFolder, largest_file: int | None = None) -> subprocess.CompletedProcess[str]:
    """Resume a run in a process of its own; a limit on file sizes stands for a full disk."""

    def limit() -> None:
        if largest_file is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

    command = [*COMMAND, "--resume", "--allow-changes", "--output", str(folder.root)]
    return subprocess.run(command, preexec_fn=limit, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_full_disk_is_one_line_and_keeps_the_last_checkpoint(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    output = ["--output", str(folder.root)]
    subprocess.run(
        [*COMMAND, "toy", *output, *SETTINGS, "[{epochs = 1}]"], capture_output=True, check=True
    )
    before = {path: path.read_bytes() for path in folder.root.rglob("*.safetensors")}
    assert len(before) == 3
    with_epochs(folder, 3)
    full = resume(folder, largest_file=min(map(len, before.values())) - 1000)
    assert full.returncode == 1
    assert full.stderr.splitlines()[-1].endswith("cannot be written: File too large")
    assert "Traceback" not in full.stderr
    assert {path: path.read_bytes() for path in folder.root.rglob("*.safetensors")} == before
    assert not list(folder.root.rglob("*.partial"))
    assert resume(folder).returncode == 0


# Folders and files that do not fit.


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with locked_folder(folder):
        with pytest.raises(DataError, match="another process is at work there"):
            run_few(folder, config(**ONE))
        assert {path.name for path in folder.iterdir()} == {"lock"}
    run_few(folder, config(**ONE))


def test_nothing_is_put_into_a_folder_of_others(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(DataError, match="not empty"):
        run_few(tmp_path, config())
    with pytest.raises(UsageError, match="no run to resume"):
        run_few(tmp_path / "x", config(), resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_a_run_that_failed_at_once_does_not_block_its_folder(tmp_path: Path) -> None:
    with pytest.raises(LearError, match="of at most 1 tokens"):
        run_few(tmp_path / "run", config(curriculum="[{max_tokens = 1, epochs = 1}]"))
    run_few(tmp_path / "run", config(**ONE))
    with pytest.raises(DataError, match="not empty"):
        run_few(tmp_path / "run", config())


SMALL = {**ONE, "model__hidden": "8"}


@pytest.fixture
def ended(tmp_path: Path) -> RunFolder:
    """A short run that has ended."""
    folder = RunFolder(tmp_path / "run")
    run_few(folder.root, config(**SMALL), **ORIGIN)
    return folder


ORIGIN = {"environment": {"rows": {"train": "1"}}}


def goes_on(folder: RunFolder, *, data: str = "1", may: bool = True, **changed: str) -> None:
    origin = {"rows": {"train": data}}
    settings = config(**{**SMALL, **changed})
    run_few(folder.root, settings, resume=True, allow_changes=may, environment=origin)


def noted(folder: RunFolder) -> dict[str, Any]:
    environment: dict[str, Any] = json.loads(folder.environment.read_bytes())
    return environment


def test_a_run_does_not_go_on_with_other_data_or_settings(ended: RunFolder) -> None:
    with pytest.raises(DataError, match="its data has changed"):
        goes_on(ended, data="2")
    with pytest.raises(DataError, match=r"optim\.batch_size was 16, is 8.*--allow-changes"):
        goes_on(ended, may=False, optim__batch_size="8")
    before = ended.environment.read_bytes(), ended.checkpoint.read_bytes()
    with pytest.raises(DataError) as caught:
        goes_on(ended, model__hidden="12")
    said = "its weights do not fit the settings (model.hidden was 8, is 12)"
    assert str(caught.value).endswith(f"not a whole checkpoint of this run: {said}")
    assert (ended.environment.read_bytes(), ended.checkpoint.read_bytes()) == before


def test_a_run_without_a_whole_checkpoint_does_not_go_on(ended: RunFolder) -> None:
    before = ended.model("best").read_bytes()
    ended.checkpoint.write_bytes(ended.checkpoint.read_bytes()[:500])
    with pytest.raises(DataError, match="not a whole checkpoint"):
        goes_on(ended)
    ended.checkpoint.unlink()
    with pytest.raises(DataError, match="no checkpoint to resume from"):
        goes_on(ended)
    assert ended.model("best").read_bytes() == before


def test_changes_that_were_allowed_are_noted(ended: RunFolder) -> None:
    goes_on(ended)
    assert "resumed" not in noted(ended)  # nothing had changed
    goes_on(ended, threads="2")
    goes_on(ended, optim__batch_size="8")
    assert [(entry["threads"], entry["changes"]) for entry in noted(ended)["resumed"]] == [
        (2, ["threads was 1, is 2"]),
        (1, ["optim.batch_size was 16, is 8"]),
    ]
    assert noted(ended)["threads"] == 1


@pytest.mark.parametrize("key", ["torch", "cpu"])
def test_another_machine_is_noted_once(
    ended: RunFolder, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    ended.environment.write_text(json.dumps({**noted(ended), key: "x"}))
    goes_on(ended)
    assert f"{key} was x, is {noted(ended)['resumed'][0][key]}: weights" in capsys.readouterr().err
    goes_on(ended)
    assert "weights may differ" not in capsys.readouterr().err
    assert len(noted(ended)["resumed"]) == 1


def test_changed_stages_are_named_by_what_changed() -> None:
    two = config(curriculum="[{epochs = 1}, {epochs = 2}]")
    before = json.loads(msgspec.json.encode(two))
    other = config(curriculum="[{epochs = 1, rate = 0.5}, {epochs = 2}]")
    assert setting_changes(before, other) == ["curriculum[0].rate was 1.0, is 0.5"]
    assert setting_changes(before, config(curriculum="[{epochs = 3}]")) == [
        "the length of curriculum was 2, is 1",
        "curriculum[0].epochs was 1, is 3",
    ]
    assert setting_changes(before, two) == []


REPLAY = {**POLICY, "optim__replay": "1", "model__hidden": "8"}


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The checkpoint of a run that remembers its best actions."""
    folder = tmp_path_factory.mktemp("replay") / "run"
    run_few(folder, config(**REPLAY, **ONE))
    return RunFolder(folder).checkpoint.read_bytes()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (tensor("objective.rewards", lambda old: old[:1]), "not a whole checkpoint"),
        (tensor("objective.sizes", lambda old: old[:1]), "not a whole checkpoint"),
        (tensor("objective.sizes", lambda old: -old), "not a whole checkpoint"),
        (tensor("objective.numbers", lambda old: old + 1000), "best actions .* do not fit"),
        (tensor("objective.numbers", lambda old: old.flip(0)), "best actions .* do not fit"),
    ],
    ids=["rewards", "sizes", "negative sizes", "other actions", "actions of others"],
)
def test_what_a_checkpoint_remembers_must_fit(
    ended: RunFolder, replayed: bytes, change: Change, said: str
) -> None:
    ended.checkpoint.write_bytes(replayed)
    craft(ended.checkpoint, change)
    with pytest.raises(DataError, match=said):
        run_few(ended.root, config(**REPLAY, **TWO), resume=True, allow_changes=True, **ORIGIN)
