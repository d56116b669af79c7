"""Runs: the same seed gives the same weights, what is learned generalises, and what does not go
together is one clear line."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.toy import TOY
from lear.errors import LearError, UsageError
from lear.evaluation.scores import evaluate
from lear.learning.config import RunConfig
from lear.learning.run import Learner, make_learner, train
from lear.learning.run_folder import RunFolder
from lear.lexicon.lexicon import Entry
from lear.policy.gradient import ReinforceObjective
from tests.support.runs import POLICY, TYPED, config, losses, run, same, weights
from tests.support.total_domains import total_domains
from tests.support.toy_rows import DEV, TEST, TRAIN


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, POLICY], ids=["exact", "reinforce"])
def test_the_same_seed_and_threads_give_the_same_weights(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    one_epoch = {**settings, "curriculum": "[{epochs = 1}]"}
    for name, seed, threads in (("a", "1", "1"), ("b", "1", "2"), ("c", "1", "2"), ("d", "2", "1")):
        run(tmp_path / name, config(**one_epoch, seed=seed, threads=threads))
        noted = json.loads(RunFolder(tmp_path / name).environment.read_bytes())
        assert noted["threads"] == int(threads)
    assert same(weights(tmp_path / "b"), weights(tmp_path / "c"))
    assert not same(weights(tmp_path / "a"), weights(tmp_path / "d"))
    # Other threads add up in another order, but no draw and no order of rows depends on them.
    assert losses(tmp_path / "a") == pytest.approx(losses(tmp_path / "b"), rel=1e-2)


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


TYPED_LEAVES = {
    **POLICY,
    "model__nothing": '"interpreter"',
    "model__leaf_symbols": '"typed"',
    "model__units": '"found"',
}
TOTAL = {**TYPED_LEAVES, "model__algebra": '"total"', "model__merging": '"free"'}


@pytest.mark.parametrize(
    ("domain", "settings", "said"),
    [
        (TOY, config(**POLICY, model__algebra='"total"'), "domain 'toy' has no total algebra"),
        (TOY, config(**POLICY, lexicon='"by_hand"'), "domain 'toy' has no entries by hand"),
        (GEO, config(**POLICY, lexicon='"by_hand"'), "domain 'geo' has no entries by hand"),
        (COGS, config(**TOTAL, lexicon='"by_hand"'), "domain 'cogs' has no entries by hand"),
        (TOY, config(**POLICY, lexicon='"related"'), "domain 'toy' has no thesaurus"),
        (TOY, config(extra_rows='"renamed"'), "domain 'toy' has no names of several sorts"),
        (TOY, config(**TYPED_LEAVES, model__nonterminals="2"), "than model.nonterminals = 2"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_settings_that_a_domain_cannot_meet_are_one_line(
    tmp_path: Path, domain: Domain, settings: RunConfig, said: str
) -> None:
    rows = {"train": TRAIN[:50], "dev": DEV[:10]}
    for _ in range(2):  # a refused run does not block the folder
        with pytest.raises(LearError) as caught:
            train(settings, domain, rows, RunFolder(tmp_path / "run"))
        assert said in str(caught.value)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def learner(name: str, settings: RunConfig) -> Learner:
    small = total_domains()[name]
    return make_learner(settings, small.domain, small.lexicon, small.rows)


@pytest.mark.parametrize("name", total_domains())
def test_the_first_symbols_are_the_types_of_leaves_and_others_are_numbered(name: str) -> None:
    found = learner(name, config(**TOTAL, model__nonterminals="5"))
    reader = total_domains()[name].oracle.reader
    types = {reader.categories.argument_symbol(leaf) for leaf in reader.leaf_categories()}
    symbols = found.network.vocabulary.symbols
    assert symbols[: len(types)] == tuple(sorted(types))
    assert symbols[len(types) :] == tuple(f"N{number}" for number in range(len(types), 5))
    free = learner(name, config(**POLICY, model__nonterminals="3"))
    assert free.network.vocabulary.symbols == ("N0", "N1", "N2")


@pytest.mark.parametrize("legality", ["types", "any"])
def test_legality_decides_whether_types_advise(legality: str) -> None:
    found = learner("geo", config(**TOTAL, model__nonterminals="3", model__legality=legality))
    objective = found.objective
    assert isinstance(objective, ReinforceObjective)
    leaves = sorted(objective.reader.leaf_categories())
    pairs = [(left, right) for left in leaves for right in leaves]
    every = objective.reader.categories.restricted(None, by_types=False)
    assert found.attested is None
    is_narrower = [
        len(objective.categories.combinations(pair)) < len(every.combinations(pair))
        for pair in pairs
    ]
    assert any(is_narrower) == (legality == "types")


@pytest.mark.parametrize("nothing", ["composer", "interpreter"])
def test_nothing_is_a_primitive_where_the_interpreter_chooses_it(nothing: str) -> None:
    found = learner("cogs", config(**POLICY, model__nothing=f'"{nothing}"'))
    kinds = {primitive.type for primitive in found.network.vocabulary.primitives}
    assert ("Nothing" in kinds) == (nothing == "interpreter")
    objective = found.objective
    assert isinstance(objective, ReinforceObjective)
    assert objective.reader.may_be_nothing == (nothing == "interpreter")
