"""`lear coverage`: the ceiling of algebra and lexicon, and the rows beyond it."""

import time
from argparse import Namespace
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from lear.chart import DEFAULT_BUDGET, Budget
from lear.cli.arguments import Parser, one_of, positive
from lear.cli.output import note, table, track, whole_file, write, write_json
from lear.cli.rows import load_rows
from lear.domain import PARTS, Domain, Example
from lear.domains.registry import find_benchmark
from lear.evaluation.coverage import Reached, Unreached, coverage
from lear.oracle import Oracle

EXAMPLES = """  lear coverage toy --part all
  lear coverage cogs/gen
  lear coverage cogs/gen --by-category
  lear coverage cogs/gen --part train --json --unreachable lost.jsonl"""


def configure(parser: Parser) -> None:
    """Declare the arguments."""
    parser.add_argument("benchmark", metavar="DOMAIN[/SPLIT]", help="toy, cogs/gen, cogs/test ...")
    parser.add_argument("--part", default="test", help="train, dev, test (default) or all")
    parser.add_argument("--by-category", action="store_true", help="a line for each category")
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


@dataclass
class Tally:
    """Rows counted under one heading."""

    name: str
    n: int = 0
    covered: int = 0
    seconds: float = 0.0
    derivations: Counter[int] = field(default_factory=Counter)

    def add(self, outcome: Reached | Unreached) -> None:
        """Count one row."""
        self.n += 1
        if isinstance(outcome, Reached):
            self.covered += 1
            self.derivations[outcome.num_derivations] += 1

    @property
    def median_derivations(self) -> int:
        """The median number of derivations of a row in reach; 0 if none is."""
        return sorted(self.derivations.elements())[self.covered // 2] if self.covered else 0

    def as_dict(self) -> dict[str, object]:
        """What `--json` prints of it."""
        return {
            "n": self.n,
            "covered": self.covered,
            "coverage": self.covered / self.n if self.n else 0.0,
            "seconds": round(self.seconds, 3),
            "median_derivations": self.median_derivations,
            "max_derivations": max(self.derivations, default=0),
        }

    def as_row(self) -> tuple[str, ...]:
        """What the table prints of it."""
        share = f"{100 * self.covered / self.n:.2f} %" if self.n else "-"
        most = str(max(self.derivations, default=0))
        time_taken = f"{self.seconds:.1f} s" if self.seconds else ""
        return (
            self.name, str(self.n), str(self.covered), share,
            str(self.median_derivations), most, time_taken,
        )  # fmt: skip


HEADINGS = ("rows", "n", "covered", "coverage", "median derivations", "most", "search")


def run(options: Namespace) -> None:
    """Search every row, then print the tallies."""
    domain, benchmark = find_benchmark(options.benchmark)
    part = one_of(options.part, (*PARTS, "all"), "part")
    train = load_rows(domain, benchmark, "train", options.data)
    oracle = Oracle(domain, domain.induce(train), Budget(options.max_combinations))
    total = Tally("total")
    parts: list[Tally] = []
    categories: dict[str, Tally] = {}
    lost: list[Unreached] = []
    for name in PARTS if part == "all" else (part,):
        rows = (train if name == "train" else load_rows(domain, benchmark, name, options.data))[
            : options.limit
        ]
        tally = Tally(f"{benchmark.name} {name}")
        _search(oracle, rows, tally, categories, lost)
        parts.append(tally)
    for tally in parts:
        total.n += tally.n
        total.covered += tally.covered
        total.seconds += tally.seconds
        total.derivations += tally.derivations
    if options.unreachable is not None:
        _write_lost(Path(options.unreachable), lost)
    elif lost:
        first = lost[0]
        note(f"{first.source}: out of reach ({first.reason}); --unreachable FILE writes all")
    if options.json:
        per_part = {tally.name.split()[-1]: tally.as_dict() for tally in parts}
        per_category = {name: tally.as_dict() for name, tally in categories.items()}
        write_json(
            {"benchmark": benchmark.name, "part": part, **total.as_dict()}
            | {"parts": per_part, "categories": per_category}
        )
        return
    shown = [*parts, total] if len(parts) > 1 else parts
    if options.by_category:
        shown = [*(_named(domain, tally) for tally in categories.values()), *shown]
    write(table([HEADINGS, *(tally.as_row() for tally in shown)], numbers=range(1, 7)))


def _named(domain: Domain, tally: Tally) -> Tally:
    section = domain.sections.get(tally.name)
    return (
        tally
        if section is None
        else Tally(
            f"{tally.name} ({section})", tally.n, tally.covered, tally.seconds, tally.derivations
        )
    )


def _search(
    oracle: Oracle,
    rows: list[Example],
    tally: Tally,
    categories: dict[str, Tally],
    lost: list[Unreached],
) -> None:
    started = time.perf_counter()
    outcomes = coverage(oracle, track(rows, tally.name))
    for example, outcome in zip(rows, outcomes, strict=True):
        tally.add(outcome)
        categories.setdefault(example.category, Tally(example.category)).add(outcome)
        if isinstance(outcome, Unreached):
            lost.append(outcome)
    tally.seconds = time.perf_counter() - started


def _write_lost(path: Path, lost: list[Unreached]) -> None:
    with whole_file(path) as stream:
        for row in lost:
            stream.write(msgspec.json.encode(row) + b"\n")
    note(f"{len(lost)} rows out of reach written to {path}")
