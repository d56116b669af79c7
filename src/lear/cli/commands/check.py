"""`lear check`: say in words what is wrong with a domain and its rows, and what to do next."""

import shlex
from argparse import Namespace
from functools import partial

import msgspec

from lear.benchmark import PARTS, Benchmark
from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark, positive
from lear.cli.loading import induce, infer, load_gazetteer
from lear.cli.output import stderr_tracker, write, write_json
from lear.errors import LearError
from lear.evaluation.check import KINDS, CheckReport, check_domain
from lear.storage.datasets import DataFolder

EXAMPLES = """  lear check pairs.csv
  lear check my_domain.py
  lear check toy --json
  lear check geo/standard --limit 200"""

LIMIT = 1000
MAX_LISTED = 10
"""The number of findings of one kind that are printed."""
MAX_LINE = 300
"""The number of characters of a finding that are printed."""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("the benchmark"))
    parser.add_argument(
        "--limit",
        type=positive,
        default=LIMIT,
        metavar="N",
        help="search the first N rows of each part for derivations (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, with all findings")
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Print what was found, kind by kind; fail if something must be mended."""
    domain, benchmark = find_benchmark(options.benchmark)
    find = DataFolder.choose(options.data).find
    tracker = stderr_tracker()
    with tracker.phase("reading the rows", is_long=False):
        rows = {part: domain.corpus.load(benchmark, part, find) for part in PARTS}
    if domain.inference is not None and (readable := domain.inference.readable(rows["train"])):
        domain = infer(domain, readable, tracker)
    gazetteer = load_gazetteer(domain, benchmark, options.data)
    with tracker.phase("checking the rows", is_long=False):
        report = check_domain(
            domain,
            rows,
            partial(induce, domain, gazetteer=gazetteer, tracker=tracker),
            limit=options.limit,
            tracker=tracker,
        )
    if options.json:
        write_json(
            {
                "benchmark": benchmark.name,
                "is_sound": report.is_sound,
                "rows": report.num_rows,
                "searched": report.num_searched,
                "reached": report.num_reached,
                "findings": [
                    {"must_be_mended": finding.is_serious, **msgspec.to_builtins(finding)}
                    for finding in report.findings
                ],
            }
        )
    else:
        _print_text(benchmark, report, options.benchmark, is_inferred=domain.inference is not None)
    if not report.is_sound:
        count = sum(finding.is_serious for finding in report.findings)
        findings = "1 finding" if count == 1 else f"{count:,} findings"
        raise LearError(f"{benchmark.name}: {findings} must be mended")


def _print_text(
    benchmark: Benchmark, report: CheckReport, argument: str, *, is_inferred: bool
) -> None:
    counts = ", ".join(f"{count:,} {part}" for part, count in report.num_rows.items())
    write(f"{benchmark.name}: {counts} rows")
    write(f"in reach: {report.num_reached:,} of {report.num_searched:,} rows searched")
    for name, kind in KINDS.items():
        found = [finding for finding in report.findings if finding.kind == name]
        if found:
            weight = "must be mended" if kind.is_serious else "worth a look"
            write(f"\n{weight}: {kind.title} ({len(found)})")
            for finding in found[:MAX_LISTED]:
                write(f"  {str(finding)[:MAX_LINE]}")
            if len(found) > MAX_LISTED:
                write(f"  ... and {len(found) - MAX_LISTED:,} more (--json has all)")
    write(f"\nnext: {_advice(report, argument, is_inferred=is_inferred)}")


def _advice(report: CheckReport, argument: str, *, is_inferred: bool) -> str:
    """Say what to do about the first thing that must be mended, else how to train."""
    found = {finding.kind for finding in report.findings}
    for name, kind in KINDS.items():
        if name in found and kind.is_serious:
            return kind.pairs_advice if is_inferred and kind.pairs_advice else kind.advice
    return f"`lear train {shlex.quote(argument)} --output runs/mine`"
