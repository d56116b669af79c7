"""`lear baseline`: train and score a sequence-to-sequence baseline."""

from argparse import Namespace
from typing import TYPE_CHECKING

import msgspec

from lear.cli.command_parser import CommandParser
from lear.cli.commands.evaluate import score_table, scores_as_dict
from lear.cli.load_benchmark import load_rows
from lear.cli.output import peak_rss_mb, write, write_json
from lear.cli.shared_options import benchmark_help
from lear.domain.example import PARTS
from lear.domains.registry import find_benchmark
from lear.errors import UsageError
from lear.messages.notes import note
from lear.messages.suggestions import explain

if TYPE_CHECKING:
    from lear.baselines.run import Progress

EXAMPLES = """  lear baseline toy --seconds 20
  lear baseline cogs/gen --architecture lstm --seconds 600 --seed 2 --json
  lear baseline cogs/gen --architecture transformer --hidden 64 --layers 3"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark"))
    parser.add_settings(
        "any setting: architecture (transformer or lstm), seconds of training (default: 600), "
        "epochs (at most), seed, threads, hidden, layers, heads, dropout, learning_rate, "
        "warmup_steps, tokens_per_batch"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Train, and print the scores on the test rows."""
    from lear.baselines.config import BaselineConfig
    from lear.baselines.run import train_baseline
    from lear.baselines.seq2seq import parameter_count

    try:
        config = msgspec.convert(options.overrides, BaselineConfig, strict=False)
    except msgspec.ValidationError as error:
        raise UsageError(f"flags: {explain(error, BaselineConfig)}") from None
    domain, benchmark = find_benchmark(options.benchmark)
    rows = {part: load_rows(domain, benchmark, part, options.data) for part in PARTS}

    def report(progress: "Progress") -> None:
        note(
            f"{progress.seconds:.0f} s, {progress.epochs:.1f} epochs: loss {progress.loss:.4f}, "
            f"dev {100 * progress.dev_exact_match:.2f} %"
        )

    baseline = train_baseline(config, domain, rows["train"], rows["dev"], report)
    scores = baseline.score(domain, rows["test"])
    if options.json:
        write_json(
            {
                "benchmark": benchmark.name,
                "settings": msgspec.to_builtins(config),
                "parameters": parameter_count(baseline.model),
                **scores_as_dict(scores, domain),
                "peak_rss_mb": round(peak_rss_mb(), 1),
            }
        )
    else:
        write(score_table(f"{config.architecture} {benchmark.name}", domain, scores))
