"""The plan: which runs the rows of some tables stand for, and in which order they are done."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from lear.errors import LearError
from lear.reproduction.run_files import RunFiles
from lear.reproduction.run_identity import identify, is_recipe_itself
from lear.reproduction.steps import Steps
from lear.reproduction.table import Experiment, Measurement, Ours, Table, Training


@dataclass(frozen=True)
class PlannedRow:
    """A row of ours with its runs."""

    table: str
    row: Ours
    by_experiment: tuple[tuple[Steps, ...], ...] = ()
    """For each of its experiments the runs, seed by seed."""
    is_recipe_itself: bool = False
    """Whether the row changes nothing: then it has no runs."""
    failure: str = ""
    """Why it cannot run, in one line."""

    @property
    def runs(self) -> list[Steps]:
        """The runs of all its experiments."""
        return [steps for runs in self.by_experiment for steps in runs]


@dataclass(frozen=True)
class Plan:
    """The rows of all tables."""

    rows: tuple[PlannedRow, ...]

    def row(self, table: str, name: str) -> PlannedRow:
        """A row by the names of table and row."""
        return next(r for r in self.rows if (r.table, r.row.name) == (table, name))

    def selected(self, patterns: Sequence[str] = ()) -> list[PlannedRow]:
        """The rows that some pattern names, all of them without a pattern.

        A pattern is the whole name of a row; else part of, or a glob for, the name of a row, of a
        table, of a benchmark that is trained on, or of a run.
        """
        if not patterns:
            return list(self.rows)
        names: set[tuple[str, str]] = set()
        for pattern in patterns:
            exact = [row for row in self.rows if row.row.name == pattern]
            chosen = exact or [row for row in self.rows if _is_named(row, pattern)]
            names |= {(row.table, row.row.name) for row in chosen}
        return [row for row in self.rows if (row.table, row.row.name) in names]

    def runs(self, patterns: Sequence[str] = ()) -> list[Steps]:
        """Every run of the selected rows once: the first seed of each row, then the second ..."""
        chosen: dict[str, tuple[int, Steps]] = {}
        for planned in self.selected(patterns):
            for runs in planned.by_experiment:
                for number, steps in enumerate(runs):
                    name = steps.run.name
                    chosen[name] = _merged(chosen.get(name), number, steps)
        return [steps for _, steps in sorted(chosen.values(), key=lambda pair: pair[0])]

    def failures(self, patterns: Sequence[str] = ()) -> list[str]:
        """Selected rows that cannot run, and why."""
        return [
            f"{planned.table}, {planned.row.name}: {planned.failure}"
            for planned in self.selected(patterns)
            if planned.failure
        ]


def _merged(earlier: tuple[int, Steps] | None, number: int, steps: Steps) -> tuple[int, Steps]:
    """A run that several rows ask for, with the results that any of them needs."""
    if earlier is None:
        return number, steps
    first, second = earlier[1].run, steps.run
    keys = dict.fromkeys((*first.results, *second.results))
    experiment = _with_all(first.experiment, second.experiment)
    run = replace(first, experiment=experiment, results=tuple(keys))
    return min(number, earlier[0]), replace(earlier[1], run=run)


def _with_all(first: Experiment, second: Experiment) -> Experiment:
    """An experiment whose evaluations have what either of two has."""
    if not (isinstance(first, Training) and isinstance(second, Training)):
        return first
    return replace(
        first,
        executes=first.executes or second.executes,
        blames=first.blames or second.blames,
    )


def _is_named(planned: PlannedRow, pattern: str) -> bool:
    names = {planned.row.name, planned.table}
    for steps in planned.runs:
        names |= {steps.run.name, steps.run.experiment.benchmark}
    return any(pattern in name or fnmatchcase(name, pattern) for name in names)


def make_plan(
    tables: Sequence[Table], runs: Path, data: str | None, seeds: Sequence[int] | None = None
) -> Plan:
    """The plan of some tables.

    Args:
        tables: What to reproduce.
        runs: The folder of all runs.
        data: The folder of `--data`.
        seeds: Those of every row; by default each experiment says how many.
    """
    return Plan(
        tuple(
            _planned(table.name, row, runs, data, seeds)
            for table in tables
            for row in table.rows
            if isinstance(row, Ours)
        )
    )


def _planned(
    table: str, row: Ours, runs: Path, data: str | None, seeds: Sequence[int] | None
) -> PlannedRow:
    try:
        if row.kind == "ablation" and all(is_recipe_itself(e, 1, data) for e in row.experiments):
            return PlannedRow(table, row, is_recipe_itself=True)
        by_experiment = tuple(
            tuple(
                Steps(run, RunFiles(runs / run.name), data)
                for run in (
                    identify(experiment, seed, data) for seed in seeds_of(experiment, seeds)
                )
            )
            for experiment in row.experiments
        )
    except LearError as error:
        return PlannedRow(table, row, failure=str(error))
    return PlannedRow(table, row, by_experiment)


def seeds_of(experiment: Experiment, chosen: Sequence[int] | None) -> Sequence[int]:
    """The seeds of an experiment: those chosen, else as many as it says; a measurement has one."""
    if isinstance(experiment, Measurement):
        return (0,)
    return range(1, experiment.seeds + 1) if chosen is None else chosen
