"""The folder of a run: which files it has, and when a run may begin there."""

from dataclasses import dataclass
from pathlib import Path

from lear.errors import DataError, UsageError
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

    def begins_anew(self) -> bool:
        """Whether a run was begun here, and stopped before it had learned anything."""
        is_known = self.config.is_file() and self.environment.is_file()
        return is_known and self._holds_nothing()

    def require_run(self) -> None:
        """Raise an error if there is no run here that can go on."""
        if not self.config.is_file():
            raise UsageError(f"{self.root}: no run to resume; leave out --resume to begin one")
        if not self.checkpoint.is_file() and not self.begins_anew():
            raise DataError(f"{self.root}: no checkpoint to resume from")

    def _holds_nothing(self) -> bool:
        """Whether there is neither a model nor a checkpoint here, nor anything of others."""
        models = {self.model(which).parent for which in ("best", "last")}
        own = {self.config, self.environment, *models}
        return set(self.root.iterdir()) <= own and not any(
            any(folder.iterdir()) for folder in models if folder.is_dir()
        )

    def prepare(self, *, resume: bool) -> None:
        """Make the folder; refuse one with other things in it."""
        if resume:
            self.require_run()
            return
        if self.root.exists() and not self.root.is_dir():
            raise DataError(f"{self.root}: not a folder")
        if self.root.exists() and any(self.root.iterdir()) and not self._holds_nothing():
            raise DataError(f"{self.root}: not empty; choose another folder, or --resume the run")
        try:
            # Settings are written last: those of a run that was stopped here must not be taken for
            # those of the one that begins.
            self.config.unlink(missing_ok=True)
            for which in ("best", "last"):
                self.model(which).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise DataError(f"{self.root}: cannot be made: {error.strerror}") from None
