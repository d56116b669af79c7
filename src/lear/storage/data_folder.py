"""Finding data files: in the folder of `--data`, else LEAR_DATA, else the user's cache."""

import os
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from lear.errors import FileMissingError
from lear.storage.data_file import DataFile, sha256_of


def cache_folder() -> Path:
    """The folder for data files when the user names none."""
    return Path(platformdirs.user_cache_dir("lear", appauthor=False))


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder with the layout `<domain>/<file>`."""

    root: Path
    chosen_by: str
    """Where its path comes from, for messages: `--data`, `LEAR_DATA` or `cache`."""

    @classmethod
    def choose(cls, option: str | None) -> "DataFolder":
        """The folder of `--data` if it is given, else of LEAR_DATA, else the cache."""
        if option is not None:
            return cls(Path(option), "--data")
        if named := os.environ.get("LEAR_DATA"):
            return cls(Path(named), "LEAR_DATA")
        return cls(cache_folder(), "cache")

    def find(self, file: DataFile) -> Path:
        """The path of a file; raises `FileMissingError` that says how to get it."""
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
