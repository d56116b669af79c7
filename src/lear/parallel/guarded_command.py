"""A command that ends when the process that began it does, or closes the pipe to it.

`python -m lear.parallel.guarded_command ARGUMENTS` runs `python ARGUMENTS`. When its standard input
ends, the command is interrupted as by Ctrl-C, so that it can save what it has; a command that does
not end then is killed. So nothing goes on behind the back of a worker that was killed.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

GRACE_SECONDS = 120.0
"""How long a command that is asked to stop may take to write its checkpoint."""
AGAIN_SECONDS = 5.0
"""When it is asked again: Python loses an interrupt that comes while it cleans up after imports."""
STDIN = 0
KILLED = 128
"""What is added to the number of a signal, as shells do."""


def main(arguments: list[str]) -> int:
    """Run the command, and return its exit code."""
    # In a session of its own: what interrupts a worker's terminal is not meant for it.
    with subprocess.Popen(
        [sys.executable, *arguments], stdin=subprocess.DEVNULL, start_new_session=True
    ) as process:
        threading.Thread(target=_stop_at_end_of_input, args=(process,), daemon=True).start()
        code = process.wait()
    return code if code >= 0 else KILLED - code


def _stop_at_end_of_input(process: subprocess.Popen[bytes]) -> None:
    # Not by `sys.stdin`, whose lock Python wants for itself when it ends.
    while os.read(STDIN, 1024):
        pass
    deadline = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < deadline:
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            process.wait(AGAIN_SECONDS)
            return
    process.kill()


if __name__ == "__main__":
    # A shell starts jobs in the background with Ctrl-C ignored, and so would be all they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
