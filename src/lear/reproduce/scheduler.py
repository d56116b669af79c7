"""The commands of a run: which one comes next, and what is kept of its output.

Finished runs beside the tables that were made of them: their results, without their models.

Tables can then be put together anew, and runs added to them, on a machine that never trained these.

The plan: which runs the rows of some tables stand for, and in which order they are done.

How long runs take, and how long is left.

Progress of runs on stderr: what runs, how many are done, how much time is left.

Commands of runs under way: processes of this machine, or something else that can do the same.

Commands of runs on the workers of a Dask cluster, in folders that all machines see.

A worker that is killed has its run taken up by another one, which goes on from the last checkpoint:
what is to be done next is asked of the run's folder on the worker, when it begins.

Doing runs, several at once, each a command of its own that can be stopped and resumed.
"""

import json
import os
import secrets
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, Protocol

import distributed

from lear.benchmark import PARTS
from lear.errors import DataError, LearError
from lear.messages import deferred_signals, note
from lear.parallel.guarded_command import GRACE_SECONDS
from lear.reproduce.machine import code_digest, here_and_now
from lear.reproduce.runs import Files, Run, RunFiles, file_digests, identify, is_recipe_itself
from lear.reproduce.table import (
    MEASURED,
    Baseline,
    Experiment,
    Measurement,
    Ours,
    Result,
    Table,
    Training,
    are_faults_missing,
)
from lear.storage.files import LOCK_FILE, read_json, write_whole

State = Literal["finished", "trained", "cut off", "of older code", "failed", "not run"]


@dataclass(frozen=True)
class Step:
    """A command, and the key of the result that it prints."""

    arguments: tuple[str, ...]
    """After `python -m`."""
    key: str | None = None
    """None: it trains."""
    is_beginning: bool = False
    """Whether it trains from the beginning, in an empty folder."""


@dataclass(frozen=True)
class Steps:
    """The commands of a run in its folder."""

    run: Run
    files: RunFiles
    data: str | None
    """The folder of `--data`."""

    def versions(self) -> dict[str, Files]:
        """Key of a result -> the files that it is measured on."""
        parts = PARTS if isinstance(self.run.experiment, Measurement) else ("test",)
        benchmarks = {key: key or self.run.experiment.benchmark for key in self.run.results}
        return {key: file_digests(name, parts, self.data) for key, name in benchmarks.items()}

    def state(self) -> State:
        """How far the run has come."""
        if self.following() is None:
            return "finished"
        record = self.files.record()
        if record.failure:
            return "failed"
        if record.is_trained:
            return "trained"
        if self._is_outdated():
            return "of older code"
        return "cut off" if self.files.checkpoint.is_file() else "not run"

    def result(self, key: str) -> Result | None:
        """A result of the run, with the time of its training; None if it is not there."""
        if key not in self.run.results:
            return None
        found = self.files.result(key, self.versions()[key])
        if found is None or key == MEASURED:
            return found
        return {**found, "training_seconds": self.files.record().seconds}

    def following(self) -> Step | None:
        """The next command; None if there is nothing left to do."""
        versions = self.versions().items()
        missing = [key for key, files in versions if not self._is_whole(key, files)]
        experiment = self.run.experiment
        if not missing and not self._is_outdated():
            return None
        if isinstance(experiment, Measurement):
            return Step((experiment.module, *experiment.arguments, *self._data()), MEASURED)
        is_new = not self.files.checkpoint.is_file()
        if isinstance(experiment, Baseline):
            return Step(self._baseline(experiment, is_new=is_new), is_beginning=is_new)
        if not self.files.record().is_trained:
            return Step(self._training(is_new=is_new), is_beginning=is_new)
        execute = ("--execute",) if experiment.executes else ()
        faults = () if experiment.blames else ("--skip-faults",)
        command = ("lear", "evaluate", str(self.files.training), missing[0], "--json")
        return Step((*command, *execute, *faults, *self._data()), missing[0])

    def _is_whole(self, key: str, files: Files) -> bool:
        """Whether a result is there, with all that is asked of it: another row may ask for less."""
        result = self.files.result(key, files)
        if result is None:
            return False
        experiment = self.run.experiment
        if not isinstance(experiment, Training):
            return True
        lacks_faults = experiment.blames and are_faults_missing(result)
        lacks_answers = experiment.executes and result.get("denotation") is None
        return not (lacks_faults or lacks_answers)

    def _is_outdated(self) -> bool:
        """Whether it is a measurement of speed, of code that has changed since."""
        experiment, made = self.run.experiment, self.files.record().made
        is_of_speed = isinstance(experiment, Measurement) and experiment.is_of_speed
        return is_of_speed and made is not None and made.code != code_digest()

    def _training(self, *, is_new: bool) -> tuple[str, ...]:
        """Train, or go on where it was cut off."""
        what = ("--config", str(self.files.config)) if is_new else ("--resume",)
        return "lear", "train", *what, "--output", str(self.files.training), *self._data()

    def _baseline(self, experiment: Baseline, *, is_new: bool) -> tuple[str, ...]:
        """Train a baseline and evaluate it, or go on where it was cut off."""
        settings: dict[str, Any] = json.loads(self.run.config)
        flags = [f"--{key}={_flag(value)}" for key, value in settings.items()]
        flags += [flag for name in experiment.evaluated_on for flag in ("--evaluate", name)]
        flags += [] if is_new else ["--resume"]
        place = ("--output", str(self.files.training), "--json", *self._data())
        return "lear", "baseline", experiment.benchmark, *flags, *place

    def prepare(self, step: Step) -> None:
        """Make the folder ready for a command."""
        if step.is_beginning:
            self.files.clear_training()
            if isinstance(self.run.experiment, Training):
                write_whole(self.files.config, self.run.config.encode())

    def _data(self) -> tuple[str, ...]:
        return () if self.data is None else ("--data", self.data)

    def keep(self, step: Step, seconds: float) -> None:
        """Keep what a command that ended well has made."""
        record, versions = self.files.record(), self.versions()
        if step.key is not None:
            self.files.keep_result(step.key, versions[step.key], self._printed(self.files.output))
            self.files.note(other_seconds=record.other_seconds + seconds, failure="")
            return
        if isinstance(self.run.experiment, Baseline):
            result = self._printed(self.files.training / "result.json")
            for key in self.run.results:
                self.files.keep_result(key, versions[key], result["scores"][key])
            trained = float(result["seconds"])
            other = max(0.0, record.seconds + seconds - trained)
            self.files.note(is_trained=True, seconds=trained, other_seconds=other, failure="")
        else:
            self.files.note(is_trained=True, seconds=record.seconds + seconds, failure="")

    def _printed(self, path: Path) -> dict[str, Any]:
        return read_json(path, dict[str, Any], "what the command should print")


def command_line(step: Step) -> list[str]:
    """The words of a command that runs a step."""
    return [sys.executable, "-m", *step.arguments]


def told_as_command(run: Run) -> str:
    """What a user would type for the same."""
    experiment = run.experiment
    if isinstance(experiment, Measurement):
        start = "lear" if experiment.module == "lear" else f"python -m {experiment.module}"
        return f"{start} {shlex.join(experiment.arguments)}"
    if isinstance(experiment, Training):
        start = f"lear train {experiment.benchmark} --recipe {experiment.recipe}"
    else:
        start = f"lear baseline {experiment.benchmark} --architecture {experiment.architecture}"
    flags = "".join(f" --{key} {shlex.quote(value)}" for key, value in run.flags.items())
    return f"{start}{flags} --seed {run.seed}"


def _flag(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


FOLDER = "runs"
"""Inside the folder of the tables."""


def keep_finished(runs: Iterable[Steps], folder: Path) -> None:
    """Keep the small files of all runs that are finished."""
    for steps in runs:
        if steps.state() == "finished":
            _copy(steps.files, RunFiles(folder / FOLDER / steps.run.name))


def restore_finished(runs: Iterable[Steps], folder: Path) -> None:
    """Take the results of runs that are finished there and were never begun here."""
    for steps in runs:
        kept = replace(steps, files=RunFiles(folder / FOLDER / steps.run.name))
        if steps.state() == "not run" and kept.state() == "finished":
            _copy(kept.files, steps.files)


def _copy(source: RunFiles, target: RunFiles) -> None:
    """Copy results first and the record last, so that no copy is taken for more than it is."""
    results = sorted((source.root / "results").glob("*.json"))
    for path in filter(Path.is_file, (*results, source.config, source.record_file)):
        copied = target.root / path.relative_to(source.root)
        copied.parent.mkdir(parents=True, exist_ok=True)
        write_whole(copied, path.read_bytes())


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


SHORTEST = 5.0
"""Seconds that a run takes at least: its processes have to start."""


class Times:
    """How long runs take: as runs like them took, else as their experiment guesses."""

    def __init__(self, runs: Sequence[Steps]) -> None:
        self._known: dict[tuple[str, ...], list[float]] = {}
        for steps in runs:
            if steps.state() == "finished":
                self.learn(steps)

    def learn(self, steps: Steps) -> None:
        """Take note of a run that has ended well."""
        record = steps.files.record()
        self._known.setdefault(steps.run.alike, []).append(record.seconds + record.other_seconds)

    def is_known(self, steps: Steps) -> bool:
        """Whether a run like this one was seen."""
        return steps.run.alike in self._known

    def seconds(self, steps: Steps) -> float:
        """About how long a run takes from its beginning to its end."""
        known = self._known.get(steps.run.alike)
        return sum(known) / len(known) if known else 60.0 * steps.run.experiment.minutes

    def left(self, steps: Steps) -> float:
        """About how long a run still takes."""
        if steps.state() == "finished":
            return 0.0
        record = steps.files.record()
        return max(SHORTEST, self.seconds(steps) - record.seconds - record.other_seconds)


def in_words(seconds: float) -> str:
    """A time that a person can read: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


QUIET_SECONDS = 60.0
"""How long nothing is told while runs go on."""


class Progress:
    """Tells the user what happens; a `Watcher` of workers."""

    def __init__(self, runs: Sequence[Steps], jobs: int) -> None:
        self.times = Times(runs)
        self.jobs = jobs
        self.waiting = [steps for steps in runs if steps.state() != "finished"]
        self.total = len(runs)
        self.failures: dict[str, str] = {}
        """Name of a run -> why it failed, or could not begin."""
        self.told = time.monotonic()
        self.begun: dict[str, float] = {}

    @property
    def done(self) -> int:
        """How many runs are finished."""
        return self.total - len(self.waiting) - len(self.failures)

    def seconds_left(self) -> float:
        """About how long all runs still take."""
        left = [max(0.0, self.times.left(steps) - self._since(steps)) for steps in self.waiting]
        return max(sum(left) / self.jobs, max(left, default=0.0))

    def _since(self, steps: Steps) -> float:
        begun = self.begun.get(steps.run.name)
        return 0.0 if begun is None else time.monotonic() - begun

    def began(self, steps: Steps) -> None:
        """A run was begun, or resumed."""
        self.begun[steps.run.name] = time.monotonic()
        how = {"cut off": "goes on", "trained": "to be evaluated"}.get(steps.state(), "begins")
        self._tell(f"{steps.run.name} {how}")

    def ended(self, steps: Steps, failure: str) -> None:
        """A run ended, well or not."""
        self.waiting = [other for other in self.waiting if other.run.name != steps.run.name]
        if failure:
            self.failures[steps.run.name] = failure
            self._tell(f"{steps.run.name} failed: {failure}")
        else:
            self.times.learn(steps)
            how = f"done in {in_words(self._since(steps))}"
            is_ours = steps.run.name in self.begun
            self._tell(f"{steps.run.name} {how if is_ours else 'was done by another process'}")

    def waits(self, active: Sequence[Steps]) -> None:
        """Some time has passed."""
        if active and time.monotonic() - self.told > QUIET_SECONDS:
            for steps in active:
                self._tell(f"{steps.run.name}: {steps.files.last_line() or 'under way'}")

    def stops(self, active: Sequence[Steps]) -> None:
        """These runs are stopped before their end; it may take a while."""
        for steps in active:
            self._tell(f"{steps.run.name} is stopped; the next call goes on with it")

    def _tell(self, text: str) -> None:
        self.told = time.monotonic()
        left = in_words(self.seconds_left()) if self.waiting else "nothing"
        failed = f", {len(self.failures)} failed" if self.failures else ""
        note(f"[{self.done} of {self.total} done{failed}, about {left} left] {text}")


class Command(Protocol):
    """A command under way."""

    def exit_code(self) -> int | None:
        """How it ended; negative if by a signal, None while it goes on. Raises `DataError`."""

    def ask_to_stop(self) -> None:
        """Let it save what it has, and end."""

    def end(self, seconds: float) -> int:
        """Its exit code, after waiting so long at most; then it is killed."""


class Commands(Protocol):
    """Where commands are run."""

    def start(self, steps: Steps, step: Step, lock: int) -> Command:
        """Begin a command of a run whose folder is held by `lock`."""


class LocalCommands:
    """Processes of this machine."""

    def start(self, steps: Steps, step: Step, lock: int) -> Command:
        """A process in a session of its own: Ctrl-C at the terminal is ours to pass."""
        steps.prepare(step)
        with steps.files.output.open("wb") as output, steps.files.log.open("ab") as log:
            process = subprocess.Popen(
                command_line(step),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                env=one_thread(),
                start_new_session=True,
                pass_fds=(lock,),
            )
        return LocalCommand(process)


class LocalCommand:
    """A process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    def exit_code(self) -> int | None:
        """How it ended; None while it goes on."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """Interrupt it, as Ctrl-C would."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def end(self, seconds: float) -> int:
        """Its exit code, after waiting so long at most; then it is killed."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            return self._process.wait()


def one_thread() -> dict[str, str]:
    """The environment of a command: several run at once, so each has one thread."""
    return os.environ | {"OMP_NUM_THREADS": "1"}


CLUSTER_POLL_SECONDS = 1.0


class ClusterCommands:
    """The workers of a cluster."""

    def __init__(self, client: distributed.Client) -> None:
        self._client = client

    def start(self, steps: Steps, step: Step, lock: int) -> Command:
        """Hand the next command of a run to a worker."""
        del step, lock  # the worker finds out and holds the run's folder itself
        stop = f"stop-{secrets.token_hex(8)}"
        future = self._client.submit(run_next, steps, stop, pure=False)
        return ClusterCommand(future, distributed.Event(stop, client=self._client))


class ClusterCommand:
    """A command at a worker."""

    def __init__(self, future: "distributed.Future[int]", stop: distributed.Event) -> None:
        self._future = future
        self._stop = stop

    def exit_code(self) -> int | None:
        """How it ended; None while it goes on. Raises `DataError`."""
        return self._result() if self._future.done() else None

    def ask_to_stop(self) -> None:
        """Tell its worker."""
        self._stop.set()

    def end(self, seconds: float) -> int:
        """Its exit code, after waiting so long at most; one that never began is taken back."""
        try:
            return self._result(seconds)
        except (DataError, TimeoutError):
            self._future.cancel()
            return -signal.SIGKILL

    def _result(self, seconds: float | None = None) -> int:
        try:
            return int(self._future.result(timeout=seconds))
        except (distributed.scheduler.KilledWorker, distributed.CancelledError) as error:
            raise DataError(f"the cluster gave it up: {type(error).__name__}") from None
        except OSError as error:
            raise DataError(f"its worker failed: {error}") from None


def run_next(steps: Steps, stop: str) -> int:
    """Run the next command of a run, at a worker; return its exit code."""
    lock = _hold(steps.files.root / "worker")
    try:
        step = steps.following()
        if step is None:  # done before a worker was lost that could not say so any more
            return 0
        if step.is_beginning or step.key == MEASURED:
            steps.files.note(made=here_and_now())
        steps.prepare(step)
        command = [sys.executable, "-m", "lear.parallel.guarded_command", "-m", *step.arguments]
        with steps.files.output.open("wb") as output, steps.files.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=log,
                env=one_thread(),
                start_new_session=True,
                pass_fds=(lock,),
            )
        return _wait(process, distributed.Event(stop))
    finally:
        os.close(lock)


def _wait(process: subprocess.Popen[bytes], stop: distributed.Event) -> int:
    """The exit code of a command, which is stopped when somebody asks for it."""
    assert process.stdin is not None  # a pipe, whose end stops the command
    with process:
        while process.poll() is None:
            if stop.wait(timeout=CLUSTER_POLL_SECONDS):
                process.stdin.close()
                return process.wait()
        return process.returncode


def lock_folder(folder: Path) -> int | None:
    """Return a descriptor that holds a folder, also in children that inherit it, if it is free."""
    try:
        import fcntl
    except ImportError:
        raise DataError("this system has no locks of files, so no two runs could be told") from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _hold(folder: Path) -> int:
    """A lock on a run's folder; that of a killed worker is held until its command has ended."""
    deadline = time.monotonic() + GRACE_SECONDS + CLUSTER_POLL_SECONDS
    while (lock := lock_folder(folder)) is None:
        if time.monotonic() > deadline:
            raise DataError(f"{folder.parent}: another worker is at work there")
        time.sleep(CLUSTER_POLL_SECONDS)
    return lock


POLL_SECONDS = 0.1


class Watcher(Protocol):
    """What is told about runs as they go on."""

    def began(self, steps: Steps) -> None:
        """A run was begun, or resumed."""

    def ended(self, steps: Steps, failure: str) -> None:
        """A run ended, well or not."""

    def waits(self, active: Sequence[Steps]) -> None:
        """Some time has passed."""

    def stops(self, active: Sequence[Steps]) -> None:
        """These runs are stopped before their end; it may take a while."""


@dataclass
class _Worker:
    """A run under way."""

    steps: Steps
    lock: int
    step: Step
    command: Command
    started: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """Since its command began."""
        return time.monotonic() - self.started


def do_all(
    runs: Sequence[Steps],
    jobs: int,
    must_stop: Callable[[], bool],
    watcher: Watcher,
    commands: Commands,
) -> None:
    """Do all runs, at most so many at once; when `must_stop` says so, stop them to be resumed.

    A run that fails is noted in its record, and the others go on. Measurements of speed run alone,
    after all others.
    """
    pending = sorted(runs, key=_runs_alone)
    active: list[_Worker] = []
    try:
        with deferred_signals() as is_interrupted:
            while (pending or active) and not is_interrupted() and not must_stop():
                while pending and _may_begin(pending[0], active, jobs):
                    active += _begin(pending.pop(0), watcher, commands)
                active = [w for w in active if _is_going_on(w, watcher, commands)]
                watcher.waits([worker.steps for worker in active])
                if active:
                    time.sleep(POLL_SECONDS)
    finally:
        if active:
            watcher.stops([worker.steps for worker in active])
        _stop(active)


def _runs_alone(steps: Steps) -> bool:
    experiment = steps.run.experiment
    return isinstance(experiment, Measurement) and experiment.is_of_speed


def _may_begin(steps: Steps, active: Sequence[_Worker], jobs: int) -> bool:
    if not active:
        return True
    is_shared = not _runs_alone(steps) and not _runs_alone(active[0].steps)
    return is_shared and len(active) < jobs


def _begin(steps: Steps, watcher: Watcher, commands: Commands) -> list[_Worker]:
    """The run, under way; nothing if it cannot begin, or if there is nothing left to do."""
    lock = None
    try:
        lock = lock_folder(steps.files.root)
        if lock is None:
            raise DataError(f"{steps.files.root}: another process is at work there")
        step = steps.following()
        if step is None:  # another process has done it meanwhile
            _release(lock)
            watcher.ended(steps, "")
            return []
        begun = None if step.key == MEASURED else steps.files.record().made
        steps.files.note(made=begun or here_and_now(), failure="")
        command = commands.start(steps, step, lock)
    except (LearError, OSError) as error:
        if lock is not None:
            _release(lock)
        watcher.ended(steps, str(error))
        return []
    watcher.began(steps)
    return [_Worker(steps, lock, step, command)]


def _is_going_on(worker: _Worker, watcher: Watcher, commands: Commands) -> bool:
    """Whether a run is still under way; begins its next command when one has ended."""
    steps = worker.steps
    try:
        code = worker.command.exit_code()
        if code is None:
            return True
        if code != 0:
            raise DataError(_reason(steps, code))
        steps.keep(worker.step, worker.seconds)
        step = steps.following()
        if step == worker.step:  # else it would be done for ever
            raise DataError(f"{steps.files.output}: lacks what was asked for")
        if step is not None:
            worker.step, worker.started = step, time.monotonic()
            worker.command = commands.start(steps, step, worker.lock)
            return True
        failure = ""
    except (LearError, OSError, LookupError) as error:
        failure = str(error)
        steps.files.note(failure=failure)
    _release(worker.lock)
    watcher.ended(steps, failure)
    return False


def _reason(steps: Steps, code: int) -> str:
    """Why a command failed, in one line."""
    if code < 0:
        return f"stopped by {signal.Signals(-code).name} (see {steps.files.log})"
    return steps.files.last_line() or f"exit code {code} (see {steps.files.log})"


def _stop(active: Sequence[_Worker]) -> None:
    """Stop runs so that they can be resumed, and note the time that they took."""
    for worker in active:
        worker.command.ask_to_stop()
    deadline = time.monotonic() + GRACE_SECONDS
    for worker in active:
        code = worker.command.end(max(0.0, deadline - time.monotonic()))
        files = worker.steps.files
        with suppress(LearError, LookupError):
            if code == 0:
                worker.steps.keep(worker.step, worker.seconds)
            elif worker.step.key is None:
                files.note(seconds=files.record().seconds + worker.seconds)
        _release(worker.lock)


def _release(lock: int) -> None:
    os.close(lock)
