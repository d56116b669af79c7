"""What a service counts, as the text that Prometheus reads.

Mistakes of lear's own, or of a domain, as logs tell of them: without what clients wrote.

Logs: one JSON object a line on stderr, without what clients wrote.

A thread writes them, since nobody may be reading: the service must not wait for that.
"""

import contextlib
import queue
import re
import sys
import threading
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from traceback import extract_tb
from typing import Any, TextIO

import msgspec

PREFIX = "lear_"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Histogram:
    """How many values are at most as large as each bound."""

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def observe(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def lines(self, name: str) -> Iterable[str]:
        """The lines of this histogram."""
        running = 0
        for bound, count in zip((*self.bounds, "+Inf"), self.counts, strict=True):
            running += count
            yield f'{name}_bucket{{le="{bound}"}} {running}'
        yield f"{name}_sum {self.total:.6f}"
        yield f"{name}_count {running}"


class Metrics:
    """Counters of one service."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        """By route and status."""
        self.texts: Counter[str] = Counter()
        """Sentences by model."""
        self.parse_seconds = Histogram(SECONDS)
        """From a request's first byte to the end of its answer."""
        self.batch_sizes = Histogram(SIZES)
        """Requests that were worked on together."""
        self.workers_replaced = 0

    def text(self, gauges: dict[str, float]) -> str:
        """All of it, with gauges that the caller knows."""
        lines: list[str] = []

        def add(name: str, kind: str, help_text: str, values: Iterable[str]) -> None:
            lines.extend((f"# HELP {PREFIX}{name} {help_text}", f"# TYPE {PREFIX}{name} {kind}"))
            lines.extend(values)

        add(
            "requests_total",
            "counter",
            "Requests by route and status.",
            (
                f'{PREFIX}requests_total{{route="{route}",status="{status}"}} {count}'
                for (route, status), count in sorted(self.requests.items())
            ),
        )
        add(
            "texts_total",
            "counter",
            "Sentences by model.",
            (
                f'{PREFIX}texts_total{{model="{model}"}} {count}'
                for model, count in sorted(self.texts.items())
            ),
        )
        add(
            "parse_seconds",
            "histogram",
            "Seconds that answers to /api/parse took.",
            self.parse_seconds.lines(f"{PREFIX}parse_seconds"),
        )
        add(
            "batch_size",
            "histogram",
            "Requests that a worker was given at once.",
            self.batch_sizes.lines(f"{PREFIX}batch_size"),
        )
        replaced = f"{PREFIX}workers_replaced_total {self.workers_replaced}"
        add("workers_replaced_total", "counter", "Workers that died or were ended.", [replaced])
        for name, value in gauges.items():
            help_text = f"{name.replace('_', ' ').capitalize()} now."
            add(name, "gauge", help_text, [f"{PREFIX}{name} {value:g}"])
        return "\n".join(lines) + "\n"


MAX_TEXT = 300
"""Characters of a message."""
BEGINNING = 3
"""Words that begin alike are taken for one: `slept` may have become `sleep`."""
_WORD = re.compile(r"\w+")


class Mistake(msgspec.Struct, frozen=True, array_like=True):
    """What went wrong, for who can mend it."""

    kind: str
    """The type of the exception."""
    place: str
    """Where it was raised: file, line and function."""
    text: str
    """Its message; dots stand for words that may be a client's."""


def mistake_of(error: BaseException, written: Iterable[str]) -> Mistake:
    """What there is to say of an exception.

    Args:
        error: The exception; what it came of is its place, where it says so.
        written: What a client wrote.
    """
    message = (str(error).splitlines() or [""])[0]
    begins = {word[:BEGINNING] for text in written for word in _words(text)}

    def shown(match: re.Match[str]) -> str:
        return "…" if any(word[:BEGINNING] in begins for word in _words(match[0])) else match[0]

    return Mistake(type(error).__name__, place_of(error), _WORD.sub(shown, message)[:MAX_TEXT])


def place_of(error: BaseException) -> str:
    """Where an exception was raised."""
    frames = extract_tb((error.__cause__ or error).__traceback__)
    if not frames:
        return ""
    path = Path(frames[-1].filename)
    return f"{path.parent.name}/{path.name}:{frames[-1].lineno} in {frames[-1].name}"


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[^\W_]+", text.casefold())


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
