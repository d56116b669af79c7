"""Runs: repeatable, resumable bit by bit, and never left half written."""

import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save

from lear.core.lexicon import Entry, Primitive
from lear.decoding.model_file import load_model
from lear.domain.example import Example
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.errors import DataError, LearError, UsageError
from lear.evaluation.evaluate import evaluate
from lear.exact.objective import ExactObjective
from lear.parser import Parser
from lear.policy.objective import ReinforceObjective
from lear.training.config import RunConfig, load_config, to_toml
from lear.training.learner import make_learner
from lear.training.run import RunFolder, train

ROWS = {part: generate(part, seed=1) for part in ("train", "dev")}
SMALL = {"benchmark": '"toy"', "threads": "1", "model.hidden": "16", "optim.batch_size": "16"}


def config(**overrides: str) -> RunConfig:
    dotted = {key.replace("__", "."): value for key, value in overrides.items()}
    return load_config(None, {**SMALL, "curriculum": "[{epochs = 3}]", **dotted})


def run(folder: Path, settings: RunConfig, *, resume: bool = False) -> Parser:
    rows: dict[str, list[Example]] = ROWS
    return train(settings, TOY, rows, RunFolder(folder), resume=resume, environment={})


def weights(folder: Path, which: str = "last") -> dict[str, torch.Tensor]:
    return load_model(RunFolder(folder).model(which)).network.state_dict()


def same(a: dict[str, torch.Tensor], b: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(a[name], b[name]) for name in a)


def losses(folder: Path) -> list[float]:
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["loss"] for line in lines]


def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        run(tmp_path / name, config(seed=seed))
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "c"))


POLICY = {
    "optim__objective": "reinforce",
    "model__symbols": "latent",
    "optim__samples": "3",
    "optim__batch_size": "64",
}


TYPED = {"model__symbols": "typed"}
UNITS = {
    "model__lexical": '"units"',
    "model__search": '"legal"',
    "optim__word_dropout": "0.2",
    "optim__batch_size": "8",
}


@pytest.mark.parametrize(
    ("objective", "settings"),
    [
        (ExactObjective, config()),
        (ExactObjective, config(**UNITS, model__members="2", dev_every="2")),
        (ReinforceObjective, config(**POLICY)),
        (ReinforceObjective, config(**POLICY, optim__replay="0.5", model__legality="attested")),
        (ReinforceObjective, config(**POLICY | TYPED, model__encoder="contextual")),
    ],
    ids=["exact", "committee", "reinforce", "replay", "contextual"],
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
    run(tmp_path / "broken", load_config(tmp_path / "broken/config.toml", {}), resume=True)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "broken"))
    losses = [
        [
            json.loads(x)["loss"]
            for x in (tmp_path / name / "metrics.jsonl").read_text().splitlines()
        ]
        for name in ("whole", "broken")
    ]
    assert losses[0] == losses[1]


def test_a_run_learns_the_toy_language_and_generalises(tmp_path: Path) -> None:
    parser = run(tmp_path / "run", config(curriculum="[{epochs = 12}]"))
    scores = evaluate(parser, generate("test", seed=1))
    assert scores.overall.exact_match == 1.0


@pytest.mark.parametrize("encoder", ["tree", "contextual", "span"])
@pytest.mark.parametrize("abstraction", ["true", "false"])
def test_every_ablation_learns_something(tmp_path: Path, encoder: str, abstraction: str) -> None:
    settings = config(
        **POLICY | TYPED,
        model__encoder=encoder,
        model__abstraction=abstraction,
        model__legality="attested",
        optim__learning_rate="0.02",
        optim__entropy="0.02",
        curriculum="[{epochs = 4}]",
    )
    run(tmp_path / "run", settings)
    found = losses(tmp_path / "run")
    assert found[-1] < found[0] - 0.1  # the mean reward grows


def polysemous(subjects: tuple[str, ...]) -> list[Example]:
    """Rows in which `sees` means to see somebody by name, but to help somebody with an article."""
    people = {("Tom",): "tom", ("Nina",): "nina"}
    kinds = {("the", kind): kind for kind in ("girl", "boy", "doctor")}
    return [
        Example((name, "sees", *words), f"{verb} ( {name.lower()} , {who} )", "", "test")
        for name in subjects
        for verb, objects in (("see", people), ("help", kinds))
        for words, who in objects.items()
    ]


@pytest.mark.parametrize(
    "settings",
    [
        config(optim__learning_rate="0.02", curriculum="[{epochs = 15}]"),
        config(
            **POLICY | TYPED | {"optim__samples": "10", "optim__batch_size": "16"},
            optim__alpha="0.5",
            optim__learning_rate="0.02",
            optim__entropy="0.01",
            curriculum="[{epochs = 60}]",
        ),
    ],
    ids=["exact", "reinforce"],
)
def test_words_with_several_meanings_are_told_apart_by_context(
    tmp_path: Path, settings: RunConfig
) -> None:
    seen, unseen = polysemous(("Mary", "John", "Anna", "Carl", "Lucy")), polysemous(("Tom",))
    lexicon = TOY.words.induce(ROWS["train"])
    both = (*lexicon.units["sees",], Entry(Primitive("Action", "help"), 1))
    lexicon = replace(lexicon, units={**lexicon.units, ("sees",): both})
    domain = replace(TOY, induce=lambda _: lexicon)
    folder = RunFolder(tmp_path / "run")
    rows = {"train": seen, "dev": seen}
    parser = train(settings, domain, rows, folder, resume=False, environment={})
    assert evaluate(parser, seen).overall.exact_match == 1.0
    assert evaluate(parser, unseen).overall.exact_match == 1.0


def test_a_curriculum_takes_short_rows_first(tmp_path: Path) -> None:
    stages = "[{max_tokens = 6, epochs = 1}, {epochs = 1}]"
    run(tmp_path / "run", config(curriculum=stages))
    lines = (tmp_path / "run/metrics.jsonl").read_text().splitlines()
    assert len(lines) == 2
    for settings in (config(), config(**POLICY)):
        objective = make_learner(
            settings, TOY, TOY.words.induce(ROWS["train"]), ROWS["train"]
        ).objective
        assert 0 < len(objective.units(6)) < len(objective.units(0))
        assert set(objective.units(6)) < set(objective.units(0))
    with pytest.raises(LearError, match="of at most 1 tokens"):
        run(tmp_path / "none", config(curriculum="[{max_tokens = 1, epochs = 1}]"))


def test_nan_stops_the_run_and_keeps_the_last_good_state(tmp_path: Path) -> None:
    with pytest.raises(LearError, match="not a number"):
        run(tmp_path / "run", config(optim__learning_rate="1e30"))
    network_file = tmp_path / "run/checkpoint.safetensors"
    assert network_file.is_file()


def test_a_policy_run_parses_greedily_and_survives_odd_input(tmp_path: Path) -> None:
    parser = run(tmp_path / "run", config(**POLICY))
    sentences = ["", "Tom sees Mary", "Zoe", "the the", "Tom knows that " * 160 + "Tom sees Mary"]
    answers = [parser(sentence) for sentence in sentences]
    assert [answer.form is None for answer in answers[:4]] == [True, False, True, True]
    assert answers[0].reason == "the sentence is empty"
    with pytest.raises(UsageError, match="one answer only"):
        parser("Tom sees Mary", nbest=2)


def test_a_run_that_failed_at_once_does_not_block_its_folder(tmp_path: Path) -> None:
    with pytest.raises(LearError, match="at most 1 tokens"):
        run(tmp_path / "run", config(curriculum="[{max_tokens = 1, epochs = 1}]"))
    run(tmp_path / "run", config(curriculum="[{epochs = 1}]"))
    with pytest.raises(DataError, match="not empty"):
        run(tmp_path / "run", config())


def test_a_folder_that_is_not_empty_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    with pytest.raises(DataError, match="not empty"):
        run(tmp_path, config())
    assert (tmp_path / "mine").read_text() == "precious"


def test_there_must_be_something_to_resume(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no checkpoint"):
        run(tmp_path / "nothing", config(), resume=True)


def test_a_broken_checkpoint_is_refused(tmp_path: Path) -> None:
    run(tmp_path / "run", config(curriculum="[{epochs = 1}]"))
    checkpoint = tmp_path / "run/checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:500])
    with pytest.raises(DataError, match="checkpoint"):
        run(tmp_path / "run", config(), resume=True)


@pytest.mark.parametrize("name", ["objective.rewards", "objective.sizes", "optimizer.0.step"])
def test_a_checkpoint_that_does_not_hold_together_is_refused(tmp_path: Path, name: str) -> None:
    settings = config(**POLICY, optim__replay="1", curriculum="[{epochs = 1}]")
    run(tmp_path / "run", settings)
    path = tmp_path / "run/checkpoint.safetensors"
    with safe_open(str(path), framework="pt") as file:
        metadata = file.metadata()
        tensors = {key: file.get_tensor(key) for key in list(file.keys())}
    if name in tensors:
        tensors[name] = tensors[name].reshape(-1)[:1]
    else:
        name = next(key for key in tensors if key.endswith(".step"))
        del tensors[name]
    path.write_bytes(save(tensors, metadata))
    with pytest.raises(DataError, match="not a whole checkpoint"):
        run(tmp_path / "run", settings, resume=True)


def test_a_run_does_not_go_on_with_other_data(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    short = config(curriculum="[{epochs = 1}]")
    train(short, TOY, ROWS, folder, resume=False, environment={"rows": {"train": "1"}})
    with pytest.raises(DataError, match="its data has changed"):
        train(short, TOY, ROWS, folder, resume=True, environment={"rows": {"train": "2"}})


def test_the_saved_config_reads_back_as_the_config(tmp_path: Path) -> None:
    settings = config(**POLICY, seed="7", optim__alpha="0.5", model__abstraction="false")
    assert (settings.seed, settings.optim.alpha, settings.model.abstraction) == (7, 0.5, False)
    path = tmp_path / "config.toml"
    path.write_text(to_toml(settings))
    assert load_config(path, {}) == settings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[model]\nhiden = 3", "hidden"),
        ("[model]\nhidden = 'many'", "int"),
        ("[optim]\nobjective = 'luck'", "luck"),
        ("[model]\nsymbols = 'latent'", "'exact' needs model.symbols = 'typed'"),
        ("[model]\nencoder = 'span'", "model.encoder = 'tree'"),
        ("speed = 3", "seed"),
        ("seed = -1", ">= 0"),
        ("threads = 100000", "<= 256"),
        ("curriculum = []", "length >= 1"),
        ("[optim]\nlearning_rate = inf", "<= 1e+30"),
        ("device = 'toaster'", "device 'toaster' cannot be used"),
        ("not toml", "not a config"),
    ],
)
def test_a_config_that_does_not_fit_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as caught:
        load_config(path, {})
    assert said in str(caught.value)
    assert str(path) in str(caught.value)
