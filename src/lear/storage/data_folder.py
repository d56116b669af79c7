"""Finding data files: `--data` first, then LEAR_DATA, then the user's cache."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from lear.errors import FileMissingError
from lear.storage.data_file import DataFile, sha256_of


def cache_folder() -> Path:
    """Where `lear data get` puts files when no folder is named."""
    return Path(platformdirs.user_cache_dir("lear", appauthor=False))


@dataclass(frozen=True, slots=True)
class DataFolder:
    """One place with the layout `<domain>/<file>`."""

    root: Path
    chosen_by: str
    """What chose it, for messages: `--data`, `LEAR_DATA` or `cache`."""

    @classmethod
    def choose(cls, option: str | None) -> "DataFolder":
        """The folder that holds the data of this run."""
        if option is not None:
            return cls(Path(option), "--data")
        if named := os.environ.get("LEAR_DATA"):
            return cls(Path(named), "LEAR_DATA")
        return cls(cache_folder(), "cache")

    def find(self, file: DataFile) -> Path:
        """The path of a file that is there, or `DataError` that says what to put where."""
        path = self.root / file.path
        if path.is_file():
            return path
        if not file.has_address:
            raise FileMissingError(f"{path}: no such file ({self.chosen_by}); {file.url}")
        command = f"lear data get {file.path.split('/')[0]}"
        if self.chosen_by == "--data":
            command += f" --data {self.root}"
        raise FileMissingError(
            f"{path}: no such file ({self.chosen_by}); run `{command}`, "
            f"or set LEAR_DATA to a folder that holds {file.path}"
        )

    def state(self, file: DataFile) -> str:
        """`missing`, `unpublished`, `differs` from the published file, or `ok`."""
        path = self.root / file.path
        if not path.is_file():
            return "missing"
        if not file.sha256:
            return "unpublished"
        if path.stat().st_size != file.size or sha256_of(path) != file.sha256:
            return "differs"
        return "ok"
