"""Doing runs, several at once, each by commands of its own that can be stopped and resumed.

What comes next is asked of the folder of a run, so every call goes on where the last one ended.
"""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from lear.errors import DataError, LearError, UsageError
from lear.messages import deferred_signals, note
from lear.reproduce.experiments import Baseline, Measurement, Table
from lear.reproduce.machine import here_and_now
from lear.reproduce.plan import (
    PlannedRow,
    Times,
    failures_of,
    in_words,
    keep_finished,
    make_plan,
    restore_finished,
    runs_of,
    selected,
)
from lear.reproduce.report import Report, make_report
from lear.reproduce.report_files import make_folder, write_report
from lear.reproduce.runs import LOG, OUTPUT, SETTINGS, Run, Step
from lear.storage.files import locked_folder, read_json, write_whole

POLL_SECONDS = 0.1
QUIET_SECONDS = 60.0
"""How long nothing is said about a run that goes on."""
GRACE_SECONDS = 120.0
"""How long a command that is asked to stop may take to write its checkpoint."""


class BaselineResult(msgspec.Struct, frozen=True):
    """What `result.json` of a baseline is read for."""

    seconds: float
    scores: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Request:
    """What to reproduce, and how."""

    tables: Sequence[Table]
    runs: Path
    """Where runs are kept."""
    output: Path
    """Where tables are written."""
    data: str | None = None
    seeds: Sequence[int] | None = None
    """The seeds of every row; by default each row says how many."""
    only: Sequence[str] = ()
    """Patterns of rows to run; tables show the others as they are."""
    jobs: int = 1
    budget_minutes: float | None = None

    def plan(self) -> list[PlannedRow]:
        """Plan all tables; what is kept beside the tables need not be run again."""
        plan = make_plan(self.tables, self.runs, self.data, self.seeds)
        restore_finished(runs_of(plan), self.output)
        for pattern in self.only:
            if not selected(plan, [pattern]):
                raise UsageError(f"--only {pattern!r}: no row, benchmark or run of these tables")
        return plan


def reproduce(
    request: Request, must_stop: Callable[[], bool] | None = None
) -> tuple[list[Report], list[str]]:
    """Do what is missing within the budget, and write every table; also when interrupted.

    Args:
        request: What to do.
        must_stop: Asked again and again; by default it is the budget that stops runs.

    Returns:
        The tables, and what failed of the selected rows, in one line each.
    """
    plan = request.plan()
    rows = selected(plan, request.only)
    make_folder(request.output)  # or fail now, not after hours of training
    runner = Runner(runs_of(rows), request.jobs)
    try:
        runner.do_all(must_stop or _budget(request.budget_minutes))
    finally:
        reports = [make_report(table, plan, request.data) for table in request.tables]
        for report in reports:
            write_report(report, request.output)
        keep_finished(runs_of(plan), request.output)
    return reports, [*failures_of(rows), *runner.failures()]


def _budget(minutes: float | None) -> Callable[[], bool]:
    """Return what says that the time is over."""
    deadline = float("inf") if minutes is None else time.monotonic() + 60 * minutes
    return lambda: time.monotonic() >= deadline


class Runner:
    """Does runs, and says on stderr what happens."""

    def __init__(self, runs: Sequence[Run], jobs: int) -> None:
        self.runs = runs
        self.jobs = jobs
        self.times = Times(runs)
        self.waiting = {run.name: run for run in runs if run.state() != "finished"}
        self.failed: dict[str, str] = {}
        """Name of a run -> why it failed in this call, or could not begin."""
        self.stop = threading.Event()

    def do_all(self, must_stop: Callable[[], bool]) -> None:
        """Do all runs; when `must_stop` says so, or at Ctrl-C, stop them to be resumed.

        A run that fails is noted in its record, and the others go on. Measurements of speed run
        alone, after all others.
        """
        waiting = list(self.waiting.values())
        together = [run for run in waiting if not run.is_of_speed]
        alone = [run for run in waiting if run.is_of_speed]
        with deferred_signals() as is_interrupted:
            for runs, jobs in ((together, self.jobs), (alone, 1)):
                self._do_together(runs, jobs, lambda: is_interrupted() or must_stop())

    def _do_together(self, runs: Sequence[Run], jobs: int, is_over: Callable[[], bool]) -> None:
        if is_over():
            return
        with ThreadPoolExecutor(jobs) as threads:
            left = {threads.submit(self._do, run) for run in runs}
            try:
                while left and not is_over():
                    done, left = wait(left, POLL_SECONDS)
                    for future in done:
                        future.result()
            finally:
                if left:
                    self.stop.set()  # each thread stops its own command, and has its time noted

    def _do(self, run: Run) -> None:
        """Do what is left of a run, in a thread."""
        if self.stop.is_set():
            return
        began = time.monotonic()
        try:
            with locked_folder(run.folder):
                is_stopped = self._do_steps(run)
        except (LearError, OSError) as error:
            del self.waiting[run.name]
            self.failed[run.name] = str(error)
            self._tell(f"{run.name} failed: {error}")
            return
        if not is_stopped:
            del self.waiting[run.name]
            self.times.learn(run)
            self._tell(f"{run.name} done in {in_words(time.monotonic() - began)}")

    def _do_steps(self, run: Run) -> bool:
        """Do one command after the other; return True if they were stopped before their end."""
        if run.next_step() is None:  # another process has done it meanwhile
            return False
        record, last = run.record(), None
        how = {"cut off": "goes on", "trained": "to be evaluated"}.get(run.state(), "begins")
        made = None if isinstance(run.experiment, Measurement) else record.made
        run.note(made=made or here_and_now(), failure="")
        self._tell(f"{run.name} {how}")
        try:
            while (step := run.next_step()) is not None:
                if self.stop.is_set():
                    return True
                if step == last:  # it would be done for ever
                    raise DataError(f"{run.folder / OUTPUT}: lacks what was asked for")
                self._do_step(run, step)
                last = step
        except (LearError, OSError) as error:
            run.note(failure=str(error))
            raise
        return False

    def _do_step(self, run: Run, step: Step) -> None:
        """Run a command to its end, or until it is stopped, and keep what it has made."""
        if step.key is None and "--resume" not in step.arguments:
            shutil.rmtree(run.training, ignore_errors=True)
            write_whole(run.folder / SETTINGS, run.config.encode())
        began = time.monotonic()
        with (run.folder / OUTPUT).open("wb") as output, (run.folder / LOG).open("ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", *step.arguments],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
                env=os.environ | {"OMP_NUM_THREADS": "1"},  # as several run at once
                start_new_session=True,  # Ctrl-C at the terminal is ours to pass on
            )
        code = self._wait(run, process)
        seconds = time.monotonic() - began
        if code == 0:
            _keep(run, step, seconds)
        elif not self.stop.is_set():
            raise DataError(_reason(run, code))
        elif step.key is None:
            run.note(seconds=run.record().seconds + seconds)

    def _wait(self, run: Run, process: subprocess.Popen[bytes]) -> int:
        """Return how a command ended, after stopping it if all runs are to stop."""
        told = time.monotonic()
        while process.poll() is None and not self.stop.wait(POLL_SECONDS):
            if time.monotonic() - told > QUIET_SECONDS:
                told = time.monotonic()
                self._tell(f"{run.name}: {_last_line(run) or 'under way'}")
        if process.returncode is None:
            self._tell(f"{run.name} is stopped; the next call goes on with it")
            process.send_signal(signal.SIGINT)
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        return process.wait()

    def _tell(self, text: str) -> None:
        failed = f", {len(self.failed)} failed" if self.failed else ""
        times = [self.times.left(run) for run in list(self.waiting.values())]
        seconds = max(sum(times) / self.jobs, max(times, default=0.0))
        left = f"about {in_words(seconds)}" if times else "nothing"
        done = len(self.runs) - len(times) - len(self.failed)
        note(f"[{done} of {len(self.runs)} done{failed}, {left} left] {text}")

    def failures(self) -> list[str]:
        """Return why runs failed, now or in an earlier call, in one line each."""
        recorded = {run.name: run.record().failure for run in self.runs}
        return [f"{name}: {why}" for name, why in (recorded | self.failed).items() if why]


def _keep(run: Run, step: Step, seconds: float) -> None:
    """Keep what a command that ended well has made."""
    record = run.record()
    if step.key is not None:
        run.keep_result(
            step.key, read_json(run.folder / OUTPUT, dict[str, Any], "what a command prints")
        )
        run.note(other_seconds=record.other_seconds + seconds)
    elif isinstance(run.experiment, Baseline):
        result = read_json(run.training / "result.json", BaselineResult, "the result of a baseline")
        for key in result.scores.keys() & set(run.experiment.keys):
            run.keep_result(key, result.scores[key])
        other = max(0.0, record.seconds + seconds - result.seconds)
        run.note(is_trained=True, seconds=result.seconds, other_seconds=other)
    else:
        run.note(is_trained=True, seconds=record.seconds + seconds)


def _reason(run: Run, code: int) -> str:
    """Return why a command failed, in one line."""
    if code < 0:
        return f"stopped by {signal.Signals(-code).name} (see {run.folder / LOG})"
    return _last_line(run) or f"exit code {code} (see {run.folder / LOG})"


def _last_line(run: Run) -> str:
    """Return the last line of the log, without the name of the program."""
    with (run.folder / LOG).open("rb") as stream:
        stream.seek(max(0, os.fstat(stream.fileno()).st_size - 4096))
        lines = stream.read().decode(errors="replace").split("\n")
    written = [line.strip() for line in lines if line.strip()]
    return written[-1].removeprefix("lear: ") if written else ""
