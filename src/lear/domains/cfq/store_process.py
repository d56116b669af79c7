"""Asking a triple store that cannot be interrupted: it lives in a process that can be ended."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path
from typing import Any, NamedTuple

import lear
from lear.errors import DataError, FormError, UsageError

Answer = bool | list[str]
"""Yes or no, or the names of the things that were asked for, sorted."""
SECONDS = "LEAR_STORE_SECONDS"
MEGABYTES = "LEAR_STORE_MB"
LOADING = 60
"""How many times as long as a query the facts may take to load."""


class StoreLimits(NamedTuple):
    """What a store may use."""

    seconds: float = 5.0
    """For one query."""
    megabytes: int = 1000
    """Of memory, for all facts and one query."""

    @classmethod
    def from_environment(cls) -> "StoreLimits":
        """The limits that the environment sets, else the defaults."""
        default = cls()
        return cls(
            _number(SECONDS, default.seconds, 0.001, 10**6),
            int(_number(MEGABYTES, default.megabytes, 100, 10**7)),
        )


class StoreProcess:
    """A triple store in a process of its own; a query that ends the process is a `FormError`.

    The process starts at once, and again when it was ended. Threads take turns. A fork of this
    process starts a store of its own.
    """

    def __init__(self, facts: Path | None, limits: StoreLimits) -> None:
        """Start it; `facts` is a file, None for the world that ships."""
        self.facts = facts
        self.limits = limits
        self._turn = threading.Lock()
        self._start()

    def ask(self, sparql: str) -> Answer:
        """The answer to a query."""
        with self._turn:
            if self._owner != os.getpid() or self._process.poll() is not None:
                self._end()
                self._start()
            started = time.monotonic()
            reply = self._exchange(json.dumps(sparql).encode() + b"\n")
            seconds = time.monotonic() - started
        if reply is None:
            raise FormError(f"the query {self._cause_of_death(seconds, self.limits.seconds)}")
        if "error" in reply:
            raise FormError(f"the query cannot be run: {reply['error']}")
        answer: Answer = reply["answer"]
        return answer

    def _start(self) -> None:
        """Start the process, and wait until it has loaded the facts."""
        facts = "" if self.facts is None else str(self.facts.resolve())
        options = [str(self.limits.seconds), str(self.limits.megabytes), facts]
        # It finds what this process finds, and nothing in the folder that it happens to be in.
        package = str(Path(lear.__file__).parent.parent)
        paths = os.pathsep.join([*filter(None, sys.path), package])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lear.domains.cfq.triple_store", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths},
        )
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _end, self._process, self._owner)
        started = time.monotonic()
        reply = self._exchange(b"")
        if reply is None:
            cause = self._cause_of_death(time.monotonic() - started, LOADING * self.limits.seconds)
            raise DataError(f"{self.facts or 'the facts that ship'}: loading {cause}")
        if "line" in reply:
            raise DataError(f"{self.facts}:{reply['line']}: {reply['error']}")
        if "error" in reply:
            raise DataError(f"{self.facts}: cannot be read as triples: {reply['error']}")

    def _exchange(self, message: bytes) -> dict[str, Any] | None:
        """Send a message, and wait for the reply; None if the process ended over it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(message)
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        except BaseException:
            # Whoever is interrupted here must not find this answer when he asks for another.
            self._end()
            raise
        if line.endswith(b"\n"):
            reply: dict[str, Any] = json.loads(line)
            return reply
        self._process.wait()
        self._end()
        return None

    def _cause_of_death(self, seconds: float, most_seconds: float) -> str:
        if seconds >= most_seconds:
            return f"takes more than {most_seconds:g} seconds ({SECONDS})"
        if self._process.returncode == -signal.SIGABRT:  # as stores do when memory is refused
            return f"needs more than {self.limits.megabytes:,} MB of memory ({MEGABYTES})"
        return f"crashes the triple store (exit code {self._process.returncode})"


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner:  # not in a fork of the process that started it
        process.kill()
        process.communicate()


def _number(variable: str, default: float, least: float, most: float) -> float:
    """The number that a variable of the environment is set to."""
    text = os.environ.get(variable, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = -1
    if not least <= value <= most:
        raise UsageError(f"{variable} is a number from {least:g} to {most:g}, not {text!r}")
    return value
