"""`lear reproduce`: make the tables and figures of the paper."""

from argparse import ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from lear.cli.arguments import CommandParser, natural, one_of, positive
from lear.cli.output import shortened, table, write, write_json
from lear.errors import LearError, UsageError
from lear.messages import note

if TYPE_CHECKING:
    from lear.reproduce.runner import Request

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

    add = parser.add_argument
    add(
        "names",
        nargs="*",
        metavar="TABLE",
        help=f"tables to make: {', '.join(TABLES)}, or {ALL}",
    )
    add(
        "--seeds",
        type=seed_list,
        metavar="N",
        help="seeds of every row: 3 means 1 to 3, 1,2,5 means these (default: as each row says)",
    )
    add(
        "--only",
        action="append",
        default=[],
        metavar="PATTERN",
        help="run only rows so named, by row, benchmark or run, or a part of these (repeatable); "
        "tables show the other rows as they are",
    )
    add("--jobs", type=positive, default=1, metavar="N", help="runs at once (default: 1)")
    add(
        "--budget",
        type=minutes,
        metavar="MINUTES",
        help="stop after this time; runs under way can be resumed, the rest is shown as not run",
    )
    add(
        "--list",
        action="store_true",
        help="show the runs of the tables named, or of all, and their times; run nothing",
    )
    add(
        "--json",
        action="store_true",
        help="one JSON object for each table; with --list, one for the whole plan",
    )
    _configure_files(parser)


def _configure_files(parser: CommandParser) -> None:
    """Declare where runs and tables are kept."""
    add = parser.add_argument
    add(
        "--runs",
        default="runs/reproduce",
        metavar="FOLDER",
        help="where runs are kept and found again (default: %(default)s)",
    )
    add(
        "--output",
        default="results",
        metavar="FOLDER",
        help="where tables are written: Markdown, CSV, JSON, SVG, PNG (default: %(default)s)",
    )
    add(
        "--page",
        metavar="FILE",
        help="also write a page of template.md and all tables in the folder of --output",
    )
    parser.add_data_option()


def run(options: Namespace) -> None:
    """Run what is missing, write the tables and print them."""
    from lear.reproduce.report_files import main_table, write_page
    from lear.reproduce.runner import Request, reproduce
    from lear.reproduce.tables import TABLES

    if not options.names and options.page is None and not options.list:
        raise UsageError(f"name a table: {', '.join(TABLES)}, or {ALL}")
    given = options.names or ([ALL] if options.list else [])
    names = [one_of(name, (*TABLES, ALL), "table") for name in given]
    request = Request(
        tables=[TABLES[name] for name in (TABLES if ALL in names else dict.fromkeys(names))],
        runs=Path(options.runs),
        output=Path(options.output),
        data=options.data,
        seeds=options.seeds,
        only=options.only,
        jobs=options.jobs,
        budget_minutes=options.budget,
    )
    if options.list:
        _list(request, as_json=options.json)
        return
    reports, failures = reproduce(request) if names else ([], [])
    for report in reports:
        if options.json:
            write_json(report)
        else:
            write(f"{report.title}\n\n{main_table(report)}\n")
        note(f"{request.output / report.name}.*: written")
    if options.page is not None:
        write_page(Path(options.page), request.output)
        note(f"{options.page}: written of the tables in {request.output}")
    if failures:
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        raise LearError(f"{failures[0]}{more}")


def _list(request: "Request", *, as_json: bool) -> None:
    """Print the runs of the selected rows in their order, and the rows without runs."""
    from lear.reproduce.plan import Times, failures_of, in_words, runs_of, selected

    rows = selected(request.plan(), request.only)
    runs = runs_of(rows)
    times = Times(runs)
    others = failures_of(rows)
    others += [f"{r.table}, {r.row.name}: the recipe itself" for r in rows if r.is_recipe_itself]
    left = {run.name: times.left(run) for run in runs}
    seconds = sum(left.values()) / request.jobs
    if as_json:
        listed = [
            {
                "name": run.name,
                "title": run.title,
                "seed": run.seed,
                "state": run.state(),
                "seconds": left[run.name],
                "is_known": times.is_known(run),
                "command": run.command(),
            }
            for run in runs
        ]
        write_json({"runs": listed, "others": others, "jobs": request.jobs, "seconds": seconds})
        return
    lines = [("run", "seed", "state", "left")]
    for run in runs:
        guessed = "" if times.is_known(run) else "?"
        time = f"{in_words(left[run.name])}{guessed}" if left[run.name] else ""
        lines.append((shortened(run.title, MAX_TITLE), str(run.seed or ""), run.state(), time))
    write(table(lines, numbers=[1, 3]))
    for line in others:
        write(line)
    unfinished = sum(time > 0 for time in left.values())
    guessed = " (? is a guess)" if any(line[3].endswith("?") for line in lines) else ""
    about = f"about {in_words(seconds)}{guessed}"
    note(f"{len(runs)} runs, {unfinished} to do: {about} with --jobs {request.jobs}")


def seed_list(text: str) -> list[int]:
    """Return the seeds that `--seeds` names: the first N, or a list with commas."""
    numbers = [natural(part) for part in text.split(",") if part]
    if not numbers:
        raise ArgumentTypeError(f"expected a number or a list such as 1,2,5, not {text!r}")
    return list(range(1, positive(text) + 1)) if "," not in text else sorted(set(numbers))


def minutes(text: str) -> float:
    """Return a time from 0 on, for the `type` of an option."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < 1e9:
        raise ArgumentTypeError(f"expected minutes from 0 on, not {text!r}")
    return value
