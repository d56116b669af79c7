"""Commands of runs on the workers of a Dask cluster, in folders that all machines see.

A worker that is killed has its run taken up by another one, which goes on from the last checkpoint:
what is to be done next is asked of the run's folder on the worker, when it begins.
"""

import os
import secrets
import signal
import subprocess
import sys
import time
from pathlib import Path

import distributed

from lear.errors import DataError
from lear.parallel.guarded_command import GRACE_SECONDS
from lear.reproduction.commands import Command, one_thread
from lear.reproduction.machine import here_and_now
from lear.reproduction.steps import Step, Steps
from lear.reproduction.table import MEASURED
from lear.storage.folder_lock import lock_folder

POLL_SECONDS = 1.0


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
            if stop.wait(timeout=POLL_SECONDS):
                process.stdin.close()
                return process.wait()
        return process.returncode


def _hold(folder: Path) -> int:
    """A lock on a run's folder; that of a killed worker is held until its command has ended."""
    deadline = time.monotonic() + GRACE_SECONDS + POLL_SECONDS
    while (lock := lock_folder(folder)) is None:
        if time.monotonic() > deadline:
            raise DataError(f"{folder.parent}: another worker is at work there")
        time.sleep(POLL_SECONDS)
    return lock
