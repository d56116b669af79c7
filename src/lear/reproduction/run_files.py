"""The folder of a run: its record, its log, its model and its results, kept for later calls.

`lear train` has a folder of its own inside it, `training`, which holds the checkpoint.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec

from lear.errors import DataError, FileMissingError
from lear.reproduction.machine import Provenance
from lear.reproduction.table import Result
from lear.storage.atomic_file import write_whole
from lear.storage.json_file import encode_json, read_json

Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Record(msgspec.Struct, frozen=True):
    """What is known of a run besides its results."""

    is_trained: bool = False
    seconds: Seconds = 0.0
    """Of training, from raw files to the model, over all sessions."""
    other_seconds: Seconds = 0.0
    """Of evaluations and measurements."""
    failure: str = ""
    """Why the last attempt failed, in one line."""
    made: Provenance | None = None
    """Where and when it was begun."""


class _Kept(msgspec.Struct, frozen=True):
    """A result on disk, with the files that it was measured on."""

    files: dict[str, str]
    result: dict[str, Any]


class _Relied(msgspec.Struct, frozen=True):
    """What is relied upon of a result, where it has it; other figures are looked at one by one."""

    exact_match: float | None = None
    faults: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = {}


@dataclass(frozen=True)
class RunFiles:
    """The files of one run."""

    root: Path

    @property
    def record_file(self) -> Path:
        """What is known of the run."""
        return self.root / "record.json"

    @property
    def config(self) -> Path:
        """All settings."""
        return self.root / "settings.toml"

    @property
    def log(self) -> Path:
        """What the run's commands wrote to stderr."""
        return self.root / "log.txt"

    @property
    def output(self) -> Path:
        """What the command under way writes to stdout."""
        return self.root / "output.json"

    @property
    def training(self) -> Path:
        """The folder of `lear train` or `lear baseline`."""
        return self.root / "training"

    @property
    def checkpoint(self) -> Path:
        """Where training goes on, if it was cut off."""
        return self.training / "checkpoint.safetensors"

    def result_file(self, key: str) -> Path:
        """The result of this key."""
        return self.root / "results" / f"{key.replace('/', '--') or 'measured'}.json"

    def record(self) -> Record:
        """What is known of the run; an empty record if it was never begun."""
        try:
            return read_json(self.record_file, Record, "the record of a run; delete its folder")
        except FileMissingError:
            return Record()

    def note(self, **changes: object) -> None:
        """Change the record."""
        changed = msgspec.structs.replace(self.record(), **changes)
        write_whole(self.record_file, msgspec.json.format(encode_json(changed)))

    def result(self, key: str, files: Mapping[str, str]) -> Result | None:
        """A result that was measured on these files; None if there is none, or a damaged one."""
        try:
            kept = read_json(self.result_file(key), _Kept, "a result")
            msgspec.convert(kept.result, _Relied)
        except (DataError, msgspec.ValidationError):
            return None
        return kept.result if kept.files == files else None

    def keep_result(self, key: str, files: dict[str, str], result: dict[str, Any]) -> None:
        """Keep a result for later calls."""
        path = self.result_file(key)
        path.parent.mkdir(exist_ok=True)
        write_whole(path, msgspec.json.format(encode_json(_Kept(files, result))))

    def last_line(self) -> str:
        """The last line of the log, without the name of the program."""
        try:
            with self.log.open("rb") as stream:
                stream.seek(max(0, self.log.stat().st_size - 4096))
                lines = stream.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        written = [line.strip() for line in lines if line.strip()]
        return written[-1].removeprefix("lear: ") if written else ""

    def clear_training(self) -> None:
        """Remove what a training left that stopped before its first checkpoint."""
        shutil.rmtree(self.training, ignore_errors=True)
