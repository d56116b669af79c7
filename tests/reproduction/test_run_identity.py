"""Equal settings are one run; whatever is changed makes another."""

from dataclasses import replace
from pathlib import Path

import pytest

from lear.errors import LearError
from lear.learning.config import load_config
from lear.reproduce.runs import identify, is_recipe_itself, one_lesson, short_names
from lear.reproduce.table import ONE_LESSON, Baseline, Experiment, Training
from tests.support.toy_table import SMALL_RUN, toy

BASELINE = Baseline("toy/deep", "lstm", ("toy/deep",), overrides={"hidden": "16"})


@pytest.mark.parametrize("experiment", [toy(), SMALL_RUN, BASELINE])
def test_equal_settings_are_one_run(experiment: Experiment) -> None:
    assert identify(experiment, 1, None) == identify(replace(experiment), 1, None)


def test_any_change_is_another_run() -> None:
    runs = [
        identify(toy(), 1, None),
        identify(toy(), 2, None),
        identify(toy(model__hidden="32"), 1, None),
        identify(toy(optim__learning_rate="0.001"), 1, None),
        identify(toy(curriculum="[{epochs = 21}]"), 1, None),
        identify(replace(toy(), recipe="paper"), 1, None),
        identify(replace(toy(), benchmark="toy"), 1, None),
        identify(BASELINE, 1, None),
        identify(BASELINE, 2, None),
        identify(replace(BASELINE, architecture="transformer"), 1, None),
        identify(replace(BASELINE, overrides={"hidden": "32"}), 1, None),
    ]
    assert len({run.name for run in runs}) == len({run.digest for run in runs}) == len(runs)


def test_what_the_recipe_says_already_is_the_same_run() -> None:
    assert identify(toy(model__hidden="64"), 1, None).name == identify(toy(), 1, None).name
    assert is_recipe_itself(toy(model__hidden="64"), 1, None)
    assert is_recipe_itself(toy(curriculum=ONE_LESSON), 1, None)  # it has one lesson
    assert not is_recipe_itself(toy(model__hidden="32"), 1, None)
    assert not is_recipe_itself(toy(), 1, None)  # it does not claim to change anything


def test_other_data_are_another_run(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        (folder / "cogs").mkdir(parents=True)
        for name in ("train", "dev", "test", "gen"):
            (folder / f"cogs/{name}.tsv").write_text(f"{name}\n")
    (folders[1] / "cogs/train.tsv").write_text("another row\n")
    experiment = Training("cogs/gen", "best", ("cogs/gen",))
    one, other = (identify(experiment, 1, str(folder)) for folder in folders)
    assert one.config == other.config
    assert one.name != other.name


def test_the_settings_of_a_run_read_back(tmp_path: Path) -> None:
    run = identify(SMALL_RUN, 7, None)
    path = tmp_path / "settings.toml"
    path.write_text(run.config)
    config = load_config(path, {})
    assert (config.seed, config.model.hidden, config.benchmark) == (7, 8, "toy/deep")


def test_one_lesson_has_the_epochs_and_the_rates_of_all() -> None:
    short = {"epochs": 4, "max_tokens": 11, "rate": 1.0, "final_rate": 0.3}
    rest = {"epochs": 3, "max_tokens": 0, "rate": 0.3, "final_rate": None}
    expected = "[{epochs = 7, max_tokens = 0, rate = 1.0, final_rate = 0.3}]"
    assert one_lesson([dict(short), dict(rest)]) == expected
    assert one_lesson([dict(rest)]) == "[{epochs = 3, max_tokens = 0, rate = 0.3}]"
    run = identify(Training("cfq/mcd1", "paper", (), overrides={"curriculum": ONE_LESSON}), 1, None)
    assert list(run.changed) == ["curriculum"]
    assert len(run.changed["curriculum"]) == 1


def test_names_of_folders_say_what_is_changed() -> None:
    changed = {
        "model.abstraction": False,
        "model.encoder": "span",
        "curriculum": [{"epochs": 7}],
    }
    assert short_names(changed) == ["curriculum", "abstraction=false", "encoder=span"]
    name = identify(toy(model__hidden="32"), 5, None).name
    assert name.startswith("toy-deep+best+hidden=32+seed-5+")


def test_settings_that_make_no_sense_are_refused() -> None:
    with pytest.raises(LearError, match="hidden"):
        identify(toy(model__hiden="32"), 1, None)
