"""Notes for the user, on stderr."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from lear.messages.shown_text import as_one_line

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
    """When the user last heard anything, by `time.monotonic`."""
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
