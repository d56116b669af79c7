"""Signals that wait: work ends where nothing is half done, and says how it was ended."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if name in signal.Signals.__members__
)
"""Ctrl-C, a request to end, and the loss of the terminal."""


class Interrupted(KeyboardInterrupt):
    """Somebody asked for an end, by one of these signals."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


class Asked:
    """Which signals came while they were deferred; true if there was one."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def __call__(self) -> bool:
        """Whether somebody asked for an end."""
        return bool(self.numbers)

    def stop(self) -> None:
        """End here, if somebody asked for it."""
        if self.numbers:
            raise Interrupted(self.numbers[0])


@contextmanager
def interrupting_signals() -> Iterator[None]:
    """Let every one of these signals interrupt the block, as Ctrl-C does, so that it cleans up.

    What is ignored stays so. Only the main thread can handle signals.
    """

    def interrupt(number: int, frame: FrameType | None) -> None:
        del frame
        raise Interrupted(number)

    before: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        # Ctrl-C does so already, unless somebody wants otherwise.
        others = (number for number in SIGNALS if number != signal.SIGINT)
        kept = {number: signal.getsignal(number) for number in others}
        before = {number: old for number, old in kept.items() if old == signal.SIG_DFL}
    for number in before:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def deferred_signals() -> Iterator[Asked]:
    """Let signals wait until the caller asks; one that nobody asked about ends the block after it.

    What is ignored stays so: `nohup` ignores the loss of the terminal, a shell Ctrl-C for jobs in
    the background. But processes that those start would ignore SIGINT too, and could not be
    stopped; a handler is not passed on. Only the main thread can defer signals.
    """
    asked = Asked()

    def remember(number: int, frame: FrameType | None) -> None:
        del frame
        asked.numbers.append(number)

    def nothing(number: int, frame: FrameType | None) -> None:
        del number, frame

    handlers: dict[int, Callable[[int, FrameType | None], None]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in SIGNALS:
            is_ignored = signal.getsignal(number) is signal.SIG_IGN
            handlers[number] = nothing if is_ignored else remember
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield asked
    finally:
        for restored, handler in before.items():
            signal.signal(restored, handler)
    asked.stop()
