"""A run that stopped goes on bit by bit as if it had not, or says why it cannot."""

import json
import math
import os
import signal
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import torch
from safetensors import safe_open

from lear.domains.toy import TOY
from lear.errors import DataError, LearError, UsageError
from lear.learning.checkpoint import Progress
from lear.learning.config import RunConfig, load_config
from lear.learning.exact import ExactObjective
from lear.learning.run import train
from lear.learning.run_folder import RunFolder, setting_changes
from lear.model.network import StepResult
from lear.policy.gradient import ReinforceObjective
from tests.support.crafted_files import Change, craft, tensor
from tests.support.runs import (
    POLICY,
    TYPED,
    UNITS,
    Weights,
    checkpoint_tensors,
    config,
    losses,
    run,
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
LESSONS = {
    "optim__averaging": "0.9",
    "dev_every": "0.5",
    "curriculum": "[{epochs = 9, max_tokens = 5, final_rate = 0.1, enough = 0.001}, "
    "{epochs = 1, rate = 0.5, final_rate = 0.0}]",
}


def assert_resumed_equals_unbroken(broken: Path, whole: Path) -> None:
    """Let a broken run go on; all that it leaves is what an unbroken one leaves."""
    run(broken, load_config(broken / "config.toml", {}), resume=True)
    assert same(weights(whole), weights(broken))
    assert same(weights(whole, "best"), weights(broken, "best"))
    assert losses(whole) == losses(broken)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("objective", "settings"),
    [
        (ExactObjective, config()),
        (ExactObjective, config(**UNITS, model__members="2", dev_every="2")),
        (ReinforceObjective, config(**POLICY)),
        (ReinforceObjective, config(**POLICY, optim__replay="0.5", model__legality="attested")),
        (ReinforceObjective, config(**POLICY | TYPED, model__encoder="contextual")),
        (ReinforceObjective, config(**POLICY | PAPER, **LESSONS)),
        (ExactObjective, config(**LESSONS)),
    ],
    ids=["exact", "committee", "reinforce", "replay", "contextual", "paper", "lessons"],
)
def test_a_resumed_run_equals_an_unbroken_one(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    objective: type[ExactObjective | ReinforceObjective],
    settings: RunConfig,
) -> None:
    run(tmp_path / "whole", settings)
    # Ctrl-C in the middle of an epoch.
    steps = 0
    original = objective.backward

    def interrupted(self, units, rng):  # type: ignore[no-untyped-def]
        nonlocal steps
        steps += 1
        if steps == 9:
            os.kill(os.getpid(), signal.SIGINT)
        return original(self, units, rng)

    with monkeypatch.context() as patch:
        patch.setattr(objective, "backward", interrupted)
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "broken", settings)
    assert steps == 9
    assert_resumed_equals_unbroken(tmp_path / "broken", tmp_path / "whole")


BAD_STEP = 5


@pytest.mark.slow
@pytest.mark.parametrize("what", ["loss", "gradient"])
def test_what_is_not_a_number_stops_the_run_and_the_weights_before_it_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    settings = config(curriculum="[{epochs = 1}]")
    run(tmp_path / "whole", settings)
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
            run(broken, settings)
    assert len(before) == BAD_STEP
    saved = checkpoint_tensors(broken)
    assert all(bool(torch.isfinite(tensor).all()) for tensor in saved.values())
    kept = {name.removeprefix("weight."): t for name, t in saved.items() if "weight." in name[:7]}
    assert same(kept, before[-1])
    assert not same(kept, before[-2])
    assert progress_of(broken).total_steps == BAD_STEP - 1
    # Without the bad step the run goes on as if nothing had happened.
    assert_resumed_equals_unbroken(broken, tmp_path / "whole")


def progress_of(folder: Path) -> Progress:
    with safe_open(str(RunFolder(folder).checkpoint), framework="pt") as file:
        return msgspec.json.decode(file.metadata()["progress"], type=Progress)


def test_weights_that_grow_beyond_all_numbers_stop_the_run(tmp_path: Path) -> None:
    with pytest.raises(LearError, match="not a number"):
        run(tmp_path / "run", config(optim__learning_rate="1e30"))
    saved = checkpoint_tensors(tmp_path / "run")
    assert all(bool(torch.isfinite(tensor).all()) for tensor in saved.values())


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no run to resume"):
        run(tmp_path / "nothing", config(), resume=True)
    folder = RunFolder(tmp_path / "run")
    run(folder.root, config(curriculum="[{epochs = 1}]"))
    folder.checkpoint.unlink()
    before = folder.model("best").read_bytes()
    with pytest.raises(DataError, match="no checkpoint to resume from"):
        run(folder.root, config(), resume=True)
    assert folder.model("best").read_bytes() == before


def test_a_broken_checkpoint_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "run", config(curriculum="[{epochs = 1}]"))
    checkpoint = tmp_path / "run/checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:500])
    with pytest.raises(DataError, match="checkpoint"):
        run(tmp_path / "run", config(), resume=True)


@pytest.mark.slow
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
def test_what_a_checkpoint_remembers_must_fit(tmp_path: Path, change: Change, said: str) -> None:
    settings = {**POLICY, "optim__replay": "1"}
    folder, rows = RunFolder(tmp_path / "run"), {"train": TRAIN, "dev": DEV}
    run(folder.root, config(**settings, curriculum="[{epochs = 1}]"))
    craft(folder.checkpoint, change)
    longer = config(**settings, curriculum="[{epochs = 2}]")
    with pytest.raises(DataError, match=said):
        train(longer, TOY, rows, folder, resume=True, allow_changes=True)


def test_a_run_does_not_go_on_with_other_data(tmp_path: Path) -> None:
    folder, rows = RunFolder(tmp_path / "run"), {"train": TRAIN, "dev": DEV}
    short = config(curriculum="[{epochs = 1}]")
    train(short, TOY, rows, folder, environment={"rows": {"train": "1"}})
    with pytest.raises(DataError, match="its data has changed"):
        train(short, TOY, rows, folder, resume=True, environment={"rows": {"train": "2"}})


ROWS = {"train": TRAIN[:40], "dev": DEV[:4]}
SHORT = {"curriculum": "[{epochs = 1}]", "model__hidden": "8"}


def begun(folder: RunFolder) -> None:
    """A short run that has ended."""
    train(config(**SHORT), TOY, ROWS, folder)


def goes_on(folder: RunFolder, **changed: str) -> None:
    settings = config(**{**SHORT, **changed})
    train(settings, TOY, ROWS, folder, resume=True, allow_changes=True)


def noted(folder: RunFolder) -> dict[str, Any]:
    environment: dict[str, Any] = json.loads(folder.environment.read_bytes())
    return environment


def test_changes_that_were_allowed_are_noted(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    begun(folder)
    assert "resumed" not in noted(folder)
    goes_on(folder)
    assert "resumed" not in noted(folder)  # nothing had changed
    goes_on(folder, threads="2")
    goes_on(folder, optim__batch_size="8")
    assert [(entry["threads"], entry["changes"]) for entry in noted(folder)["resumed"]] == [
        (2, ["threads was 1, is 2"]),
        (1, ["optim.batch_size was 16, is 8"]),
    ]
    assert noted(folder)["threads"] == 1


def test_what_weights_cannot_follow_is_named(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    begun(folder)
    before = folder.environment.read_bytes(), folder.checkpoint.read_bytes()
    with pytest.raises(DataError) as caught:
        goes_on(folder, model__hidden="12")
    said = "its weights do not fit the settings (model.hidden was 8, is 12)"
    assert str(caught.value).endswith(f"not a whole checkpoint of this run: {said}")
    assert (folder.environment.read_bytes(), folder.checkpoint.read_bytes()) == before


@pytest.mark.parametrize("key", ["torch", "cpu"])
def test_another_machine_is_told_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    folder = RunFolder(tmp_path / "run")
    begun(folder)
    folder.environment.write_text(json.dumps({**noted(folder), key: "x"}))
    capsys.readouterr()
    goes_on(folder)
    assert f"{key} was x, is {noted(folder)['resumed'][0][key]}: weights" in capsys.readouterr().err
    goes_on(folder)
    assert "weights may differ" not in capsys.readouterr().err
    assert len(noted(folder)["resumed"]) == 1


def test_changed_lessons_are_told_by_what_changed_of_them() -> None:
    two = config(curriculum="[{epochs = 1}, {epochs = 2}]")
    before = msgspec.to_builtins(two)
    before = json.loads(json.dumps(before))
    other = config(curriculum="[{epochs = 1, rate = 0.5}, {epochs = 2}]")
    assert setting_changes(before, other) == ["curriculum[0].rate was 1.0, is 0.5"]
    fewer = config(curriculum="[{epochs = 3}]")
    assert setting_changes(before, fewer) == [
        "the length of curriculum was 2, is 1",
        "curriculum[0].epochs was 1, is 3",
    ]
    assert setting_changes(before, two) == []
