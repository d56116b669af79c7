"""Runs: the same seed gives the same weights, and what is learned generalises."""

from dataclasses import replace
from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domains.toy import TOY
from lear.errors import DataError, LearError, UsageError
from lear.evaluation.scores import evaluate
from lear.learning.config import RunConfig
from lear.learning.run import make_learner, train
from lear.learning.run_folder import RunFolder
from lear.lexicon.lexicon import Entry
from tests.support.runs import POLICY, TYPED, config, losses, run, same, weights
from tests.support.toy_rows import TEST, TRAIN


@pytest.mark.slow
def test_the_same_seed_gives_the_same_weights_and_another_seed_others(tmp_path: Path) -> None:
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        run(tmp_path / name, config(seed=seed))
    assert same(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "c"))


@pytest.mark.slow
def test_a_run_learns_the_toy_language_and_generalises(tmp_path: Path) -> None:
    parser = run(tmp_path / "run", config(curriculum="[{epochs = 12}]"))
    assert evaluate(parser, TEST).overall.exact_match == 1.0


@pytest.mark.slow
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


@pytest.mark.slow
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
    lexicon = TOY.words.induce(TRAIN, ())
    both = (*lexicon.units["sees",], Entry(Primitive("Action", "help"), 1))
    lexicon = replace(lexicon, units={**lexicon.units, ("sees",): both})
    domain = replace(TOY, words=replace(TOY.words, induce=lambda *_: lexicon))
    parser = train(settings, domain, {"train": seen, "dev": seen}, RunFolder(tmp_path / "run"))
    assert evaluate(parser, seen).overall.exact_match == 1.0
    assert evaluate(parser, unseen).overall.exact_match == 1.0


@pytest.mark.slow
def test_a_curriculum_takes_short_rows_first(tmp_path: Path) -> None:
    stages = "[{max_tokens = 6, epochs = 1}, {epochs = 1}]"
    run(tmp_path / "run", config(curriculum=stages))
    assert len(losses(tmp_path / "run")) == 2
    with pytest.raises(LearError, match="of at most 1 tokens"):
        run(tmp_path / "none", config(curriculum="[{max_tokens = 1, epochs = 1}]"))


@pytest.mark.parametrize("settings", [config(), config(**POLICY)], ids=["exact", "reinforce"])
def test_items_of_a_stage_are_those_of_at_most_so_many_tokens(settings: RunConfig) -> None:
    lexicon = TOY.words.induce(TRAIN, ())
    objective = make_learner(settings, TOY, lexicon, TRAIN[:100]).objective
    assert 0 < len(objective.training_items(6)) < len(objective.training_items(0))
    assert set(objective.training_items(6)) < set(objective.training_items(0))


@pytest.mark.slow
def test_a_policy_run_parses_greedily_and_survives_odd_input(tmp_path: Path) -> None:
    parser = run(tmp_path / "run", config(**POLICY))
    sentences = ["", "Tom sees Mary", "Zoe", "the the", "Tom knows that " * 160 + "Tom sees Mary"]
    answers = [parser(sentence) for sentence in sentences]
    assert [answer.form is None for answer in answers[:4]] == [True, False, True, True]
    assert answers[0].reason == "the sentence is empty"
    with pytest.raises(UsageError, match="one answer only"):
        parser("Tom sees Mary", nbest=2)


@pytest.mark.slow
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
