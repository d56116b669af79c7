"""What an untrained policy finds: trees are drawn before the first step of training.

REINFORCE learns from samples alone: where none is rewarded, there is nothing to begin with.

    python -m lear.reproduce.exploration cogs/gen paper model.algebra=strict
"""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Mapping

import msgspec
import numpy as np
import torch

from lear.domains.registry import find_benchmark
from lear.errors import LearError, UsageError
from lear.learning.config import RunConfig, find_recipe, load_config
from lear.learning.lexicons import make_lexicon
from lear.learning.run import make_learner
from lear.policy.gradient import ReinforceObjective
from lear.storage.datasets import DataFolder

ROWS = 500
SAMPLES = 10
FULL = 1 - 1e-9
"""A reward from here on is the whole of it: sums of shares may be off by a rounding error."""


class Exploration(msgspec.Struct, frozen=True):
    """What samples came to."""

    rows: int
    """Sentences that samples were drawn of: single words without a choice have one tree only."""
    samples: int
    """Of each sentence."""
    dead_ends: float
    """The share of samples without an answer."""
    full_reward: float
    """The share of samples with the whole reward."""
    rows_with_full_reward: float
    """The share of sentences with such a sample."""
    mean_reward: float


def explore(
    config: RunConfig, data: str | None, rows: int = ROWS, samples: int = SAMPLES
) -> Exploration:
    """Draw trees of some training rows under these settings, with a new network."""
    if config.optim.objective != "reinforce":
        raise UsageError("only objective 'reinforce' draws trees")
    domain, benchmark = find_benchmark(config.benchmark)
    folder = DataFolder.choose(data)
    train = domain.corpus.load(benchmark, "train", folder.find)
    gazetteer = domain.words.gazetteer(benchmark, folder.find)
    domain = domain.with_algebra(config.model.algebra)
    lexicon = make_lexicon(config, domain, train, gazetteer)
    torch.manual_seed(config.seed)
    rng = np.random.default_rng(config.seed)
    chosen = [train[number] for number in rng.permutation(len(train))[:rows]]
    objective = make_learner(config, domain, lexicon, chosen).objective
    assert isinstance(objective, ReinforceObjective)
    return drawn(objective, samples, rng)


def drawn(objective: ReinforceObjective, samples: int, rng: np.random.Generator) -> Exploration:
    """Draw trees of all rows of an objective, as its network is now."""
    policy = objective.new_policy()
    with torch.no_grad():
        draws = policy.draws(objective.readings, samples, rng)
        rollouts = policy.roll_out(draws, rng)
    targets = [objective.target(number) for number in range(len(objective.examples))]
    rewards = objective.rewards(policy, draws, targets, rollouts)
    is_full = rewards >= FULL
    return Exploration(
        rows=len(targets),
        samples=samples,
        dead_ends=1 - len(rollouts.answers(policy)) / rewards.size,
        full_reward=float(is_full.mean()),
        rows_with_full_reward=float(is_full.any(axis=1).mean()),
        mean_reward=float(rewards.mean()),
    )


def settings(benchmark: str, recipe: str, overrides: Mapping[str, str], seed: int) -> RunConfig:
    """The settings of a recipe with some changed."""
    domain, found = find_benchmark(benchmark)
    path = find_recipe(domain.name, recipe, domain.recipes)
    given = {"benchmark": f'"{found.name}"', "seed": str(seed)}
    return load_config(path, given | dict(overrides))


def _setting(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise ArgumentTypeError(f"expected SETTING=VALUE, not {text!r}")
    return key, value


def main() -> None:
    """Print what an untrained policy finds as one JSON object."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("benchmark")
    parser.add_argument("recipe")
    parser.add_argument("changed", nargs="*", type=_setting, metavar="SETTING=VALUE")
    parser.add_argument("--rows", type=int, default=ROWS)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data")
    options = parser.parse_args()
    try:
        config = settings(options.benchmark, options.recipe, dict(options.changed), options.seed)
        torch.set_num_threads(config.threads)
        found = explore(config, options.data, options.rows, options.samples)
    except LearError as error:
        sys.exit(f"lear: {error}")
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


if __name__ == "__main__":
    main()
