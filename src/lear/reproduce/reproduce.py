"""Reproducing tables from end to end: plan, run what is missing, write what is there."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lear.errors import UsageError
from lear.reproduce.report import Report, make_report
from lear.reproduce.report_files import make_folder, write_report
from lear.reproduce.scheduler import (
    Commands,
    LocalCommands,
    Plan,
    Progress,
    State,
    Times,
    do_all,
    keep_finished,
    make_plan,
    restore_finished,
    told_as_command,
)
from lear.reproduce.table import Table

RUNS = Path("runs/reproduce")
OUTPUT = Path("results")


@dataclass(frozen=True)
class Request:
    """What to reproduce, and how."""

    tables: Sequence[Table]
    runs: Path = RUNS
    """Where runs are kept."""
    output: Path = OUTPUT
    """Where tables are written."""
    data: str | None = None
    seeds: Sequence[int] | None = None
    """Of every row; by default each row says how many."""
    only: Sequence[str] = ()
    """Patterns of rows to run; tables show the others as they are."""
    jobs: int = 1
    budget_minutes: float | None = None
    dask: str | None = None
    """The address of a scheduler whose workers do the runs; None for this machine."""

    def plan(self) -> Plan:
        """The runs behind all tables; what is kept beside the tables need not be run again."""
        plan = make_plan(self.tables, self.runs, self.data, self.seeds)
        restore_finished(plan.runs(), self.output)
        for pattern in self.only:
            if not plan.selected([pattern]):
                raise UsageError(f"--only {pattern!r}: no row, benchmark or run of these tables")
        return plan


@dataclass(frozen=True)
class Outcome:
    """What was made, and what of the selected rows failed."""

    reports: list[Report]
    failures: list[str]


def reproduce(request: Request, must_stop: Callable[[], bool] | None = None) -> Outcome:
    """Do what is missing within the budget, and write every table; also when interrupted.

    Args:
        request: What to do.
        must_stop: Asked again and again; by default it is the budget that stops runs.
    """
    plan = request.plan()
    runs = plan.runs(request.only)
    unfinished = [steps for steps in runs if steps.state() != "finished"]
    progress = Progress(runs, request.jobs)
    make_folder(request.output)  # or fail now, not after hours of training
    try:
        with _commands(request.dask) as commands:
            must_stop = must_stop or _budget(request.budget_minutes)
            do_all(unfinished, request.jobs, must_stop, progress, commands)
    finally:
        reports = [make_report(table, plan, request.data) for table in request.tables]
        for report in reports:
            write_report(report, request.output)
        keep_finished(plan.runs(), request.output)
    records = ((steps.run.name, steps.files.record()) for steps in runs)
    failures = {name: record.failure for name, record in records if record.failure}
    failures |= progress.failures  # of those, too, that could not begin
    told = (f"{name}: {failure}" for name, failure in failures.items())
    return Outcome(reports, [*plan.failures(request.only), *told])


@contextmanager
def _commands(dask: str | None) -> Iterator[Commands]:
    """Where commands are run."""
    if dask is None:
        yield LocalCommands()
        return
    from lear.parallel.dask_cluster import connected
    from lear.reproduce.scheduler import ClusterCommands

    with connected(dask) as client:
        yield ClusterCommands(client)


def _budget(minutes: float | None) -> Callable[[], bool]:
    """Whether the time is over."""
    if minutes is None:
        return lambda: False
    deadline = time.monotonic() + 60 * minutes
    return lambda: time.monotonic() >= deadline


@dataclass(frozen=True)
class ListedRun:
    """A line of the plan, for `--list`."""

    name: str
    """Its folder below that of all runs."""
    title: str
    """The name without what only tells seeds and data apart."""
    seed: int
    """0 where there is none: a measurement."""
    state: State
    seconds: float
    """What is left of it."""
    is_known: bool
    """Whether a run like it was timed; else it is a guess."""
    command: str
    """What a user would type for the same."""


def listed(request: Request) -> tuple[list[ListedRun], list[str]]:
    """The runs of the selected rows in their order, and the rows that cannot run."""
    plan = request.plan()
    runs = plan.runs(request.only)
    times = Times(runs)
    lines = [
        ListedRun(
            name=steps.run.name,
            title=steps.run.title,
            seed=steps.run.seed,
            state=steps.state(),
            seconds=times.left(steps),
            is_known=times.is_known(steps),
            command=told_as_command(steps.run),
        )
        for steps in runs
    ]
    itself = [
        f"{row.table}, {row.row.name}: the recipe itself"
        for row in plan.selected(request.only)
        if row.is_recipe_itself
    ]
    return lines, [*plan.failures(request.only), *itself]
