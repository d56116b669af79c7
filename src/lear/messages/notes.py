"""Lines for the person at the terminal, on stderr, which may be closed or full."""

import sys


def note(text: str) -> None:
    """One line; if it cannot be shown, the work goes on."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(f"lear: {text}\n")
            sys.stderr.flush()
    except OSError:
        return
