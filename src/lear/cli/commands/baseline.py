"""`lear baseline`: train and score a sequence-to-sequence baseline."""

from argparse import Namespace
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from lear.baselines.networks import BaselineConfig, load_config
from lear.benchmark import Benchmark, Example
from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark
from lear.cli.commands.evaluate import score_table, scores_as_dict
from lear.cli.loading import digest_of, load_rows
from lear.cli.output import peak_rss_mb, stderr_tracker, write, write_json
from lear.domain import Domain
from lear.errors import DataError, UsageError
from lear.evaluation.scores import Scores
from lear.learning.run_folder import CHECKPOINT_FILE
from lear.messages import note
from lear.storage.files import LOCK_FILE, locked_folder, partial_files, write_whole

if TYPE_CHECKING:
    from lear.baselines.training import DevScore

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
    with nullcontext() if folder is None else locked_folder(folder):
        _train(options, config, domain, benchmark, {"train": train, "dev": dev}, tests, folder)


def _train(
    options: Namespace,
    config: BaselineConfig,
    domain: Domain,
    benchmark: Benchmark,
    rows: dict[str, list[Example]],
    tests: dict[str, list[Example]],
    folder: Path | None,
) -> None:
    from lear.baselines.training import train_baseline

    train, dev = rows["train"], rows["dev"]
    tracker = stderr_tracker()
    baseline, progress = train_baseline(
        config,
        domain,
        train,
        dev,
        _report,
        checkpoint=folder and folder / CHECKPOINT_FILE,
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
        "steps": progress.steps,
        "epochs": progress.rows / len(train),
        "seconds": progress.seconds,
        "dev_exact_match": progress.best_dev,
        "dev_rows": num_dev,
        "scores": {name: _as_dict(found, domain) for name, found in scores.items()},
        "history": progress.history,
        "peak_rss_mb": peak_rss_mb(),
    }
    if folder is not None:
        write_whole(folder / "result.json", msgspec.json.encode(result))
    if options.json:
        write_json(result)
    else:
        titles = (f"{config.architecture} {name}" for name in scores)
        tables = zip(titles, scores.values(), strict=True)
        write("\n\n".join(score_table(title, domain, found) for title, found in tables))
        write(f"\nbest on dev: {100 * progress.best_dev:.2f} % exact of {num_dev} rows")


def _test_rows(
    options: Namespace, domain: Domain, benchmark: Benchmark
) -> dict[str, list[Example]]:
    """The test rows to score, by the benchmarks that they are of."""
    tests = {}
    for name in options.evaluate or [benchmark.name]:
        owner, other = find_benchmark(name)
        if owner.name != domain.name:
            raise UsageError(f"--evaluate {name}: not a benchmark of {domain.name}")
        tests[other.name] = load_rows(domain, other, "test", options.data)
    return tests


def _folder(options: Namespace) -> Path | None:
    """The folder of the run; a run is not begun where another is."""
    if options.output is None:
        if options.resume:
            raise UsageError("--resume needs --output, the folder of the run")
        return None
    folder = Path(options.output)
    if options.resume:
        if not (folder / CHECKPOINT_FILE).is_file():
            raise DataError(f"{folder / CHECKPOINT_FILE}: no checkpoint to resume from")
        return folder
    try:
        held = {folder / LOCK_FILE} | partial_files(folder)
        if folder.exists() and set(folder.iterdir()) - held:
            raise DataError(f"{folder}: not empty; choose another folder, or --resume the run")
    except OSError as error:
        raise DataError(f"{folder}: cannot be made: {error.strerror}") from None
    return folder


def _report(score: "DevScore") -> None:
    note(
        f"step {score.step}, {score.seconds:.0f} s: loss {score.loss:.4f}, "
        f"dev {100 * score.dev_exact_match:.2f} %"
    )


def _as_dict(scores: Scores, domain: Domain) -> dict[str, Any]:
    """The fields of `lear evaluate --json`, and exact match by group."""
    by_group = {name: score.exact_match for name, score in scores.groups.items()}
    return {**scores_as_dict(scores, domain), "by_group": by_group}
