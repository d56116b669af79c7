"""`lear train`: the run's folder, settings and recipes."""

import json
from pathlib import Path

import pytest

from lear.__main__ import main
from lear.learning.config import find_recipe, load_config
from tests.support.cli import Capture, fails

SHORT = ("--curriculum", "[{epochs = 1}]", "--model.hidden", "8")


def test_a_run_folder_holds_what_is_promised(run_folder: str) -> None:
    folder = Path(run_folder)
    assert {path.name for path in folder.iterdir()} == {
        "config.toml", "lock", "environment.json", "metrics.jsonl", "checkpoint.safetensors",
        "model-best", "model-last",
    }  # fmt: skip
    assert len((folder / "metrics.jsonl").read_text().splitlines()) == 8
    assert json.loads((folder / "environment.json").read_text())["benchmark"] == "toy/deep"
    assert "seed = 3" in (folder / "config.toml").read_text()


def test_settings_may_stand_anywhere_among_the_arguments(tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert main(["train", "--threads", "1", *SHORT, "--output", str(run), "toy"]) == 0
    saved = (run / "config.toml").read_text()
    assert 'benchmark = "toy"' in saved
    assert "hidden = 8" in saved
    assert "threads = 1" in saved


@pytest.mark.parametrize("name", ["best", "paper", "reinforce"])
def test_a_recipe_is_where_the_settings_start(tmp_path: Path, name: str) -> None:
    run = str(tmp_path / "run")
    small = ("--optim.samples", "1", *SHORT)
    assert main(["train", "toy", "--recipe", name, "--seed", "5", *small, "--output", run]) == 0
    overrides = {
        "benchmark": '"toy"',
        "seed": "5",
        "optim.samples": "1",
        "model.hidden": "8",
        "curriculum": "[{epochs = 1}]",
    }
    expected = load_config(find_recipe("toy", name), overrides)
    assert load_config(tmp_path / "run/config.toml", {}) == expected


def test_a_config_file_takes_the_place_of_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('benchmark = "toy"\nseed = 9\ncurriculum = [{epochs = 1}]\n')
    run = str(tmp_path / "run")
    assert main(["train", "--config", str(path), "--output", run]) == 0
    assert load_config(tmp_path / "run/config.toml", {}) == load_config(path, {})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "toy", "--output", "{tmp}/x", "--model.hiden", "3"], "hidden"),
        (["train", "toy", "--output", "{tmp}/x", "--model.hidden", "0"], ">= 1"),
        (["train", "toy", "--output", "{tmp}/x", "--speed", "3"], "did you mean '--seed'"),
        (["train", "toy"], "--output"),
        (["train", "--output", "{tmp}/x"], "name a benchmark"),
        (["train", "toy", "--output", "{tmp}/x", "--recipe", "bset"], "did you mean 'best'"),
        (["train", "toy", "--output", "{tmp}/x", "--recipe", "best", "--config", "y"], "not both"),
        (["train", "--resume", "--output", "{tmp}/x"], "no run to resume"),
        (["train", "--resume", "--output", "{tmp}/x", "--seed", "2"], "give --output only"),
        (["train", "--resume", "--output", "{tmp}/x", "--recipe", "best"], "give --output only"),
    ],
)
def test_wrong_usage_is_one_line(
    capsys: Capture, tmp_path: Path, arguments: list[str], said: str
) -> None:
    placed = [argument.replace("{tmp}", str(tmp_path)) for argument in arguments]
    assert said in fails(capsys, 2, *placed)
