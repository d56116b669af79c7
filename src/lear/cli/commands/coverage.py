"""`lear coverage`: count the rows that have a derivation with this algebra and lexicon."""

import time
from argparse import Namespace

import msgspec

from lear.benchmark import PARTS, Benchmark
from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark, one_of, positive
from lear.cli.loading import are_published, group_label, load_language, load_lexicon, load_rows
from lear.cli.output import output_file, stderr_tracker, table, write, write_json
from lear.domain import Domain
from lear.errors import DomainError
from lear.evaluation.coverage import CategoryPromise, Tally, Unreached, coverage
from lear.forest.chart import DEFAULT_BUDGET, Budget
from lear.forest.oracle import Oracle
from lear.messages import note

EXAMPLES = """  lear coverage toy --part all
  lear coverage cogs/gen
  lear coverage cogs/gen --by-category
  lear coverage cogs/gen --part train --json --unreachable lost.jsonl"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark"))
    parser.add_argument(
        "--part",
        default="test",
        metavar="train|dev|test|all",
        help="which rows (default: test)",
    )
    parser.add_argument(
        "--by-category", action="store_true", help="one line for each group of rows"
    )
    parser.add_argument(
        "--unreachable", metavar="FILE", help="write the rows without a derivation as JSON lines"
    )
    parser.add_argument(
        "--limit", type=positive, metavar="N", help="only the first N rows of a part"
    )
    parser.add_argument(
        "--max-combinations",
        type=positive,
        default=DEFAULT_BUDGET.combinations,
        metavar="N",
        help="limit of the search for one sentence (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Search for derivations of all rows, then print the tallies."""
    domain, benchmark = find_benchmark(options.benchmark)
    part = one_of(options.part, (*PARTS, "all"), "part")
    parts = {name: Tally() for name in (PARTS if part == "all" else (part,))}
    groups: dict[str, Tally] = {}
    first_unreached: Unreached | None = None
    with output_file(options.unreachable) as file:
        tracker = stderr_tracker()
        domain = load_language(domain, benchmark, options.data, tracker)
        lexicon = load_lexicon(domain, benchmark, options.data, tracker)
        oracle = Oracle.of(domain, lexicon, Budget(options.max_combinations))
        promise = CategoryPromise(domain)
        for name, tally in parts.items():
            rows = load_rows(domain, benchmark, name, options.data)[: options.limit]
            started = time.perf_counter()
            tracked = tracker.track(rows, f"{name} rows searched", len(rows))
            outcomes = coverage(oracle, tracked, nearest=file is not None, promise=promise)
            for example, outcome in zip(rows, outcomes, strict=True):
                tally.add(outcome)
                groups.setdefault(example.group, Tally()).add(outcome)
                if isinstance(outcome, Unreached):
                    first_unreached = first_unreached or outcome
                    if file is not None:
                        file.write(msgspec.json.encode(outcome) + b"\n")
            tally.seconds = time.perf_counter() - started
    if first_unreached is not None and file is None:
        source, reason = first_unreached.source, first_unreached.reason
        note(f"{source}: out of reach: {reason}; --unreachable FILE lists all")
    if options.json:
        total = Tally.total(parts.values())
        write_json(
            {
                "benchmark": benchmark.name,
                "part": part,
                **_as_dict(total),
                "seconds": round(total.seconds, 3),
                "data_as_published": are_published(benchmark, parts, options.data),
                "parts": {name: _as_dict(tally) for name, tally in parts.items()},
                "categories": {name: _as_dict(tally) for name, tally in groups.items()},
            }
        )
    else:
        _print_table(domain, benchmark, parts, groups if options.by_category else {})
    if broken := promise.broken():
        raise DomainError(broken[0])


def _as_dict(tally: Tally) -> dict[str, object]:
    return {
        "n": tally.n,
        "covered": tally.covered,
        "coverage": tally.coverage,
        "median_derivations": tally.median_derivations,
        "most_derivations": tally.most_derivations,
    }


def _print_table(
    domain: Domain, benchmark: Benchmark, parts: dict[str, Tally], groups: dict[str, Tally]
) -> None:
    labelled = [(group_label(domain, group), tally) for group, tally in groups.items()]
    labelled += [(f"{benchmark.name} {part}", tally) for part, tally in parts.items()]
    if len(parts) > 1:
        labelled.append(("total", Tally.total(parts.values())))
    rows = [
        (
            label,
            str(tally.n),
            str(tally.covered),
            f"{100 * tally.coverage:.2f} %",
            str(tally.median_derivations),
            str(tally.most_derivations),
            f"{tally.seconds:.1f} s" if tally.seconds else "",
        )
        for label, tally in labelled
    ]
    heading = ("rows", "n", "covered", "coverage", "median derivations", "most", "search")
    write(table([heading, *rows], numbers=range(1, 7)))
