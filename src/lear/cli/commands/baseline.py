"""`lear baseline`: train and score a sequence-to-sequence baseline."""

from argparse import Namespace
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lear.baselines.config import BaselineConfig, load_config
from lear.benchmark import Benchmark, Example
from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark
from lear.cli.commands.evaluate import score_table, scores_as_dict
from lear.cli.loading import digest_of, load_rows
from lear.cli.output import peak_rss_mb, stderr_tracker, write, write_json
from lear.domain import Domain
from lear.errors import DataError, UsageError
from lear.messages import note
from lear.storage.files import locked_folder, write_whole

if TYPE_CHECKING:
    from lear.evaluation.scores import Scores
    from lear.learning.checkpoint import Metrics
    from lear.learning.run_folder import RunFolder

EXAMPLES = """  lear baseline toy --seconds 20
  lear baseline cogs/gen --architecture lstm --seed 2 --output runs/lstm --json
  lear baseline cogs/gen --architecture lstm --seed 2 --output runs/lstm --resume --json
  lear baseline cogs --hidden 64 --steps 500 --evaluate cogs/gen --evaluate cogs/test"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark"))
    parser.add_argument(
        "--evaluate",
        action="append",
        metavar="DOMAIN/SPLIT",
        help="score the test rows of this benchmark (default: the one trained on); repeatable",
    )
    parser.add_argument("--output", metavar="FOLDER", help="keep checkpoint and result.json there")
    parser.add_argument("--resume", action="store_true", help="continue the run in --output")
    parser.add_settings(
        BaselineConfig,
        "any setting: architecture (transformer or lstm), seed, steps or seconds of training, "
        "threads (default: 1), hidden, layers and others (docs/reference.md)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Train, and print the scores on the test rows."""
    domain, benchmark = find_benchmark(options.benchmark)
    config = load_config(domain.name, options.overrides)
    with stderr_tracker().phase("loading torch and the rows", is_long=False):
        import lear.baselines.training  # noqa: F401  # takes seconds

        train = load_rows(domain, benchmark, "train", options.data)
        dev = load_rows(domain, benchmark, "dev", options.data)
        tests = _test_rows(options, domain, benchmark)
    folder = _folder(options)
    # One process at a time: two would write over each other's checkpoints.
    with nullcontext() if folder is None else locked_folder(folder.root):
        result, tables = _trained(options, config, domain, benchmark, train, dev, tests, folder)
        if folder is not None:
            write_whole(folder.result, msgspec.json.encode(result))
    if options.json:
        write_json(result)
    else:
        write(tables)


def _trained(
    options: Namespace,
    config: BaselineConfig,
    domain: Domain,
    benchmark: Benchmark,
    train: list[Example],
    dev: list[Example],
    tests: dict[str, list[Example]],
    folder: "RunFolder | None",
) -> tuple[dict[str, Any], str]:
    """Train and score; return what `--json` prints, and tables of the scores."""
    from lear.baselines.training import train_baseline

    tracker = stderr_tracker()
    baseline, progress, num_rows = train_baseline(
        config,
        domain,
        train,
        dev,
        _report,
        checkpoint=None if folder is None else folder.checkpoint,
        resume=options.resume,
        data=f"{benchmark.name} {digest_of(train)}",
        tracker=tracker,
    )
    num_dev = min(len(dev), config.dev_rows)
    scores = {name: baseline.score(domain, rows, tracker) for name, rows in tests.items()}
    result = {
        "benchmark": benchmark.name,
        "architecture": config.architecture,
        "seed": config.seed,
        "settings": msgspec.to_builtins(config),
        "parameters": sum(weight.numel() for weight in baseline.model.parameters()),
        "steps": progress.total_steps,
        "epochs": num_rows / len(train),
        "seconds": progress.seconds,
        "dev_exact_match": progress.best_dev,
        "dev_rows": num_dev,
        "scores": {name: _as_dict(found, domain) for name, found in scores.items()},
        "history": [_evaluation(metrics) for metrics in progress.history],
        "peak_rss_mb": peak_rss_mb(),
    }
    tables = [
        score_table(f"{config.architecture} {name}", domain, found)
        for name, found in scores.items()
    ]
    best = f"best on dev: {100 * progress.best_dev:.2f} % exact of {num_dev} rows"
    return result, "\n\n".join((*tables, best))


def _evaluation(metrics: "Metrics") -> dict[str, Any]:
    return {
        "step": metrics.steps,
        "seconds": round(metrics.seconds, 1),
        "loss": metrics.loss,
        "dev_exact_match": metrics.dev_exact_match,
    }


def _test_rows(
    options: Namespace, domain: Domain, benchmark: Benchmark
) -> dict[str, list[Example]]:
    """Load the test rows to score, by benchmark."""
    tests = {}
    for name in options.evaluate or [benchmark.name]:
        owner, other = find_benchmark(name)
        if owner.name != domain.name:
            raise UsageError(f"--evaluate {name}: not a benchmark of {domain.name}")
        tests[other.name] = load_rows(domain, other, "test", options.data)
    return tests


def _folder(options: Namespace) -> "RunFolder | None":
    """Return the folder of the run; a run is not begun where another is."""
    from lear.learning.run_folder import RunFolder

    if options.output is None:
        if options.resume:
            raise UsageError("--resume needs --output, the folder of the run")
        return None
    folder = RunFolder(Path(options.output))
    if not options.resume:
        folder.check(resume=False)
    elif not folder.checkpoint.is_file():
        raise DataError(f"{folder.checkpoint}: no checkpoint to resume from")
    return folder


def _report(metrics: "Metrics") -> None:
    note(
        f"step {metrics.steps}, {metrics.seconds:.0f} s: loss {metrics.loss:.4f}, "
        f"dev {100 * metrics.dev_exact_match:.2f} %"
    )


def _as_dict(scores: "Scores", domain: Domain) -> dict[str, Any]:
    """Return the fields of `lear evaluate --json`, and exact match by group."""
    by_group = {name: score.exact_match for name, score in scores.groups.items()}
    return {**scores_as_dict(scores, domain), "by_group": by_group}
