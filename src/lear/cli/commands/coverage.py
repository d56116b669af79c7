"""`lear coverage`: count the rows that have a derivation with this algebra and lexicon."""

import time
from argparse import Namespace
from typing import BinaryIO

import msgspec

from lear.benchmark import PARTS, Benchmark, Example
from lear.cli.arguments import CommandParser, benchmark_help, find_benchmark, one_of, positive
from lear.cli.loading import are_published, group_label, load_language, load_lexicon, load_rows
from lear.cli.output import output_file, stderr_tracker, table, write, write_json
from lear.domain import Domain
from lear.errors import DomainError
from lear.evaluation.coverage import CategoryPromise, Tally, Unreached, coverage
from lear.forest.chart import DEFAULT_BUDGET, Budget
from lear.forest.oracle import Oracle
from lear.messages import Tracker, note

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


class _Run:
    """The tallies of one run, by part and by group; unreached rows go to a file if there is one."""

    def __init__(
        self, unreached_file: BinaryIO | None, promise: CategoryPromise, tracker: Tracker
    ) -> None:
        self.parts: dict[str, tuple[Tally, float]] = {}
        """Part -> its tally, and the seconds of the search."""
        self.groups: dict[str, Tally] = {}
        self.unreached_file = unreached_file
        self.promise = promise
        self.tracker = tracker
        self.first_unreached: Unreached | None = None

    def search(self, oracle: Oracle, part: str, rows: list[Example]) -> None:
        """Search for derivations of all rows of a part."""
        tally = Tally()
        started = time.perf_counter()
        has_file = self.unreached_file is not None
        tracked = self.tracker.track(rows, f"{part} rows searched", len(rows))
        outcomes = coverage(oracle, tracked, nearest=has_file, promise=self.promise)
        for example, outcome in zip(rows, outcomes, strict=True):
            tally.add(outcome)
            self.groups.setdefault(example.group, Tally()).add(outcome)
            if isinstance(outcome, Unreached):
                self.first_unreached = self.first_unreached or outcome
                if self.unreached_file is not None:
                    self.unreached_file.write(msgspec.json.encode(outcome) + b"\n")
        self.parts[part] = tally, time.perf_counter() - started

    @property
    def total(self) -> tuple[Tally, float]:
        """All parts together."""
        tallies, seconds = zip(*self.parts.values(), strict=True)
        return Tally.total(tallies), sum(seconds)


def run(options: Namespace) -> None:
    """Search for derivations of all rows, then print the tallies."""
    domain, benchmark = find_benchmark(options.benchmark)
    part = one_of(options.part, (*PARTS, "all"), "part")
    parts = PARTS if part == "all" else (part,)
    with output_file(options.unreachable) as unreached_file:
        tracker = stderr_tracker()
        domain = load_language(domain, benchmark, options.data, tracker)
        lexicon = load_lexicon(domain, benchmark, options.data, tracker)
        oracle = Oracle.of(domain, lexicon, Budget(options.max_combinations))
        promise = CategoryPromise(domain)
        result = _Run(unreached_file, promise, tracker)
        for name in parts:
            rows = load_rows(domain, benchmark, name, options.data)
            result.search(oracle, name, rows[: options.limit])
    if result.first_unreached is not None and options.unreachable is None:
        row = result.first_unreached
        note(f"{row.source}: out of reach: {row.reason}; --unreachable FILE lists all")
    if options.json:
        published = are_published(benchmark, parts, options.data)
        _print_json(benchmark, part, result, published=published)
    else:
        _print_table(domain, benchmark, result, by_group=options.by_category)
    if broken := promise.broken():
        raise DomainError(str(broken[0]))


def _print_json(benchmark: Benchmark, part: str, result: _Run, *, published: bool) -> None:
    total, seconds = result.total
    write_json(
        {
            "benchmark": benchmark.name,
            "part": part,
            **_as_dict(total),
            "seconds": round(seconds, 3),
            "data_as_published": published,
            "parts": {name: _as_dict(tally) for name, (tally, _) in result.parts.items()},
            "categories": {name: _as_dict(tally) for name, tally in result.groups.items()},
        }
    )


def _as_dict(tally: Tally) -> dict[str, object]:
    return {
        "n": tally.n,
        "covered": tally.covered,
        "coverage": tally.coverage,
        "median_derivations": tally.median_derivations,
        "most_derivations": tally.most_derivations,
    }


def _print_table(domain: Domain, benchmark: Benchmark, result: _Run, *, by_group: bool) -> None:
    rows = [("rows", "n", "covered", "coverage", "median derivations", "most", "search")]
    if by_group:
        for group, tally in result.groups.items():
            rows.append(_as_row(group_label(domain, group), tally, ""))
    for part, (tally, seconds) in result.parts.items():
        rows.append(_as_row(f"{benchmark.name} {part}", tally, f"{seconds:.1f} s"))
    if len(result.parts) > 1:
        tally, seconds = result.total
        rows.append(_as_row("total", tally, f"{seconds:.1f} s"))
    write(table(rows, numbers=range(1, 7)))


def _as_row(label: str, tally: Tally, seconds: str) -> tuple[str, str, str, str, str, str, str]:
    return (
        label,
        str(tally.n),
        str(tally.covered),
        f"{100 * tally.coverage:.2f} %",
        str(tally.median_derivations),
        str(tally.most_derivations),
        seconds,
    )
