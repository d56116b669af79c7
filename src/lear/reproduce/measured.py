"""What tables show without a training: statistics of the data, what untrained policies find.

    python -m lear.reproduce.measured statistics cogs/gen_original
    python -m lear.reproduce.measured exploration cogs/gen paper model.algebra=strict

The coverage of patterns is the share of test rows whose pattern occurs in training. In the pattern
of a sentence every unit of the lexicon is anonymous, in the pattern of a form every primitive.
REINFORCE learns from samples alone: where none is rewarded, there is nothing to begin with.
"""

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Hashable, Sequence
from statistics import fmean
from typing import Any

import msgspec
import numpy as np
import torch

from lear.benchmark import PARTS, Example
from lear.domains.registry import find_benchmark
from lear.errors import LearError, UsageError
from lear.learning.config import RunConfig
from lear.learning.lexicons import make_lexicon
from lear.learning.run import make_learner
from lear.lexicon.lexicon import Lexicon
from lear.policy.gradient import ReinforceObjective
from lear.reproduce.runs import recipe_settings
from lear.storage.datasets import DataFolder

ANONYMOUS = "_"
STRUCTURE = {
    "cogs": r"[().,;*_x]|AND|LAMBDA|agent|theme|recipient|[cx]comp|nmod|in|on|beside",
    "cfq": r"[(){}.*a]|!=|SELECT|count|DISTINCT|WHERE|FILTER|\?x\d+",
}
"""Domain -> the words of its forms that are not primitives.

Positions in COGS follow from the words before them, so they are anonymous, too.
"""
FULL_REWARD = 1 - 1e-9
"""A reward from here on is the whole of it: sums of shares may be off by a rounding error."""

Pattern = Callable[[Example], Hashable]
Figures = dict[str, Any]


def data_statistics(benchmark: str, data: str | None = None) -> Figures:
    """Count what the paper tells of a benchmark; CFQ takes half a minute, for its lexicon."""
    domain, found = find_benchmark(benchmark)
    folder = DataFolder.choose(data)
    train, dev, test = (domain.corpus.load(found, part, folder.find) for part in PARTS)
    lexicon = domain.words.induce(train, domain.words.gazetteer(found, folder.find))
    return {
        "benchmark": found.name,
        "train": len(train),
        "dev": len(dev),
        "test": len(test),
        "vocabulary": len({word for row in train for word in row.tokens}),
        # Inputs are as long as the benchmark counts, outputs as they have words.
        "input_train": fmean(row.length for row in train),
        "input_test": fmean(row.length for row in test),
        "output_train": fmean(len(row.form.split()) for row in train),
        "output_test": fmean(len(row.form.split()) for row in test),
        "input_coverage": pattern_coverage(input_pattern(lexicon), train, test),
        "output_coverage": pattern_coverage(output_pattern(domain.name), train, test),
    }


def pattern_coverage(pattern: Pattern, train: Sequence[Example], test: Sequence[Example]) -> float:
    """Return the share of test rows whose pattern occurs in training."""
    known = {pattern(row) for row in train}
    return fmean(pattern(row) in known for row in test)


def input_pattern(lexicon: Lexicon) -> Pattern:
    """Return what makes the units of a sentence anonymous."""
    return lambda row: tuple(
        ANONYMOUS if unit in lexicon.units else unit for unit in lexicon.segment(row.tokens)
    )


def output_pattern(domain: str) -> Pattern:
    """Return what makes the primitives of a form anonymous; nothing in an unknown domain."""
    structure = re.compile(STRUCTURE.get(domain, ".*"))
    return lambda row: tuple(
        word if structure.fullmatch(word) else ANONYMOUS for word in row.form.split()
    )


def explore(config: RunConfig, data: str | None, rows: int, samples: int) -> Figures:
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


def drawn(objective: ReinforceObjective, samples: int, rng: np.random.Generator) -> Figures:
    """Draw trees of all rows of an objective, as its network is now."""
    policy = objective.new_policy()
    with torch.no_grad():
        draws = policy.draws(objective.readings, samples, rng)
        rollouts = policy.roll_out(draws, rng)
    targets = [objective.target(number) for number in range(len(objective.examples))]
    rewards = objective.rewards(policy, draws, targets, rollouts)
    is_full = rewards >= FULL_REWARD
    return {
        "rows": len(targets),  # without single words, which have one tree only
        "samples": samples,
        "dead_ends": 1 - len(rollouts.answers(policy)) / rewards.size,
        "full_reward": float(is_full.mean()),
        "rows_with_full_reward": float(is_full.any(axis=1).mean()),
        "mean_reward": float(rewards.mean()),
    }


def _setting(text: str) -> tuple[str, str]:
    key, sign, value = text.partition("=")
    if not sign:
        raise ArgumentTypeError(f"expected SETTING=VALUE, not {text!r}")
    return key, value


def main() -> None:
    """Print what is measured as one JSON object."""
    parser = ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("statistics", "exploration"):
        command = commands.add_parser(name)
        command.add_argument("benchmark")
        command.add_argument("--data")
    command.add_argument("recipe")
    command.add_argument("changed", nargs="*", type=_setting, metavar="SETTING=VALUE")
    command.add_argument("--rows", type=int, default=500)
    command.add_argument("--samples", type=int, default=10)
    command.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    try:
        if options.command == "statistics":
            found = data_statistics(options.benchmark, options.data)
        else:
            changed = {"seed": str(options.seed), **dict(options.changed)}
            config = recipe_settings(options.benchmark, options.recipe, changed)
            torch.set_num_threads(config.threads)
            found = explore(config, options.data, options.rows, options.samples)
    except LearError as error:
        sys.exit(f"lear: {error}")
    sys.stdout.write(msgspec.json.encode(found).decode() + "\n")


if __name__ == "__main__":
    main()
