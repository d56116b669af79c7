"""A limit on how long somebody else's code may take, where the system has timers."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

REPEAT_SECONDS = 1.0
"""Code that catches everything in a loop is told again after this."""


class TookTooLong(BaseException):
    """No `Exception`, so that `except Exception` does not swallow it."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TookTooLong` in what is inside after so many seconds; only the main thread can."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise TookTooLong(f"it did not end within {seconds:g} seconds")

    handler = signal.signal(signal.SIGALRM, stop)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, REPEAT_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:  # a timer of somebody else goes on, if a bit late
            signal.setitimer(signal.ITIMER_REAL, left, interval)
