"""What an untrained policy finds: the shares are those of its samples, counted one by one."""

import subprocess
import sys

import msgspec
import numpy as np
import pytest

from lear.benchmark import Example
from lear.errors import UsageError
from lear.model.config import OptimConfig
from lear.reproduce.exploration import Exploration, drawn, explore, settings
from tests.support.policies import LATENT, Case, outcomes_of, toys

MODULE = "lear.reproduce.exploration"


@pytest.fixture(scope="module")
def found() -> Exploration:
    return explore(settings("toy/deep", "paper", {}, 1), None, rows=40, samples=5)


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
    assert (counted.rows, counted.samples) == (2, samples)
    assert counted.dead_ends == pytest.approx(1 - answers / (2 * samples))
    assert counted.full_reward == pytest.approx(full / (2 * samples))
    assert counted.rows_with_full_reward == 0.5
    assert counted.mean_reward == pytest.approx(sum(rewards) / (2 * samples))


def test_shares_bound_each_other(found: Exploration) -> None:
    assert (found.rows, found.samples) == (40, 5)
    assert found.full_reward <= found.rows_with_full_reward <= 5 * found.full_reward
    assert found.full_reward <= found.mean_reward <= 1 - found.dead_ends
    assert 0 < found.dead_ends < 1


def test_a_seed_decides_what_is_found(found: Exploration) -> None:
    again, other = (
        explore(settings("toy/deep", "paper", {}, seed), None, rows=40, samples=5)
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
        explore(settings("toy/deep", recipe, changed, 1), None)


@pytest.mark.slow
def test_the_program_prints_one_object_or_one_line(found: Exploration) -> None:
    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", MODULE, "toy/deep", "paper", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = run("model.hidden=64", "--rows", "40", "--samples", "5", "--seed", "1")
    assert msgspec.json.decode(done.stdout, type=Exploration) == found
    failed = run("model.hiden=64")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("lear: flags: ")
    assert len(failed.stderr.splitlines()) == 1
