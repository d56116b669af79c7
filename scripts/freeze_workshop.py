"""A folder where `lear` runs on little data, and what it prints without what always differs."""

import hashlib
import http.client
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import lear

Row = dict[str, Any]
"""One thing that was asked (`id`), and what came of it."""

DATA = Path(os.environ.get("LEAR_DATA", "data")).resolve()
SMALL_FOLDERS = ("cogs", "slog", "cfq/mcd1", "scan/simple_split")
TRAIN_LINES, OTHER_LINES = 640, 24
"""What a workshop has of the files in these folders; of GEO it has everything."""
MACHINE_FIELDS = ("cpu", "date", "lear", "peak_rss_mb", "platform", "python", "torch", "version")
SPEED_FIELDS = ("rows_per_second", "seconds", "seconds_left", "sentences_per_second")
"""Fields of JSON that tell when, where and how fast it was made."""
VOLATILE_TEXTS = (
    (re.compile(r"\blear \d+\.\d+\.\d+\S*"), "lear VERSION"),
    (re.compile(r" *\d[\d,.]*(?= rows/s| s left| sentences/s| MB\b| seconds?\b| s\b)"), " #"),
)
PROGRESS = re.compile(r"lear: .*: [\d,]+( of [\d,]+)?$")
"""A line that only work of more than ten seconds prints."""
SECONDS = 600
"""How long anything may take."""


class Workshop:
    """A folder where commands run, with a small part of the benchmarks, and the home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for place in SMALL_FOLDERS:
            for file in (DATA / place).rglob("*.t*"):
                lines = file.read_text().splitlines(keepends=True)
                number = TRAIN_LINES if "train" in file.name else OTHER_LINES
                copy = folder / "data" / file.relative_to(DATA)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text("".join(lines[:: max(1, len(lines) // number)][:number]))
                os.utime(copy, (0, 0))  # records of jobs have the time of their input
        shutil.copytree(DATA / "geo", folder / "data" / "geo")
        shown = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C.UTF-8"}
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("LEAR_")}
        self.environment = {**inherited, **shown, "HOME": str(folder), "LEAR_DATA": "data"}
        self.command = [sys.executable, "-m", "lear"]
        self.known: dict[Path, int] = {}
        self.new_files()

    def run(self, line: str) -> Row:
        """Run a command; tell what it printed, how it ended, and what it wrote."""
        words = shlex.split(line.replace("{data}", str(DATA)))
        environment = dict(self.environment)
        while re.fullmatch(r"[A-Z_]+=.*", words[0]):
            name, _, value = words.pop(0).partition("=")
            environment[name] = value
        given, target = b"", ""
        if words[-2:-1] == ["<"]:
            given = (self.folder / words.pop()).read_bytes()
            words.pop()
        elif words[-2:-1] == [">"]:
            target = words.pop()
            words.pop()
        ran = subprocess.run(
            [*self.command, *words],
            cwd=self.folder,
            env=environment,
            input=given,
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        if target:
            (self.folder / target).write_bytes(ran.stdout)
        err = [text for text in self.plain(ran.stderr).splitlines() if not PROGRESS.match(text)]
        files = {str(file): self.contents(file) for file in self.new_files()}
        out = told(self.plain(ran.stdout))
        return {"exit": ran.returncode, "out": out, "err": err, "files": files}

    def serve(self, line: str, requests: Sequence[str]) -> Iterator[Row]:
        """Start a service, ask it, and end it."""
        words = [*self.command, "serve", "--port", "0", *shlex.split(line)[1:]]
        with (self.folder / "log").open("w+b") as log:
            service = subprocess.Popen(
                words, cwd=self.folder, env=self.environment, stdout=subprocess.PIPE, stderr=log
            )
            assert service.stdout is not None
            try:
                address = urlsplit(service.stdout.readline().decode().split()[-1])
                for request in requests:
                    yield {"id": request, **self.ask(address.netloc, request)}
            finally:
                service.terminate()
                code = service.wait(SECONDS)
                service.stdout.close()
            log.seek(0)
            events = (json.loads(entry) for entry in log)
            kinds = sorted({f"{event['event']}: {' '.join(sorted(event))}" for event in events})
        yield {"id": line, "exit": code, "log": kinds}

    def ask(self, netloc: str, line: str) -> Row:
        """Send a request; tell status, headers and body of the answer."""
        method, address, *rest = shlex.split(line)
        body = rest[0].encode() if rest else None
        headers = {"Content-Type": "application/json"} if body is not None else {}
        headers |= dict(header.split("=", 1) for header in rest[1:])
        connection = http.client.HTTPConnection(netloc, timeout=SECONDS)
        connection.request(method, address, body or None, headers)
        response = connection.getresponse()
        data = response.read()
        connection.close()
        kept = {name.lower(): value for name, value in response.getheaders()}
        kept.pop("date", None)
        kept.pop("content-length", None)
        answer: object = {"bytes": len(data), "sha256": digest(data)}
        if kept.get("content-type") == "application/json":
            answer = told(self.plain(data).replace(netloc, "ADDRESS"))
        elif address == "/metrics":
            answer = sorted({re.split(r"[ {]", name)[0] for name in data.decode().splitlines()})
        return {"status": response.status, "headers": kept, "body": answer}

    def new_files(self) -> list[Path]:
        """Give the files that were written since it was last asked."""
        now = {p: p.stat().st_mtime_ns for p in sorted(self.folder.rglob("*")) if p.is_file()}
        new = [path for path, when in now.items() if self.known.get(path) != when]
        self.known = now
        named = (path.relative_to(self.folder) for path in new)
        return [path for path in named if not path.parts[0].startswith(".")]  # caches are at home

    def contents(self, file: Path) -> object:
        """Tell what is in a file that a command wrote; of code and weights only that they are."""
        data = (self.folder / file).read_bytes()
        is_text = file.suffix not in (".py", ".safetensors") and b"\0" not in data
        return told(self.plain(data)) if is_text else "not text"

    def plain(self, data: bytes) -> str:
        """Give text without what differs between machines, folders and moments."""
        text = data.decode(errors="backslashreplace")
        package = Path(lear.__file__).parent
        for path, name in ((self.folder, "WORK"), (DATA, "DATA"), (package, "PACKAGE")):
            text = text.replace(str(path), name)
        for pattern, name in VOLATILE_TEXTS:
            text = pattern.sub(name, text)
        return text


@contextmanager
def workshop() -> Iterator[Workshop]:
    """Make a workshop that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        yield Workshop(Path(folder).resolve())


def told(text: str) -> object:
    """Read JSON, or lines of JSON, without times; any other text by lines."""
    lines = text.removesuffix("\n").split("\n")
    for texts in ([text], lines):
        try:
            values = [timeless(json.loads(line)) for line in texts]
        except ValueError:
            continue
        return values
    return lines


def timeless(value: Any) -> Any:
    """Leave out fields that tell when and where a value was made."""
    if isinstance(value, dict):
        kept = value.keys() - {*MACHINE_FIELDS, *SPEED_FIELDS}
        return {name: timeless(inner) for name, inner in value.items() if name in kept}
    return [timeless(inner) for inner in value] if isinstance(value, list) else value


def digest(data: bytes) -> str:
    """Give the SHA-256 of data."""
    return hashlib.sha256(data).hexdigest()
