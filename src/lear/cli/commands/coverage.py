"""`lear coverage`: the ceiling of algebra and lexicon, and the rows beyond it."""

import time
from argparse import Namespace
from typing import BinaryIO

import msgspec

from lear.cli.arguments import CommandParser, one_of, positive
from lear.cli.benchmark_rows import are_published, load_lexicon, load_rows
from lear.cli.options import benchmark_help
from lear.cli.output import output_file, table, track, write, write_json
from lear.domain.domain import Domain
from lear.domain.example import PARTS, Benchmark, Example
from lear.domains.registry import find_benchmark
from lear.evaluation.coverage import Tally, Unreached, coverage
from lear.messages.notes import note
from lear.search.chart import DEFAULT_BUDGET, Budget
from lear.search.oracle import Oracle

EXAMPLES = """  lear coverage toy --part all
  lear coverage cogs/gen
  lear coverage cogs/gen --by-category
  lear coverage cogs/gen --part train --json --unreachable lost.jsonl"""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "benchmark", metavar="DOMAIN[/SPLIT]", help=benchmark_help("what to search")
    )
    parser.add_argument("--part", default="test", help="train, dev, test (default) or all")
    parser.add_argument(
        "--by-category", action="store_true", help="a line for each of the benchmark's categories"
    )
    parser.add_argument(
        "--unreachable", metavar="FILE", help="write the rows out of reach as JSON lines"
    )
    parser.add_argument(
        "--limit", type=positive, metavar="N", help="only the first N rows of a part"
    )
    parser.add_argument(
        "--max-combinations",
        type=positive,
        default=DEFAULT_BUDGET.combinations,
        metavar="N",
        help="bound on the search of one sentence (default: %(default)s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_data_option()


class _Run:
    """The tallies of one run: by part with the seconds of its search, and by group."""

    def __init__(self, lost: BinaryIO | None) -> None:
        self.parts: dict[str, tuple[Tally, float]] = {}
        self.groups: dict[str, Tally] = {}
        self.lost = lost
        self.first_lost: Unreached | None = None

    def search(self, oracle: Oracle, part: str, rows: list[Example]) -> None:
        """Search all rows of a part."""
        tally = Tally()
        started = time.perf_counter()
        outcomes = coverage(oracle, track(rows, part), nearest=self.lost is not None)
        for example, outcome in zip(rows, outcomes, strict=True):
            tally.add(outcome)
            self.groups.setdefault(example.group, Tally()).add(outcome)
            if isinstance(outcome, Unreached):
                self.first_lost = self.first_lost or outcome
                if self.lost is not None:
                    self.lost.write(msgspec.json.encode(outcome) + b"\n")
        self.parts[part] = tally, time.perf_counter() - started

    @property
    def total(self) -> tuple[Tally, float]:
        """All parts together."""
        tallies, seconds = zip(*self.parts.values(), strict=True)
        return Tally.total(tallies), sum(seconds)


def run(options: Namespace) -> None:
    """Search every row, then print the tallies."""
    domain, benchmark = find_benchmark(options.benchmark)
    part = one_of(options.part, (*PARTS, "all"), "part")
    parts = PARTS if part == "all" else (part,)
    with output_file(options.unreachable) as lost:
        lexicon = load_lexicon(domain, benchmark, options.data)
        oracle = Oracle.of(domain, lexicon, Budget(options.max_combinations))
        result = _Run(lost)
        for name in parts:
            rows = load_rows(domain, benchmark, name, options.data)
            result.search(oracle, name, rows[: options.limit])
    if result.first_lost is not None and options.unreachable is None:
        lost_row = result.first_lost
        note(f"{lost_row.source}: out of reach: {lost_row.reason}; --unreachable FILE lists all")
    if options.json:
        published = are_published(benchmark, parts, options.data)
        _print_json(benchmark, part, result, published=published)
    else:
        _print_table(domain, benchmark, result, by_category=options.by_category)


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


def _print_table(domain: Domain, benchmark: Benchmark, result: _Run, *, by_category: bool) -> None:
    rows = [("rows", "n", "covered", "coverage", "median derivations", "most", "search")]
    if by_category:
        for category, tally in result.groups.items():
            section = domain.corpus.group_titles.get(category)
            label = category if section is None else f"{category} ({section})"
            rows.append(_as_row(label, tally, ""))
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
