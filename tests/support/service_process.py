"""A service in a process of its own, as users start it, and a client of it."""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

SECONDS = 60
"""How long anything may take on a machine that does other things, too."""


class HttpAnswer(NamedTuple):
    """What a service says."""

    status: int
    body: bytes
    headers: dict[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The code of an error, which has one shape and says something."""
        assert self.headers["content-type"] == "application/json"
        assert self.json.keys() == {"error"}
        assert self.json["error"].keys() == {"code", "message"}
        assert self.json["error"]["message"]
        code = self.json["error"]["code"]
        assert isinstance(code, str)
        return code


class RunningService:
    """`lear serve` with some arguments, on a free port."""

    def __init__(self, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self._log = tempfile.NamedTemporaryFile(suffix=".log")  # noqa: SIM115 - closed in stop
        self.process = subprocess.Popen(
            [sys.executable, "-m", "lear", "serve", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ | (environment or {}),
        )
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()
        assert "http://" in self.greeting, self.log
        parts = urlsplit(self.greeting.split()[-1])
        assert parts.hostname is not None
        assert parts.port is not None
        self.host, self.port = parts.hostname, parts.port

    @property
    def log(self) -> str:
        """What it has logged."""
        return Path(self._log.name).read_text()

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> HttpAnswer:
        """Send a request; underscores in names of headers are hyphens."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=SECONDS)
        try:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            lower = {name.lower(): value for name, value in response.getheaders()}
            return HttpAnswer(response.status, response.read(), lower)
        finally:
            connection.close()

    def get(self, path: str, **headers: str) -> HttpAnswer:
        return self.ask("GET", path, None, **headers)

    def post(self, body: bytes, **headers: str) -> HttpAnswer:
        """Send a body to /api/parse."""
        return self.ask("POST", "/api/parse", body, content_type="application/json", **headers)

    def parse(self, model: str, *texts: str, **fields: object) -> HttpAnswer:
        return self.post(json.dumps({"model": model, "texts": texts, **fields}).encode())

    def forms(self, model: str, *texts: str) -> list[str | None]:
        answer = self.parse(model, *texts)
        assert answer.status == 200, answer.body
        return [result["form"] for result in answer.json["results"]]

    @property
    def forking(self) -> int:
        """The process that forks workers."""
        # Python's own tracker of resources is a child of the service, too.
        processes = children(self.process.pid)
        (only,) = [pid for pid in processes if b"spawn_main" in _command(pid)]
        return only

    @property
    def workers(self) -> list[int]:
        return children(self.forking)

    def metric(self, name: str) -> float:
        """The value of a line of /metrics."""
        lines = self.get("/metrics").body.decode().splitlines()
        return float(next(line for line in lines if line.startswith(f"{name} ")).split()[-1])

    def stop(self) -> int:
        """Ask it to end; its exit code."""
        try:
            self.process.send_signal(signal.SIGTERM)
            return self.process.wait(SECONDS)
        finally:
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()
            self._log.close()


def _command(process: int) -> bytes:
    return Path(f"/proc/{process}/cmdline").read_bytes()


def children(process: int) -> list[int]:
    """The processes that a process has started, as Linux tells."""
    try:
        text = Path(f"/proc/{process}/task/{process}/children").read_text()
    except FileNotFoundError:
        return []
    return [int(number) for number in text.split()]


def wait_until(is_so: Callable[[], bool]) -> None:
    """Wait until something has become so; fail if it never does."""
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
