"""Logs: one JSON object a line on stderr, without what clients wrote.

A thread writes them, since nobody may be reading: the service must not wait for that.
"""

import contextlib
import queue
import sys
import threading
import time
from typing import Any, TextIO

import msgspec

MAX_PENDING = 10_000
"""Lines that wait to be written; beyond them lines are dropped, and counted."""
COLLECTING = 0.05
"""Seconds in which lines are collected."""


class ServiceLog:
    """Writes events."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._lines: queue.Queue[bytes | None] = queue.Queue(MAX_PENDING)
        self.num_dropped = 0
        self._thread = threading.Thread(target=self._write_all, daemon=True)
        self._thread.start()

    def write(self, event: str, **fields: Any) -> None:
        """Write what happened, when, and what there is to say about it."""
        record = {"time": round(time.time(), 3), "event": event, **fields}
        try:
            self._lines.put_nowait(msgspec.json.encode(record))
        except queue.Full:
            self.num_dropped += 1

    def close(self, seconds: float = 1.0) -> None:
        """Write what is left, unless that takes too long."""
        try:
            self._lines.put_nowait(None)
        except queue.Full:
            return
        self._thread.join(seconds)

    def _write_all(self) -> None:
        is_open = True
        while is_open:
            lines = [self._lines.get()]
            time.sleep(COLLECTING)  # to be woken for each line would cost more than to write it
            with contextlib.suppress(queue.Empty):
                while lines[-1] is not None and len(lines) < MAX_PENDING:
                    lines.append(self._lines.get_nowait())
            is_open = lines[-1] is not None
            written = [line for line in lines if line is not None]
            try:
                self._stream.write("".join(line.decode() + "\n" for line in written))
                self._stream.flush()
            except (OSError, ValueError):  # closed or full: there is nowhere to say so
                self.num_dropped += len(written)
