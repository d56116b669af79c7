"""The folder of a run: which files it has, and when a run may begin there.

What a run began with, settings, data and machine; and what has changed when it goes on.
"""

import math
import platform
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import torch

from lear.errors import DataError, UsageError
from lear.learning.checkpoint import settings_of
from lear.learning.config import RunConfig, to_toml
from lear.messages import note
from lear.storage.datasets import MODEL_FILE
from lear.storage.files import (
    LOCK_FILE,
    NOT_JSON,
    encode_json,
    partial_files,
    read_json,
    write_whole,
)
from lear.version import __version__

CHECKPOINT_FILE = "checkpoint.safetensors"


@dataclass(frozen=True)
class RunFolder:
    """The files of a run."""

    root: Path

    @property
    def config(self) -> Path:
        """The resolved settings; `--config` reads them."""
        return self.root / "config.toml"

    @property
    def metrics(self) -> Path:
        """One JSON line for each evaluation on dev."""
        return self.root / "metrics.jsonl"

    @property
    def environment(self) -> Path:
        """Versions, machine, date, data."""
        return self.root / "environment.json"

    @property
    def checkpoint(self) -> Path:
        """Where `--resume` goes on."""
        return self.root / CHECKPOINT_FILE

    def model(self, which: str) -> Path:
        """The model file of `best` or `last`."""
        return self.root / f"model-{which}" / MODEL_FILE

    def trim_metrics(self, steps: int, *, is_looked: bool) -> None:
        """Forget the lines behind the checkpoint of a run that goes on: it will write them again.

        Args:
            steps: That the checkpoint has.
            is_looked: Whether the checkpoint was written after dev was looked at.
        """
        try:
            lines = self.metrics.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return
        except OSError as error:
            raise DataError(f"{self.metrics}: cannot be read: {error.strerror}") from None
        kept = [line for line in lines if _steps_of(line) < steps + is_looked]
        if len(kept) < len(lines):
            write_whole(self.metrics, b"".join(kept))

    def begins_anew(self) -> bool:
        """Whether a run was begun here, and stopped before it had learned anything."""
        is_known = self.config.is_file() and self.environment.is_file()
        return is_known and self._holds_nothing()

    def can_go_on(self) -> bool:
        """Whether there is a run here that can go on."""
        return self.config.is_file() and (self.checkpoint.is_file() or self.begins_anew())

    def require_run(self) -> None:
        """Raise an error if there is no run here that can go on."""
        if not self.config.is_file():
            raise UsageError(f"{self.root}: no run to resume; leave out --resume to begin one")
        if not self.can_go_on():
            raise DataError(f"{self.root}: no checkpoint to resume from")

    def leave_nothing(self) -> None:
        """Take the folder away again, if it holds neither a model nor a checkpoint."""
        if self._holds_nothing():
            shutil.rmtree(self.root, ignore_errors=True)

    def _holds_nothing(self) -> bool:
        """Whether there is neither a model nor a checkpoint here, nor anything of others."""
        models = {self.model(which).parent for which in ("best", "last")}
        own = {self.config, self.environment, self.root / LOCK_FILE, *models}
        return set(self.root.iterdir()) <= own | partial_files(self.root) and not any(
            set(folder.iterdir()) - partial_files(folder) for folder in models if folder.is_dir()
        )

    def check(self, *, resume: bool) -> None:
        """Raise an error unless a run may begin, or go on, here; nothing is changed."""
        if resume:
            self.require_run()
            return
        if self.root.exists() and not self.root.is_dir():
            raise DataError(f"{self.root}: not a folder")
        if self.root.exists() and any(self.root.iterdir()) and not self._holds_nothing():
            raise DataError(f"{self.root}: not empty; choose another folder, or --resume the run")

    def prepare(self, *, resume: bool) -> None:
        """Make the folder ready for a run, by the process that holds it."""
        self.check(resume=resume)
        models = [self.model(which).parent for which in ("best", "last")]
        try:
            for folder in (self.root, *models):
                for path in partial_files(folder):
                    path.unlink(missing_ok=True)
            if not resume:
                # Settings are written last: those of a run that was stopped here must not be taken
                # for those of the one that begins.
                self.config.unlink(missing_ok=True)
                for folder in models:
                    folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.root}: cannot be made: {error.strerror}") from None


class _Line(msgspec.Struct):
    """What matters here of a line of the metrics."""

    steps: int = 0


def _steps_of(line: bytes) -> float:
    """After how many steps a line of the metrics was written; endless if it is not whole."""
    try:
        return msgspec.json.decode(line, type=_Line).steps if line.endswith(b"\n") else math.inf
    except NOT_JSON:
        return math.inf


NOT_SET = "not set"
ROUNDING = ("lear", "torch", "cpu")
"""What of a machine decides the last digits of sums, beside the number of threads, a setting."""
RESUMED = "resumed"
"""In what is noted of a run: when it went on with something changed, and what."""


def note_origin(folder: RunFolder, config: RunConfig, environment: dict[str, Any]) -> None:
    """Write what a run begins with; its settings last, as they say that there is a run."""
    write_whole(folder.environment, encode_json(_machine(config) | environment))
    write_whole(folder.config, to_toml(config).encode())


def changes_since(
    folder: RunFolder, config: RunConfig, environment: dict[str, Any], *, may_change: bool
) -> list[str]:
    """What has changed since a run began, in words; raise `DataError` for what may not.

    Args:
        folder: Of the run, which goes on.
        config: Its settings now.
        environment: Where its rows come from now.
        may_change: Whether settings may.
    """
    before = read_json(folder.environment, dict[str, Any], "what a run notes of its origin")
    if before.get("rows") != environment.get("rows"):
        raise DataError(f"{folder.root}: its data has changed since the run began")
    now = _machine(config)
    if folder.begins_anew():  # nothing was learned with the old ones
        write_whole(folder.environment, encode_json(now | environment))
        return []
    changes = setting_changes(settings_of(folder.checkpoint), config)
    if changes and not may_change:
        raise DataError(
            f"{folder.config}: changed since the run began: {'; '.join(changes)} "
            "(--allow-changes goes on with it)"
        )
    last = {**before, **_last(before)}
    others = {key: (last.get(key), now[key]) for key in ROUNDING}
    told = [
        f"{key} was {old}, is {new}" for key, (old, new) in others.items() if old not in (None, new)
    ]
    if told:
        note(
            f"{'; '.join(told)}: weights may differ in their last digits from those of a run that "
            "was not broken off"
        )
    return changes + told


def note_changes(folder: RunFolder, config: RunConfig, changes: Sequence[str]) -> None:
    """Add to what is noted of a run that it has gone on with something changed."""
    if changes:
        before = read_json(folder.environment, dict[str, Any], "what a run notes of its origin")
        again = [*_resumed(before), {**_machine(config), "changes": list(changes)}]
        write_whole(folder.environment, encode_json({**before, RESUMED: again}))


def setting_changes(before: dict[str, Any], config: RunConfig) -> list[str]:
    """What differs from settings of before, each in a few words."""
    now = msgspec.json.decode(msgspec.json.encode(config))
    differences = _differences(before, now)
    return [f"{key} was {_shown(o)}, is {_shown(n)}" for key, (o, n) in differences.items()]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _differences(before: Any, now: Any, key: str = "") -> dict[str, tuple[Any, Any]]:
    """Dotted keys of settings -> what they were and are, where that is not the same."""
    if before == now:
        return {}
    found: dict[str, tuple[Any, Any]] = {}
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            found[f"the length of {key}"] = len(before), len(now)
        for place, (old, new) in enumerate(zip(before, now, strict=False)):
            found |= _differences(old, new, f"{key}[{place}]")
        return found
    if not (isinstance(before, dict) and isinstance(now, dict)):
        return {key: (before, now)}
    for name in {**before, **now}:
        inner = f"{key}.{name}" if key else name
        found |= _differences(before.get(name, NOT_SET), now.get(name, NOT_SET), inner)
    return found


def _resumed(environment: dict[str, Any]) -> list[dict[str, Any]]:
    """When a run went on with something changed, as far as that was noted."""
    noted = environment.get(RESUMED)
    return [entry for entry in noted if isinstance(entry, dict)] if isinstance(noted, list) else []


def _last(environment: dict[str, Any]) -> dict[str, Any]:
    return (_resumed(environment) or [{}])[-1]


def _machine(config: RunConfig) -> dict[str, Any]:
    """Date, versions and machine, with what decides the last digits of sums: threads and CPU."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "lear": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "platform": platform.platform(),
        "threads": config.threads,
        "cpu": torch.backends.cpu.get_cpu_capability(),
    }
