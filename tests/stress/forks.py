"""Work in a forked process, which may crash, hang or be killed without harm to the stress test."""

import os
import resource
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

import msgspec

PIECE = 65_536
INTERRUPTED = 130
SIGNALS = {signal.SIGINT, signal.SIGTERM}


class Ended(msgspec.Struct):
    """How the work ended."""

    value: Any = None
    """What it returned, as JSON has it; None if it did not come to that."""
    error: str = ""
    """The exception that ended it, with its last places."""
    is_ours: bool = False
    """Whether that was an error of one line for the user."""
    exit_code: int = 0
    """Minus the number of a signal, if one ended it."""
    is_late: bool = False
    """Whether it was ended because its time was over."""
    peak_mb: float = 0.0
    """The most memory that it had, with the parent's share, or that a child of its own had."""


def in_child(
    work: Callable[[], Any], time_limit: float, signal_after: tuple[float, int] | None = None
) -> Ended:
    """Do some work in a forked process.

    Args:
        work: Returns a JSON value.
        time_limit: Seconds after which it is ended.
        signal_after: Send a signal after so many seconds: seconds and number.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    # A signal must not find the child before it can handle it: it would clean up the parent's work.
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    process = os.fork()
    if process == 0:
        os.setpgid(0, 0)
        os.close(reading)
        _work_and_exit(work, writing)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    os.close(writing)
    began = time.monotonic()
    if signal_after is not None:
        select.select([reading], [], [], signal_after[0])
        os.kill(process, signal_after[1])  # it is not waited for yet, so it is there
    content, is_late = _read_all(reading, began + time_limit)
    if is_late:
        for target in (-process, process):  # with the processes that it has started
            try:
                os.kill(target, signal.SIGKILL)
            except ProcessLookupError:
                continue
    os.close(reading)
    _, status, _ = os.wait4(process, 0)
    code = os.waitstatus_to_exitcode(status)
    try:
        ended = msgspec.json.decode(content, type=Ended)
    except msgspec.DecodeError:  # it was ended before it could say anything
        ended = Ended()
    return msgspec.structs.replace(ended, exit_code=code, is_late=is_late)


def _read_all(reading: int, deadline: float) -> tuple[bytes, bool]:
    """What comes until the other end is closed; and whether the deadline was first."""
    pieces: list[bytes] = []
    while True:
        ready, _, _ = select.select([reading], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return b"".join(pieces), True
        piece = os.read(reading, PIECE)
        if not piece:
            return b"".join(pieces), False
        pieces.append(piece)


def _work_and_exit(work: Callable[[], Any], writing: int) -> None:
    """In the child: never returns."""
    from lear.errors import LearError

    code = 1
    ended = Ended()
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # notes to users are many
        # Whatever the parent does with signals, or was begun with: CI may ignore them.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        ended = Ended(value=work())
        code = 0
    except KeyboardInterrupt as error:
        code = getattr(error, "exit_code", INTERRUPTED)
    except BaseException as error:  # noqa: BLE001
        places = traceback.extract_tb(error.__traceback__)[-3:]
        where = " < ".join(f"{place.filename}:{place.lineno}" for place in reversed(places))
        is_ours = isinstance(error, LearError)
        ended = Ended(error=f"{type(error).__name__}: {error} [{where}]", is_ours=is_ours)
    finally:
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        users = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        ended.peak_mb = max(resource.getrusage(user).ru_maxrss for user in users) / 1024
        content = msgspec.json.encode(ended)
        while content:
            content = content[os.write(writing, content) :]
        os._exit(code)
