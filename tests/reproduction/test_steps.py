"""What comes next in a run, told by its folder alone."""

import shlex
from dataclasses import replace
from pathlib import Path

import msgspec

from lear.reproduce.machine import here_and_now
from lear.reproduce.runs import RunFiles, identify
from lear.reproduce.scheduler import Steps, told_as_command
from lear.reproduce.table import MEASURED, Baseline, Experiment, Measurement, wrong_answers
from tests.support.toy_table import SMALL_RUN

BASELINE = Baseline("toy/deep", "lstm", ("toy/deep",), overrides={"steps": "7"})
SPEED = Measurement("speed", "toy/deep", "lear", ("bench", "toy", "--json"), is_of_speed=True)


def steps_of(experiment: Experiment, folder: Path) -> Steps:
    return Steps(identify(experiment, 1, None), RunFiles(folder), None)


def checkpoint(steps: Steps) -> None:
    """As if training had been cut off."""
    steps.files.training.mkdir(parents=True)
    steps.files.checkpoint.write_bytes(b"weights")


def words(steps: Steps) -> tuple[str, ...]:
    step = steps.following()
    assert step is not None
    return step.arguments


def test_a_training_begins_goes_on_and_is_evaluated(tmp_path: Path) -> None:
    steps = steps_of(SMALL_RUN, tmp_path)
    place = str(tmp_path / "training")
    assert steps.state() == "not run"
    config = ("--config", str(tmp_path / "settings.toml"))
    assert words(steps) == ("lear", "train", *config, "--output", place)
    checkpoint(steps)
    assert steps.state() == "cut off"
    assert words(steps) == ("lear", "train", "--resume", "--output", place)
    steps.files.note(is_trained=True, seconds=12.0)
    assert steps.state() == "trained"
    assert words(steps) == ("lear", "evaluate", place, "toy/deep", "--json", "--skip-faults")
    blaming = steps_of(replace(SMALL_RUN, blames=True), tmp_path)
    assert words(blaming) == ("lear", "evaluate", place, "toy/deep", "--json")
    steps.files.keep_result("toy/deep", {}, {"exact_match": 0.5})
    assert steps.state() == "finished"
    assert steps.following() is None
    assert steps.result("toy/deep") == {"exact_match": 0.5, "training_seconds": 12.0}


def test_results_on_other_files_do_not_count(tmp_path: Path) -> None:
    steps = steps_of(SMALL_RUN, tmp_path)
    steps.files.note(is_trained=True)
    steps.files.keep_result("toy/deep", {"toy/test.tsv": "another digest"}, {"exact_match": 0.5})
    assert steps.state() == "trained"
    assert steps.result("toy/deep") is None


def test_a_baseline_is_given_all_its_settings_and_keeps_its_scores(tmp_path: Path) -> None:
    steps = steps_of(BASELINE, tmp_path)
    begin = words(steps)
    assert begin[:3] == ("lear", "baseline", "toy/deep")
    assert {"--architecture=lstm", "--steps=7", "--seed=1"} <= set(begin)
    assert "--resume" not in begin
    checkpoint(steps)
    assert set(words(steps)) - set(begin) == {"--resume"}
    printed = {"seconds": 9.0, "scores": {"toy/deep": {"exact_match": 0.25}}}
    (tmp_path / "training/result.json").write_bytes(msgspec.json.encode(printed))
    step = steps.following()
    assert step is not None
    steps.files.note(seconds=4.0)  # of the session that was cut off
    steps.keep(step, 7.0)
    assert steps.result("toy/deep") == {"exact_match": 0.25, "training_seconds": 9.0}
    assert steps.files.record().other_seconds == 2.0  # what is not training: 4 + 7 - 9
    assert steps.state() == "finished"


def test_a_result_without_the_faults_that_are_asked_for_is_measured_again(tmp_path: Path) -> None:
    plain, blaming = (
        steps_of(replace(SMALL_RUN, blames=blames), tmp_path) for blames in (False, True)
    )
    assert plain.files == blaming.files
    plain.files.note(is_trained=True)
    assert "--skip-faults" in words(plain)
    plain.files.keep_result("toy/deep", {}, {"exact_match": 0.5, "faults": {}})
    assert plain.state() == "finished"
    assert blaming.state() == "trained"
    assert "--skip-faults" not in words(blaming)
    result = blaming.result("toy/deep")
    assert result is not None
    assert wrong_answers(result) is None  # not 0
    blamed = {"exact_match": 0.5, "faults": {"Composer": 7, "no answer": 2}}
    perfect = {"exact_match": 1.0, "faults": {}}
    for whole, number in ((blamed, 9), (perfect, 0)):
        blaming.files.keep_result("toy/deep", {}, whole)
        assert blaming.state() == "finished"
        assert wrong_answers(whole) == number


def test_an_empty_result_is_a_result(tmp_path: Path) -> None:
    steps = steps_of(SPEED, tmp_path)
    steps.files.keep_result(MEASURED, {}, {})
    assert steps.following() is None  # else it would be measured for ever


def test_commands_are_told_as_one_types_them() -> None:
    assert told_as_command(identify(SPEED, 0, None)) == "lear bench toy --json"
    own = Measurement("own", "toy/deep", "lear.some.module", ("toy", "optim.reward='longest run'"))
    told = told_as_command(identify(own, 0, None))
    assert shlex.split(told) == ["python", "-m", own.module, *own.arguments]


def test_speed_is_measured_again_when_the_code_has_changed(tmp_path: Path) -> None:
    steps = steps_of(SPEED, tmp_path)
    steps.files.note(made=here_and_now())
    steps.files.keep_result(MEASURED, {}, {"train_examples_per_second": 100.0})
    assert steps.state() == "finished"
    older = msgspec.structs.replace(here_and_now(), code="of yesterday")
    steps.files.note(made=older)
    assert steps.state() == "of older code"
    assert words(steps) == ("lear", "bench", "toy", "--json")
    # Until then the old figure is shown, with its commit.
    assert steps.result(MEASURED) == {"train_examples_per_second": 100.0}
