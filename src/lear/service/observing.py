"""What a service tells its operators: metrics for Prometheus, and a log without clients' words."""

import contextlib
import logging
import re
import sys
import threading
from collections.abc import Callable, Iterable
from logging.handlers import QueueHandler, QueueListener
from pathlib import Path
from queue import Full, Queue
from traceback import extract_tb
from typing import Any, TextIO

import msgspec
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

METRICS_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SIZES = (1, 2, 4, 8, 16, 32)


class Metrics:
    """Counters of one service."""

    def __init__(self) -> None:
        # Else each counter would have a second line, which tells when it was made.
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self._registry = registry = CollectorRegistry()
        self.requests = Counter(
            "lear_requests", "Requests by route and status.", ("route", "status"), registry=registry
        )
        self.texts = Counter("lear_texts", "Sentences by model.", ("model",), registry=registry)
        self.parse_seconds = Histogram(
            "lear_parse_seconds",
            "Seconds that answers to /api/parse took.",
            buckets=SECONDS,
            registry=registry,
        )
        self.batch_size = Histogram(
            "lear_batch_size",
            "Requests that a worker was given at once.",
            buckets=SIZES,
            registry=registry,
        )
        self.workers_replaced = Counter(
            "lear_workers_replaced", "Workers that died or were ended.", registry=registry
        )

    def gauge(self, name: str, value: Callable[[], float]) -> None:
        """Add what can be measured at any time."""
        help_text = f"{name.replace('_', ' ').capitalize()} now."
        Gauge(f"lear_{name}", help_text, registry=self._registry).set_function(value)

    def text(self) -> bytes:
        """Return all of them as Prometheus reads them."""
        return generate_latest(self._registry)


MAX_TEXT = 300
"""Characters of a message."""
BEGINNING = 3
"""Words that begin alike are taken for one: `slept` may have become `sleep`."""
_WORD = re.compile(r"\w+")


class Mistake(msgspec.Struct, frozen=True, array_like=True):
    """A mistake of lear's own, or of a domain, for who can mend it."""

    kind: str
    """The type of the exception."""
    place: str
    """Where it was raised: file, line and function."""
    text: str
    """Its message; dots stand for words that may be a client's."""


def mistake_of(error: BaseException, written: Iterable[str]) -> Mistake:
    """Describe an exception.

    Args:
        error: The exception; its place is that of its cause, if it has one.
        written: What a client wrote.
    """
    message = (str(error).splitlines() or [""])[0]
    begins = {word[:BEGINNING] for text in written for word in _words(text)}

    def shown(match: re.Match[str]) -> str:
        return "…" if any(word[:BEGINNING] in begins for word in _words(match[0])) else match[0]

    return Mistake(type(error).__name__, place_of(error), _WORD.sub(shown, message)[:MAX_TEXT])


def place_of(error: BaseException) -> str:
    """Return where an exception was raised."""
    frames = extract_tb((error.__cause__ or error).__traceback__)
    if not frames:
        return ""
    path = Path(frames[-1].filename)
    return f"{path.parent.name}/{path.name}:{frames[-1].lineno} in {frames[-1].name}"


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[^\W_]+", text.casefold())


MAX_PENDING = 10_000
"""Lines that wait to be written; beyond them lines are dropped, and counted."""


class ServiceLog(QueueHandler):
    """A log of one JSON object a line, which a thread writes: nobody waits for its reader.

    It also takes the records of other loggers. Their messages are written without arguments, which
    may quote a client.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._pending: Queue[Any] = Queue(MAX_PENDING)
        super().__init__(self._pending)
        self.setLevel(logging.WARNING)
        writer = _Writer(self, sys.stderr if stream is None else stream)
        writer.setFormatter(_JsonFormatter())
        self._listener = QueueListener(self._pending, writer)
        self._listener.start()
        self.num_dropped = 0

    def write(self, event: str, **fields: Any) -> None:
        """Log an event, with what there is to say about it."""
        self.enqueue(logging.makeLogRecord({"event": event, "fields": fields}))

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Leave a record as it is: it is formatted by the thread that writes."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Let a record wait to be written, or drop it if too many do."""
        try:
            self._pending.put_nowait(record)
        except Full:
            self.num_dropped += 1

    def finish(self, seconds: float = 1.0) -> None:
        """Write what is left, unless that takes too long."""

        def stop() -> None:
            with contextlib.suppress(Full):  # nobody reads it
                self._listener.stop()

        stopping = threading.Thread(target=stop, daemon=True)
        stopping.start()
        stopping.join(seconds)


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        event = getattr(record, "event", None)
        line = {"time": round(record.created, 3), "event": event or "http"}
        if event:
            line |= record.fields  # type: ignore[attr-defined]
        else:
            line |= {"level": record.levelname.lower(), "message": str(record.msg)}
        return msgspec.json.encode(line).decode()


class _Writer(logging.StreamHandler[TextIO]):
    def __init__(self, log: ServiceLog, stream: TextIO) -> None:
        super().__init__(stream)
        self._log = log

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
        """Count the line: where stderr is closed or full, there is nowhere to say so."""
        del record
        self._log.num_dropped += 1
