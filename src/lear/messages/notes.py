"""Notes for the user, on stderr."""

import sys
import time

_last = time.monotonic()
"""When the last note was printed, or this process began."""


def note(text: str) -> None:
    """Print one line to stderr; ignore that it is closed or full."""
    global _last
    _last = time.monotonic()
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"lear: {text}\n")
            sys.stderr.flush()
    except OSError:
        return


def last_note() -> float:
    """When the user last heard anything, by `time.monotonic`."""
    return _last
