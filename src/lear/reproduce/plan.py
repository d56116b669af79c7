"""The plan of some tables: which runs their rows stand for, in which order, and how long they take.

Results of finished runs, without models, are kept beside the tables: so these can be made anew, and
rows added to them, on a machine that never trained the models.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from lear.errors import LearError
from lear.reproduce.experiments import Experiment, Measurement, Ours, Table, Training
from lear.reproduce.runs import RECORD, SETTINGS, Run, identify, is_recipe_itself
from lear.storage.files import write_whole

KEPT = "runs"
"""The folder of results inside the folder of the tables."""
SHORTEST_SECONDS = 5.0
"""A run takes so long at least: its processes have to start."""


@dataclass(frozen=True)
class PlannedRow:
    """A row of ours with its runs."""

    table: str
    row: Ours
    runs: tuple[Run, ...] = ()
    is_recipe_itself: bool = False
    """True if the row changes nothing: then it has no runs."""
    failure: str = ""
    """Why it cannot run, in one line."""

    def is_named(self, pattern: str) -> bool:
        """Return True if a pattern is part of, or a glob for, a name that the row goes by."""
        names = {self.row.name, self.table}
        names |= {name for run in self.runs for name in (run.name, run.experiment.benchmark)}
        return any(pattern in name or fnmatchcase(name, pattern) for name in names)


def make_plan(
    tables: Iterable[Table], runs: Path, data: str | None, seeds: Sequence[int] | None = None
) -> list[PlannedRow]:
    """Plan all rows of ours.

    Args:
        tables: What to reproduce.
        runs: The folder of all runs.
        data: The folder of `--data`.
        seeds: The seeds of every row; by default each experiment says how many.
    """
    return [
        _planned(table.name, row, runs, data, seeds)
        for table in tables
        for row in table.rows
        if isinstance(row, Ours)
    ]


def _planned(
    table: str, row: Ours, runs: Path, data: str | None, seeds: Sequence[int] | None
) -> PlannedRow:
    try:
        found = tuple(
            identify(experiment, seed, runs, data)
            for experiment in row.experiments
            for seed in _seeds(experiment, seeds)
        )
    except LearError as error:
        return PlannedRow(table, row, failure=str(error))
    if row.kind == "ablation" and all(is_recipe_itself(run) for run in found):
        return PlannedRow(table, row, is_recipe_itself=True)
    return PlannedRow(table, row, found)


def _seeds(experiment: Experiment, chosen: Sequence[int] | None) -> Sequence[int]:
    if isinstance(experiment, Measurement):
        return (0,)
    return range(1, experiment.seeds + 1) if chosen is None else chosen


def selected(plan: Sequence[PlannedRow], patterns: Sequence[str]) -> list[PlannedRow]:
    """Return the rows that some pattern names, all of them without a pattern.

    A pattern is the whole name of rows; else part of, or a glob for, the name of a row, of a table,
    of a benchmark that is trained on, or of a run.
    """
    names = {planned.row.name for planned in plan}
    return [
        planned
        for planned in plan
        if not patterns
        or any(
            planned.row.name == pattern if pattern in names else planned.is_named(pattern)
            for pattern in patterns
        )
    ]


def runs_of(rows: Iterable[PlannedRow]) -> list[Run]:
    """Return every run of these rows once: the first seed of each row, then the second, and so on.

    Of a run that several rows share, the evaluation is the most demanding one.
    """
    chosen: dict[str, Run] = {}
    for run in (run for planned in rows for run in planned.runs):
        known = chosen.get(run.name, run)
        chosen[run.name] = max(known, run, key=_demands)
    return sorted(chosen.values(), key=lambda run: max(1, run.seed))


def _demands(run: Run) -> int:
    experiment = run.experiment
    return experiment.blames + experiment.executes if isinstance(experiment, Training) else 0


def failures_of(rows: Iterable[PlannedRow]) -> list[str]:
    """Return the rows that cannot run, and why."""
    return [f"{row.table}, {row.row.name}: {row.failure}" for row in rows if row.failure]


def keep_finished(runs: Iterable[Run], folder: Path) -> None:
    """Keep the small files of all finished runs beside the tables in a folder."""
    for run in runs:
        if run.state() == "finished":
            _copy(run, _kept(run, folder))


def restore_finished(runs: Iterable[Run], folder: Path) -> None:
    """Take the results of runs that are finished there and were never begun here."""
    for run in runs:
        kept = _kept(run, folder)
        if run.state() == "not run" and kept.state() in ("finished", "of older code"):
            _copy(kept, run)


def _kept(run: Run, folder: Path) -> Run:
    return replace(run, folder=folder / KEPT / run.name)


def _copy(source: Run, target: Run) -> None:
    """Copy results first and the record last, so that no copy is taken for more than it is."""
    results = sorted((source.folder / "results").glob("*.json"))
    for path in filter(Path.is_file, (*results, source.folder / SETTINGS, source.folder / RECORD)):
        copied = target.folder / path.relative_to(source.folder)
        copied.parent.mkdir(parents=True, exist_ok=True)
        write_whole(copied, path.read_bytes())


class Times:
    """How long runs take: as long as runs like them took, else as their experiment guesses."""

    def __init__(self, runs: Iterable[Run]) -> None:
        self._known: dict[tuple[str, str], list[float]] = {}
        for run in runs:
            if run.state() == "finished":
                self.learn(run)

    def learn(self, run: Run) -> None:
        """Take note of a run that has ended well."""
        record = run.record()
        self._known.setdefault(_alike(run), []).append(record.seconds + record.other_seconds)

    def is_known(self, run: Run) -> bool:
        """Return True if a run like this one was seen."""
        return _alike(run) in self._known

    def left(self, run: Run) -> float:
        """Return about how many seconds a run still takes."""
        if run.state() == "finished":
            return 0.0
        known, record = self._known.get(_alike(run)), run.record()
        whole = sum(known) / len(known) if known else 60.0 * run.experiment.minutes
        spent = 0.0 if run.is_of_speed else record.seconds + record.other_seconds
        return max(SHORTEST_SECONDS, whole - spent)


def _alike(run: Run) -> tuple[str, str]:
    """Return what a run has in common with runs that take about as long."""
    experiment = run.experiment
    what = experiment.name if isinstance(experiment, Measurement) else experiment.recipe
    return experiment.benchmark, what


def in_words(seconds: float) -> str:
    """Return a time that a person can read: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
