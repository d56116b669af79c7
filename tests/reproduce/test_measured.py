"""What is measured without a training: patterns of the data, and shares of an untrained policy."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.errors import UsageError
from lear.lexicon.lexicon import Entry, Lexicon
from lear.model.config import OptimConfig
from lear.reproduce.measured import (
    Figures,
    data_statistics,
    drawn,
    explore,
    input_pattern,
    output_pattern,
    pattern_coverage,
)
from lear.reproduce.runs import recipe_settings
from tests.support.policies import LATENT, Case, outcomes_of, toys


def measured(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lear.reproduce.measured", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def example(sentence: str, form: str = "") -> Example:
    return Example(tuple(sentence.split()), form, "", "")


def noun(symbol: str) -> tuple[Entry, ...]:
    return (Entry(Primitive("Noun", symbol), 1),)


LEXICON = Lexicon(
    "cogs", {("dog",): noun("dog"), ("film", "editor"): noun("film editor")}, {"a": 1, "saw": 1}
)


def test_units_of_a_sentence_are_anonymous() -> None:
    pattern = input_pattern(LEXICON)
    assert pattern(example("a dog saw a film editor")) == pattern(
        example("a film editor saw a dog")
    )
    assert pattern(example("a dog saw")) != pattern(example("saw a dog"))


@pytest.mark.parametrize(
    ("domain", "one", "same", "other"),
    [
        (
            "cogs",
            "see . agent ( x _ 1 , Emma ) AND dog ( x _ 3 )",
            "hear . agent ( x _ 2 , Liam ) AND cat ( x _ 4 )",
            "see . theme ( x _ 1 , Emma ) AND dog ( x _ 3 )",
        ),
        (
            "cfq",
            "SELECT count ( * ) WHERE { ?x0 film.editor.film M0 . ?x0 a film.actor }",
            "SELECT count ( * ) WHERE { ?x0 film.writer.film M1 . ?x0 a people.person }",
            "SELECT count ( * ) WHERE { ?x0 film.editor.film ?x1 . ?x0 a film.actor }",
        ),
    ],
)
def test_primitives_of_a_form_are_anonymous(domain: str, one: str, same: str, other: str) -> None:
    pattern = output_pattern(domain)
    assert pattern(example("", one)) == pattern(example("", same))
    assert pattern(example("", one)) != pattern(example("", other))


def test_coverage_is_the_share_of_known_patterns() -> None:
    train = [example("a dog saw a dog")]
    test = [example("a film editor saw a dog"), example("a dog saw")]
    assert pattern_coverage(input_pattern(LEXICON), train, test) == 0.5


@pytest.mark.data
@pytest.mark.slow
def test_cogs_has_the_coverage_that_the_paper_prints(data_folder: Path) -> None:
    found = data_statistics("cogs/gen_original", str(data_folder))
    assert (found["train"], found["dev"], found["test"]) == (24155, 3000, 21000)
    assert f"{found['input_train']:.1f} {found['input_test']:.1f}" == "7.5 9.8"
    assert f"{found['output_train']:.1f} {found['output_test']:.1f}" == "43.6 67.6"
    assert f"{found['input_coverage']:.3f} {found['output_coverage']:.3f}" == "0.783 0.782"


@pytest.fixture(scope="module")
def found() -> Figures:
    return explore(recipe_settings("toy/deep", "paper", {"seed": "1"}), None, rows=40, samples=5)


def test_shares_are_counted_of_samples() -> None:
    samples, rng = 60, np.random.default_rng(3)
    case = Case(toys()["toy"], LATENT, ("Tom", "sees", "Mary"), num_symbols=2)
    objective = case.objective(OptimConfig(samples=samples))
    (gold,) = objective.examples
    dead_end = Example(("Tom", "Mary"), gold.form, "", "test")
    readings = [case.reading, case.reader.read(dead_end.tokens)]
    draws = case.policy.draws(readings, samples, rng)
    outcomes = outcomes_of(case.policy, draws, case.policy.roll_out(draws, rng))
    rewards = [case.reward(outcome) for outcome in outcomes[:samples]]
    answers = sum(map(case.is_answer, outcomes))
    full = sum(reward == 1 for reward in rewards)
    assert 0 < full < samples <= answers  # else there is nothing to tell apart

    objective.examples, objective.readings = [gold, dead_end], readings
    counted = drawn(objective, samples, np.random.default_rng(3))
    assert (counted["rows"], counted["samples"]) == (2, samples)
    assert counted["dead_ends"] == pytest.approx(1 - answers / (2 * samples))
    assert counted["full_reward"] == pytest.approx(full / (2 * samples))
    assert counted["rows_with_full_reward"] == 0.5
    assert counted["mean_reward"] == pytest.approx(sum(rewards) / (2 * samples))


def test_shares_bound_each_other(found: Figures) -> None:
    assert (found["rows"], found["samples"]) == (40, 5)
    assert found["full_reward"] <= found["rows_with_full_reward"] <= 5 * found["full_reward"]
    assert found["full_reward"] <= found["mean_reward"] <= 1 - found["dead_ends"]
    assert 0 < found["dead_ends"] < 1


def test_a_seed_decides_what_is_found(found: Figures) -> None:
    again, other = (
        explore(recipe_settings("toy/deep", "paper", {"seed": str(seed)}), None, rows=40, samples=5)
        for seed in (1, 2)
    )
    assert again == found
    assert other != found


@pytest.mark.parametrize(
    ("recipe", "changed", "said"),
    [
        ("best", {}, "only objective 'reinforce' draws trees"),
        ("paper", {"model.algebra": "total"}, "no total algebra"),
        ("paper", {"lexicon": "by_hand"}, "no entries by hand"),
    ],
)
def test_settings_that_cannot_be_explored_are_refused(
    recipe: str, changed: dict[str, str], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        explore(recipe_settings("toy/deep", recipe, changed), None, rows=40, samples=5)


@pytest.mark.slow
def test_the_program_prints_one_object_or_one_line(found: Figures, tmp_path: Path) -> None:
    small = ("--rows", "40", "--samples", "5", "--seed", "1")
    done = measured("exploration", "toy/deep", "paper", "model.hidden=64", *small)
    assert json.loads(done.stdout) == found
    for arguments, said in (
        (("exploration", "toy/deep", "paper", "model.hiden=64"), "lear: flags: "),
        (("statistics", "cogs/gne"), "did you mean"),
        (("statistics", "cogs/gen", "--data", str(tmp_path)), "train.tsv: no such file"),
    ):
        failed = measured(*arguments)
        assert (failed.returncode, failed.stdout) == (1, "")
        assert failed.stderr.startswith("lear: ")
        assert said in failed.stderr
        assert len(failed.stderr.splitlines()) == 1
