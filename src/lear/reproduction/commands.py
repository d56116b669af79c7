"""Commands of runs under way: processes of this machine, or something else that can do the same."""

import os
import signal
import subprocess
from typing import Protocol

from lear.reproduction.steps import Step, Steps, command_line


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
