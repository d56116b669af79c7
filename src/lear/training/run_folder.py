"""The folder of a run: which files it has, and when a run may begin there."""

import math
import shutil
from dataclasses import dataclass
from pathlib import Path

import msgspec

from lear.errors import DataError, UsageError
from lear.storage.atomic_file import partial_files, write_whole
from lear.storage.folder_lock import LOCK_FILE
from lear.storage.json_file import NOT_JSON
from lear.storage.model_files import MODEL_FILE

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
