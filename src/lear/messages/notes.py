"""Notes for the user, on stderr."""

import sys


def note(text: str) -> None:
    """Print one line to stderr; ignore that it is closed or full."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"lear: {text}\n")
            sys.stderr.flush()
    except OSError:
        return
