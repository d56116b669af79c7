"""`lear reproduce`: make the tables and figures of the paper."""

from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from lear.cli.arguments import CommandParser, natural, one_of, positive
from lear.cli.output import shortened, table, write, write_json
from lear.errors import LearError, UsageError
from lear.messages import note
from lear.reproduce.scheduler import in_words
from lear.storage.datasets import DataFolder

if TYPE_CHECKING:
    from lear.reproduce.reproduce import ListedRun, Request

EXAMPLES = """  lear reproduce stats
  lear reproduce cogs --only "paper's recipe" --only best --seeds 2
  lear reproduce all --list
  lear reproduce cogs geo --jobs 2 --budget 60
  lear reproduce all --budget 0 --output docs/results --page docs/results.md"""

ALL = "all"
MAX_TITLE = 48
"""Characters of a run's name in the plan, which then fits a terminal of 80 columns."""


def configure(parser: CommandParser) -> None:
    """Declare the arguments."""
    from lear.reproduce.tables import TABLES

    parser.add_argument(
        "names",
        nargs="*",
        metavar="TABLE",
        help=f"tables to make: {', '.join(TABLES)}, or {ALL}",
    )
    parser.add_argument(
        "--seeds",
        type=seed_list,
        metavar="N",
        help="seeds of every row: 3 means 1 to 3, 1,2,5 means these (default: as each row says)",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="run only rows so named, by row, benchmark or run, or a part of these (repeatable); "
        "tables show the other rows as they are",
    )
    parser.add_argument(
        "--jobs", type=positive, default=1, metavar="N", help="runs at once (default: 1)"
    )
    parser.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="let the workers of this Dask scheduler do the runs; they must see the folders of "
        "--runs and --data under the same paths, and be trusted",
    )
    parser.add_argument(
        "--budget",
        type=minutes,
        metavar="MINUTES",
        help="stop after this time; runs under way can be resumed, the rest is shown as not run",
    )
    parser.add_argument(
        "--list",
        action="store_true",
        help="show the runs of the tables named, or of all, and their times; run nothing",
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="one JSON object for each table; with --list, one for the whole plan",
    )
    _configure_files(parser)
    parser.add_data_option()


def _configure_files(parser: CommandParser) -> None:
    """Declare where runs and tables are kept."""
    from lear.reproduce.reproduce import OUTPUT, RUNS

    parser.add_argument(
        "--runs",
        default=str(RUNS),
        metavar="FOLDER",
        help="where runs are kept and found again (default: %(default)s)",
    )
    parser.add_argument(
        "--output",
        default=str(OUTPUT),
        metavar="FOLDER",
        help="where tables are written: Markdown, CSV, JSON, SVG, PNG (default: %(default)s)",
    )
    parser.add_argument(
        "--page",
        metavar="FILE",
        help="also write a page of template.md and all tables in the folder of --output",
    )


def run(options: Namespace) -> None:
    """Run what is missing, write the tables and print them."""
    from lear.reproduce.report_files import write_page
    from lear.reproduce.reproduce import Request
    from lear.reproduce.tables import TABLES

    if not options.names and options.page is None and not options.list:
        raise UsageError(f"name a table: {', '.join(TABLES)}, or {ALL}")
    given = options.names or ([ALL] if options.list else [])
    names = [one_of(name, (*TABLES, ALL), "table") for name in given]
    chosen = TABLES if ALL in names else dict.fromkeys(names)
    request = Request(
        tables=[TABLES[name] for name in chosen],
        runs=Path(options.runs) if options.dask is None else Path(options.runs).absolute(),
        output=Path(options.output),
        data=options.data if options.dask is None else _data_for_all(options.data),
        seeds=options.seeds,
        only=options.only,
        jobs=options.jobs,
        budget_minutes=options.budget,
        dask=options.dask,
    )
    if options.list:
        _list(request, as_json=options.json)
        return
    failures = _make(request, as_json=options.json) if chosen else []
    if options.page is not None:
        write_page(Path(options.page), request.output)
        note(f"{options.page}: written of the tables in {request.output}")
    if failures:
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        raise LearError(f"{failures[0]}{more}")


def _data_for_all(data: str | None) -> str:
    """The folder of the benchmarks from the root: workers have another LEAR_DATA, or none."""
    return str(DataFolder.choose(data).root.absolute())


def _make(request: "Request", *, as_json: bool) -> list[str]:
    """Make the tables, print them, and return what failed."""
    from lear.reproduce.report_files import main_table
    from lear.reproduce.reproduce import reproduce

    outcome = reproduce(request)
    for report in outcome.reports:
        if as_json:
            write_json(report)
        else:
            write(f"{report.title}\n\n{main_table(report)}\n")
        note(f"{request.output / report.name}.*: written")
    return outcome.failures


def _list(request: "Request", *, as_json: bool) -> None:
    """Print the plan."""
    from lear.reproduce.reproduce import listed

    runs, others = listed(request)
    left = sum(run.seconds for run in runs) / request.jobs
    if as_json:
        write_json({"runs": runs, "others": others, "jobs": request.jobs, "seconds": left})
        return
    lines = [
        (shortened(run.title, MAX_TITLE), str(run.seed or ""), run.state, _left(run))
        for run in runs
    ]
    write(table([("run", "seed", "state", "left"), *lines], numbers=[1, 3]))
    for line in others:
        write(line)
    unfinished = sum(run.state != "finished" for run in runs)
    guessed = " (? is a guess)" if any(_left(run).endswith("?") for run in runs) else ""
    about = f"about {in_words(left)}{guessed}"
    note(f"{len(runs)} runs, {unfinished} to do: {about} with --jobs {request.jobs}")


def _left(run: "ListedRun") -> str:
    """The time that is left of a run; a guess is marked."""
    if run.state == "finished":
        return ""
    return in_words(run.seconds) if run.is_known else f"{in_words(run.seconds)}?"


def seed_list(text: str) -> list[int]:
    """The seeds that `--seeds` names: the first N, or a list with commas."""
    numbers = [natural(part) for part in text.split(",") if part]
    if not numbers:
        raise ArgumentTypeError(f"expected a number or a list such as 1,2,5, not {text!r}")
    return list(range(1, positive(text) + 1)) if "," not in text else sorted(set(numbers))


def minutes(text: str) -> float:
    """A time from 0 on, for the `type` of an option."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ArgumentTypeError(f"expected minutes from 0 on, not {text!r}")
    return value
