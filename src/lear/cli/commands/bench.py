"""`lear bench`: measure the speed of training and parsing."""

from argparse import Namespace
from typing import TYPE_CHECKING

from lear.benchmark import PARTS, Benchmark, Example, Gazetteer
from lear.cli.arguments import (
    CommandParser,
    benchmark_help,
    find_benchmark,
    load_parser,
    natural,
    positive,
    threads,
)
from lear.cli.loading import load_gazetteer, load_rows
from lear.cli.output import stderr_tracker, table, write, write_json
from lear.domain import Domain
from lear.errors import UsageError
from lear.messages import Tracker, note

if TYPE_CHECKING:
    from lear.parser import Parser

EXAMPLES = """  lear bench
  lear bench cogs --json
  lear bench toy --model runs/toy --seconds 5"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "benchmark",
        nargs="?",
        default="cogs",
        metavar="DOMAIN[/SPLIT]",
        help=benchmark_help("the benchmark whose rows are used (default: cogs)"),
    )
    parser.add_argument(
        "--model",
        help="a run's folder, or a shipped model's name; it must have a chart decoder "
        "(default: the shipped model of the benchmark, or of the domain)",
    )
    parser.add_argument(
        "--seconds",
        type=positive,
        default=10,
        metavar="N",
        help="time for each measurement (default: 10)",
    )
    parser.add_argument(
        "--seed", type=natural, default=1, metavar="N", help="random seed (default: 1)"
    )
    parser.add_argument(
        "--threads", type=threads, default=1, metavar="N", help="threads of torch (default: 1)"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Measure, and print rates and ratios."""
    tracker = stderr_tracker()
    with tracker.phase("loading torch and the rows", is_long=False):
        import torch

        from lear.learning.speed import bench_recipe, parsing_speed, training_speed

        domain, benchmark = find_benchmark(options.benchmark)
        rows = {part: load_rows(domain, benchmark, part, options.data) for part in PARTS}
        gazetteer = load_gazetteer(domain, benchmark, options.data)
    parser = _load_or_train(options, domain, benchmark, rows, gazetteer, tracker)
    torch.set_num_threads(options.threads)
    with tracker.phase("parsing"):
        parsing = parsing_speed(parser, rows["test"], options.seconds)
    with tracker.phase("training with REINFORCE"):
        lexicon = domain.words.induce(rows["train"], gazetteer)
        recipe = bench_recipe(benchmark, options.seed)
        training = training_speed(recipe, domain, lexicon, rows["train"], options.seconds)
    if options.json:
        write_json(
            {
                "benchmark": benchmark.name,
                "train_examples_per_second": round(training.fast, 1),
                "train_examples_per_second_plain": round(training.plain, 2),
                "train_speedup_over_plain": round(training.speedup, 1),
                "parse_sentences_per_second": round(parsing.fast, 1),
                "parse_sentences_per_second_plain": round(parsing.plain, 2),
                "parse_speedup_over_plain": round(parsing.speedup, 1),
                "samples": recipe.optim.samples,
                "seed": options.seed,
                "threads": options.threads,
            }
        )
        return
    rates = [
        (name, f"{s.fast:,.0f}", f"{s.plain:,.1f}", f"{s.speedup:,.0f}x")
        for name, s in (("training, sentences/s", training), ("parsing, sentences/s", parsing))
    ]
    write(table([(benchmark.name, "fast", "plain", "ratio"), *rates], numbers=range(1, 4)))


def _load_or_train(
    options: Namespace,
    domain: Domain,
    benchmark: Benchmark,
    rows: dict[str, list[Example]],
    gazetteer: Gazetteer,
    tracker: Tracker,
) -> "Parser":
    """Load the model that is named, else the domain's shipped one; else train one quickly."""
    from lear.answering.decoders import ChartDecoder
    from lear.learning.speed import quick_parser
    from lear.storage.datasets import shipped_models

    shipped = shipped_models()
    own = benchmark.name.replace("/", "-")  # geo/query has a model of its own
    name = options.model or (own if own in shipped else domain.name)
    if not options.model and name not in shipped:
        note(f"no model of {name} ships; training one first")
        with tracker.phase("training a model to parse with", is_long=False):
            return quick_parser(domain, benchmark, rows, gazetteer, options.seed, tracker)
    with tracker.phase("loading the model", is_long=False):
        parser = load_parser(name, domain, unknown_words="overlook")
    if not isinstance(parser.decoder, ChartDecoder):
        raise UsageError(f"{name} decodes greedily; bench needs a model decoded by chart")
    return parser
