"""A run: what tells it from others, what its folder holds, and what comes next."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from lear.errors import DataError
from lear.learning import config as recipes
from lear.reproduce.experiments import (
    MEASURED,
    ONE_LESSON,
    Baseline,
    Experiment,
    Measurement,
    Training,
    are_faults_missing,
    percent,
    share_of_faults,
    wrong_answers,
)
from lear.reproduce.machine import here_and_now
from lear.reproduce.report import read_report
from lear.reproduce.runs import Record, Run, identify, is_recipe_itself, one_lesson, short_names
from tests.support.toy_table import SMALL_RUN, toy

BASELINE = Baseline("toy/deep", "lstm", ("toy/deep",), overrides={"hidden": "16"})
SPEED = Measurement("speed", "toy/deep", "lear", ("bench", "toy", "--json"), is_of_speed=True)
MODEL = Measurement("own", "toy/deep", "lear.own", ("toy", "optim.reward='longest run'"))
DEEP = b"[" * 100_000
NOT_JSON = [b"", b"\xff", b"[]", DEEP, b'{"x": ' + DEEP, b'{"files": {"\xff": "x"}, "result": {}}']


def run_of(experiment: Experiment, seed: int = 1, folder: Path = Path("runs")) -> Run:
    return identify(experiment, seed, folder, None)


def words(run: Run) -> tuple[str, ...]:
    step = run.next_step()
    assert step is not None
    return step.arguments


@pytest.mark.parametrize("experiment", [toy(), SMALL_RUN, BASELINE, SPEED])
def test_equal_settings_are_one_run(experiment: Experiment) -> None:
    assert run_of(experiment) == run_of(replace(experiment))


def test_any_change_is_another_run() -> None:
    runs = [
        run_of(toy()),
        run_of(toy(), 2),
        run_of(toy(model__hidden="32")),
        run_of(toy(optim__learning_rate="0.001")),
        run_of(toy(curriculum="[{epochs = 21}]")),
        run_of(replace(toy(), recipe="paper")),
        run_of(replace(toy(), benchmark="toy")),
        run_of(BASELINE),
        run_of(BASELINE, 2),
        run_of(replace(BASELINE, recipe="transformer")),
        run_of(replace(BASELINE, overrides={"hidden": "32"})),
        run_of(SPEED),
        run_of(MODEL),
    ]
    assert len({run.name for run in runs}) == len({run.digest for run in runs}) == len(runs)


def test_what_the_recipe_says_already_is_the_same_run() -> None:
    assert run_of(toy(model__hidden="64")).name == run_of(toy()).name
    assert is_recipe_itself(run_of(toy(model__hidden="64")))
    assert is_recipe_itself(run_of(toy(curriculum=ONE_LESSON)))  # it has one lesson
    assert not is_recipe_itself(run_of(toy(model__hidden="32")))
    assert not is_recipe_itself(run_of(toy()))  # it does not claim to change anything


def test_other_data_are_another_run(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "other"]
    for folder in folders:
        (folder / "cogs").mkdir(parents=True)
        for name in ("train", "dev", "test", "gen"):
            (folder / f"cogs/{name}.tsv").write_text(f"{name}\n")
    (folders[1] / "cogs/train.tsv").write_text("another row\n")
    experiment = Training("cogs/gen", "best", ("cogs/gen",))
    one, other = (identify(experiment, 1, tmp_path, str(folder)) for folder in folders)
    assert one.config == other.config
    assert one.name != other.name


def test_a_measurement_of_a_changed_recipe_is_another_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Measurement("exploration", "cogs/gen", "lear.any", ("cogs/gen", "paper"))
    reading = replace(plain, recipe="paper")
    before, without = run_of(reading), run_of(plain)
    text = recipes.find_recipe("cogs", "paper").read_text()
    copy = tmp_path / "paper.toml"
    monkeypatch.setattr(recipes, "find_recipe", lambda *_: copy)
    copy.write_text(f"# A comment changes nothing.\n{text}")
    assert run_of(reading) == before
    copy.write_text(text.replace("samples = 10", "samples = 9"))
    assert run_of(reading).digest != before.digest
    assert run_of(plain) == without


def test_one_lesson_has_the_epochs_and_the_rates_of_all() -> None:
    short = {"epochs": 4, "max_tokens": 11, "rate": 1.0, "final_rate": 0.3}
    rest = {"epochs": 3, "max_tokens": 0, "rate": 0.3, "final_rate": None}
    expected = "[{epochs = 7, max_tokens = 0, rate = 1.0, final_rate = 0.3}]"
    assert one_lesson([short, rest]) == expected
    assert one_lesson([rest]) == "[{epochs = 3, max_tokens = 0, rate = 0.3}]"
    run = run_of(Training("cfq/mcd1", "paper", (), overrides={"curriculum": ONE_LESSON}))
    assert list(run.changed) == ["curriculum"]
    assert len(run.changed["curriculum"]) == 1


def test_names_of_folders_say_what_is_changed() -> None:
    changed = {"model.abstraction": False, "model.encoder": "span", "curriculum": [{"epochs": 7}]}
    assert short_names(changed) == ["curriculum", "abstraction=false", "encoder=span"]
    run = run_of(toy(model__hidden="32"), 5)
    assert run.name == f"{run.title}+seed-5+{run.digest}"
    assert run.title == "toy-deep+best+hidden=32"


def test_commands_are_told_as_one_types_them() -> None:
    assert run_of(SPEED).command() == "lear bench toy --json"
    assert shlex.split(run_of(MODEL).command()) == ["python", "-m", "lear.own", *MODEL.arguments]


def test_a_training_begins_goes_on_and_is_evaluated(tmp_path: Path) -> None:
    run = run_of(SMALL_RUN, folder=tmp_path)
    place, config = str(run.training), str(run.folder / "settings.toml")
    assert run.state() == "not run"
    assert words(run) == ("lear", "train", "--config", config, "--output", place)
    run.training.mkdir(parents=True)
    (run.training / "checkpoint.safetensors").write_bytes(b"weights")
    assert run.state() == "cut off"
    assert words(run) == ("lear", "train", "--resume", "--output", place)
    run.note(is_trained=True, seconds=12.0)
    assert run.state() == "trained"
    assert words(run) == ("lear", "evaluate", place, "toy/deep", "--json", "--skip-faults")
    run.keep_result("toy/deep", {"exact_match": 0.5})
    assert run.state() == "finished"
    assert run.next_step() is None
    assert run.result("toy/deep") == {"exact_match": 0.5, "training_seconds": 12.0}


def test_a_baseline_is_given_all_its_settings(tmp_path: Path) -> None:
    run = run_of(replace(BASELINE, overrides={"steps": "7"}), folder=tmp_path)
    begin = words(run)
    assert begin[:3] == ("lear", "baseline", "toy/deep")
    assert {"--architecture=lstm", "--steps=7", "--seed=1"} <= set(begin)
    assert "--resume" not in begin
    run.training.mkdir(parents=True)
    (run.training / "checkpoint.safetensors").write_bytes(b"weights")
    assert set(words(run)) - set(begin) == {"--resume"}


def test_results_on_other_files_do_not_count(tmp_path: Path) -> None:
    run = run_of(SMALL_RUN, folder=tmp_path)
    run.folder.mkdir()
    run.note(is_trained=True)
    run.keep_result("toy/deep", {"exact_match": 0.5})
    kept = json.loads(run.result_file("toy/deep").read_text())
    changed = kept | {"files": {"toy/test.tsv": "another digest"}}
    run.result_file("toy/deep").write_text(json.dumps(changed))
    assert run.state() == "trained"
    assert run.result("toy/deep") is None


def test_a_result_without_the_faults_that_are_asked_for_is_measured_again(tmp_path: Path) -> None:
    plain, blaming = (
        run_of(replace(SMALL_RUN, blames=blames), folder=tmp_path) for blames in (False, True)
    )
    assert plain.folder == blaming.folder
    plain.folder.mkdir()
    plain.note(is_trained=True)
    plain.keep_result("toy/deep", {"exact_match": 0.5, "faults": {}})
    assert plain.state() == "finished"
    assert blaming.state() == "trained"
    assert "--skip-faults" not in words(blaming)
    result = blaming.result("toy/deep")
    assert result is not None
    assert wrong_answers(result) is None  # not 0
    blamed = {"exact_match": 0.5, "faults": {"Composer": 7, "no answer": 2}}
    perfect = {"exact_match": 1.0, "faults": {}}
    for whole, number in ((blamed, 9), (perfect, 0)):
        blaming.keep_result("toy/deep", whole)
        assert blaming.state() == "finished"
        assert wrong_answers(whole) == number


def test_speed_is_measured_again_when_the_code_has_changed(tmp_path: Path) -> None:
    run = run_of(SPEED, folder=tmp_path)
    run.keep_result(MEASURED, {})
    assert run.next_step() is None  # an empty result is one, else it would be measured for ever
    run.note(made=here_and_now())
    assert run.state() == "finished"
    run.note(made=msgspec.structs.replace(here_and_now(), code="of yesterday"))
    assert run.state() == "of older code"
    assert words(run) == ("lear", "bench", "toy", "--json")
    assert run.result(MEASURED) == {}  # shown until then, with its commit


OTHER_FIGURES = [
    {"exact_match": "x"},
    {"faults": 3},
    {"faults": {"Composer": -1}},
    {"faults": {"a": "b"}},
]


@pytest.mark.parametrize(
    "content",
    [*NOT_JSON, *(json.dumps({"files": {}, "result": r}).encode() for r in OTHER_FIGURES)],
    ids=lambda content: repr(content[:60]),
)
def test_what_is_no_result_is_not_there(tmp_path: Path, content: bytes) -> None:
    run = run_of(SMALL_RUN, folder=tmp_path)
    run.keep_result("toy/deep", {"exact_match": 0.5})
    assert run.result("toy/deep") == {"exact_match": 0.5, "training_seconds": 0.0}
    run.result_file("toy/deep").write_bytes(content)
    assert run.result("toy/deep") is None


@pytest.mark.parametrize("value", ["x", [1], {"a": 1}, None])
def test_a_figure_that_is_no_number_is_no_figure(value: object) -> None:
    assert percent("scores", "x")({"scores": {"x": value}}) is None
    assert percent("scores", "x")({"scores": value}) is None
    assert share_of_faults("Composer")({}) is None
    assert not are_faults_missing({})


@pytest.mark.parametrize("content", [*NOT_JSON[:5], b'{"seconds": -1}', b'{"seconds": 1e999}'])
def test_a_record_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    run = run_of(SMALL_RUN, folder=tmp_path)
    assert run.record() == Record()
    run.folder.mkdir()
    (run.folder / "record.json").write_bytes(content)
    with pytest.raises(DataError, match=r"record.json: not the record of a run; delete") as caught:
        run.record()
    assert "\n" not in str(caught.value)
    with pytest.raises(DataError, match="not a report of `lear reproduce`"):
        read_report(run.folder / "record.json")
