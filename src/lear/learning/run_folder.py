"""The folder of a run: its files, who may work in it, and what has changed since it began.

One process at a time works in a folder. A run that ended before it had learned anything may begin
anew there; nothing else is ever overwritten.
"""

import platform
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import torch

from lear.errors import DataError, LearError, UsageError
from lear.learning.checkpoint import Metrics, settings_of
from lear.learning.config import RunConfig, to_toml
from lear.messages import note
from lear.storage.datasets import MODEL_FILE
from lear.storage.files import (
    LOCK_FILE,
    encode_json,
    locked_folder,
    partial_files,
    read_json,
    write_whole,
)
from lear.version import __version__

NOT_SET = "not set"
ROUNDING = ("lear", "torch", "cpu")
"""The parts of a machine that decide the last digits of sums, beside the number of threads."""
RESUMED = "resumed"
"""The key in `environment.json` under which changes of a resumed run are noted."""
JSON = dict[str, Any]


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
        return self.root / "checkpoint.safetensors"

    @property
    def result(self) -> Path:
        """The scores of a baseline."""
        return self.root / "result.json"

    def model(self, which: str) -> Path:
        """The model file of `best` or `last`."""
        return self.root / f"model-{which}" / MODEL_FILE

    @property
    def _model_folders(self) -> list[Path]:
        return [self.model(which).parent for which in ("best", "last")]

    def begins_anew(self) -> bool:
        """Return True if a run was begun here, and stopped before it had learned anything."""
        is_known = self.config.is_file() and self.environment.is_file()
        return is_known and self._holds_nothing()

    def can_go_on(self) -> bool:
        """Return True if there is a run here that can go on."""
        return self.config.is_file() and (self.checkpoint.is_file() or self.begins_anew())

    def check(self, *, resume: bool) -> None:
        """Raise an error unless a run may begin, or go on, here; nothing is changed."""
        if resume and not self.config.is_file():
            raise UsageError(f"{self.root}: no run to resume; leave out --resume to begin one")
        if resume and not self.can_go_on():
            raise DataError(f"{self.root}: no checkpoint to resume from")
        if not resume and self.root.exists():
            if not self.root.is_dir():
                raise DataError(f"{self.root}: not a folder")
            if not self._holds_nothing():
                way_out = "choose another folder, or --resume the run"
                raise DataError(f"{self.root}: not empty; {way_out}")

    def _holds_nothing(self) -> bool:
        """Return True if there is no model, no checkpoint, and nothing of others here."""
        own = {self.config, self.environment, self.root / LOCK_FILE, *self._model_folders}
        return set(self.root.iterdir()) <= own | partial_files(self.root) and not any(
            set(folder.iterdir()) - partial_files(folder)
            for folder in self._model_folders
            if folder.is_dir()
        )

    @contextmanager
    def at_work(self, *, resume: bool) -> Iterator[None]:
        """Hold the folder, ready for a run; a new one that fails to begin leaves nothing."""
        self.check(resume=resume)
        is_new = not self.root.exists()
        with locked_folder(self.root):
            self._prepare(resume=resume)
            try:
                yield
            except BaseException as error:
                is_in_vain = isinstance(error, LearError) or not self.can_go_on()
                if is_new and is_in_vain and self._holds_nothing():
                    shutil.rmtree(self.root, ignore_errors=True)
                raise

    def _prepare(self, *, resume: bool) -> None:
        """Clean up after a killed process, and make the folders of a new run."""
        self.check(resume=resume)  # again, now that nobody else can change it
        try:
            for folder in (self.root, *self._model_folders):
                for path in partial_files(folder):
                    path.unlink(missing_ok=True)
            if not resume:
                # Settings are written last: those of a run that was stopped here must not be taken
                # for those of the one that begins.
                self.config.unlink(missing_ok=True)
                for folder in self._model_folders:
                    folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.root}: cannot be made: {error.strerror}") from None

    def write_metrics(self, history: Sequence[Metrics]) -> None:
        """Write one line for each evaluation."""
        write_whole(self.metrics, b"".join(msgspec.json.encode(m) + b"\n" for m in history))

    def note_origin(self, config: RunConfig, environment: JSON) -> None:
        """Write what a run begins with; its settings last, as they say that there is a run."""
        write_whole(self.environment, encode_json(_machine(config) | environment))
        write_whole(self.config, to_toml(config).encode())

    def changes_since(self, config: RunConfig, environment: JSON, *, may_change: bool) -> list[str]:
        """Return what has changed since a run began; raise `DataError` for what may not."""
        before = self._noted()
        if before.get("rows") != environment.get("rows"):
            raise DataError(f"{self.root}: its data has changed since the run began")
        now = _machine(config)
        if self.begins_anew():  # nothing was learned with the old settings
            write_whole(self.environment, encode_json(now | environment))
            return []
        changes = setting_changes(settings_of(self.checkpoint), config)
        if changes and not may_change:
            raise DataError(
                f"{self.config}: changed since the run began: {'; '.join(changes)} "
                "(--allow-changes goes on with it)"
            )
        last = {**before, **(_resumed(before) or [{}])[-1]}
        others = [
            f"{key} was {last[key]}, is {now[key]}"
            for key in ROUNDING
            if last.get(key) not in (None, now[key])
        ]
        if others:
            note(
                f"{'; '.join(others)}: weights may differ in their last digits from those of a run "
                "that was not broken off"
            )
        return changes + others

    def note_changes(self, config: RunConfig, changes: Sequence[str]) -> None:
        """Note that a run has gone on with something changed, if it has."""
        if changes:
            before = self._noted()
            again = [*_resumed(before), {**_machine(config), "changes": list(changes)}]
            write_whole(self.environment, encode_json({**before, RESUMED: again}))

    def _noted(self) -> JSON:
        return read_json(self.environment, JSON, "what a run notes of its origin")


def _resumed(environment: JSON) -> list[JSON]:
    """Return the notes on changes of a resumed run, as far as they are such."""
    noted = environment.get(RESUMED)
    return [entry for entry in noted if isinstance(entry, dict)] if isinstance(noted, list) else []


def _machine(config: RunConfig) -> JSON:
    """Return date, versions and machine, with what decides the last digits of sums."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "lear": __version__,
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "platform": platform.platform(),
        "threads": config.threads,
        "cpu": torch.backends.cpu.get_cpu_capability(),
    }


def setting_changes(before: JSON, config: RunConfig) -> list[str]:
    """Return what differs from earlier settings, each in a few words."""
    now = msgspec.json.decode(msgspec.json.encode(config))
    return [f"{key} was {_shown(o)}, is {_shown(n)}" for key, o, n in _differences(before, now)]


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _differences(before: Any, now: Any, key: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Yield dotted keys of settings with what they were and are, where that is not the same."""
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            yield f"the length of {key}", len(before), len(now)
        for place, (old, new) in enumerate(zip(before, now, strict=False)):
            yield from _differences(old, new, f"{key}[{place}]")
    elif isinstance(before, dict) and isinstance(now, dict):
        for name in {**before, **now}:
            inner = f"{key}.{name}" if key else name
            yield from _differences(before.get(name, NOT_SET), now.get(name, NOT_SET), inner)
    elif before != now:
        yield key, before, now
