"""Doing runs, several at once, each a command of its own that can be stopped and resumed."""

import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from lear.errors import DataError, LearError
from lear.messages.interrupts import deferred_signals
from lear.parallel.guarded_command import GRACE_SECONDS
from lear.reproduction.commands import Command, Commands
from lear.reproduction.machine import here_and_now
from lear.reproduction.steps import Step, Steps
from lear.reproduction.table import MEASURED, Measurement
from lear.storage.folder_lock import lock_folder

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
