"""What the user is told while work goes on, and how the user ends it.

Here are notes on stderr, text from outside made fit to be shown, suggestions for misspelt names,
the protocol of progress bars, and signals that wait until nothing is half done.
"""

import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from difflib import get_close_matches
from types import FrameType
from typing import Any, Protocol, TypeVar

import msgspec

_HALF = re.compile("[\ud800-\udfff]")
"""Half of a surrogate pair: how Python keeps bytes of file names that are not UTF-8."""
_FIRST_BYTE, _LAST_BYTE = 0xDC80, 0xDCFF


def as_utf8(text: str) -> str:
    r"""Return text that can be written: bytes that are not UTF-8 are shown as `\xff`."""
    return _HALF.sub(_shown_half, text)


def as_one_line(text: str) -> str:
    r"""Return text that a terminal prints as it is: no line ends or escapes (`\n`, `\x1b`)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else _escaped(c) for c in as_utf8(text))


def _shown_half(match: re.Match[str]) -> str:
    code = ord(match[0])
    is_byte = _FIRST_BYTE <= code <= _LAST_BYTE
    return f"\\x{code - _FIRST_BYTE + 0x80:02x}" if is_byte else f"\\u{code:04x}"


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode()


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """Return `; did you mean 'x'?`, or the list of choices if none is similar."""
    names = sorted(choices)
    return nearest(name, names) or f"; there are {', '.join(names)}"


def nearest(name: str, choices: Iterable[str]) -> str:
    """Return `; did you mean 'x'?`, or nothing: for choices that are too many to list."""
    close = get_close_matches(name, sorted(choices), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def explain(error: msgspec.ValidationError, *kinds: type[msgspec.Struct]) -> str:
    """Return the message of an error in settings, with a suggestion for an unknown setting."""
    message = str(error)
    if "unknown field" not in message:
        return message
    settings = {field.name for kind in kinds for field in msgspec.structs.fields(kind)}
    return message + did_you_mean(message.split("`")[1], settings)


_last = time.monotonic()
"""When the last note was printed, or this process began."""
_is_quiet = False


def note(text: str) -> None:
    """Print one line to stderr, whatever names are in it; ignore that it is closed or full."""
    global _last
    if _is_quiet:
        return
    _last = time.monotonic()
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"lear: {as_one_line(text)}\n")
            sys.stderr.flush()
    except OSError:
        return


def last_note() -> float:
    """Return when the user last heard anything, by `time.monotonic`."""
    return _last


@contextmanager
def quiet_notes() -> Iterator[None]:
    """Print no notes meanwhile: what goes on is part of something larger."""
    global _is_quiet
    was_quiet, _is_quiet = _is_quiet, True
    try:
        yield
    finally:
        _is_quiet = was_quiet


T = TypeVar("T")


class Tracker(Protocol):
    """Shows how far long work has come; who shows it, and how, is not known here."""

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """Give the items, one by one; `total` is their number, None if it is not known."""
        ...

    def phase(self, label: str, *, is_long: bool = True) -> AbstractContextManager[None]:
        """Enter a block of work that cannot be counted, or whose parts are tracked by themselves.

        A short one is worth a bar that comes and goes, but no line of a log.
        """
        ...


class SilentTracker:
    """A tracker that shows nothing."""

    def track(self, items: Iterable[T], label: str, total: int | None) -> Iterator[T]:
        """Give the items."""
        del label, total
        return iter(items)

    def phase(self, label: str, *, is_long: bool = True) -> AbstractContextManager[None]:
        """Do nothing."""
        del label, is_long
        return nullcontext()


SILENT = SilentTracker()


SIGNALS = tuple(
    signal.Signals[name]
    for name in ("SIGINT", "SIGTERM", "SIGHUP")
    if name in signal.Signals.__members__
)
"""Ctrl-C, a request to end, and the loss of the terminal."""


class Interrupted(KeyboardInterrupt):
    """Raised where somebody asked for an end, by one of these signals."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.exit_code = 128 + number


class Asked:
    """The signals that came while they were deferred."""

    def __init__(self) -> None:
        self.numbers: list[int] = []

    def __call__(self) -> bool:
        """Return whether somebody asked for an end."""
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
