"""Data files and model files: what is published, where it lies, and how it is downloaded.

Data files are found in the folder of `--data`, else LEAR_DATA, else the user's cache. A download is
checked before it is put in place.
"""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sized
from dataclasses import dataclass
from http.client import HTTPException
from importlib.resources import files
from itertools import zip_longest
from pathlib import Path

import platformdirs

from lear.errors import DataError, FileMissingError, UsageError
from lear.messages import did_you_mean
from lear.storage.files import new_folders, text_lines, whole_file


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file of a benchmark, published by its authors or made by a user."""

    path: str
    """Path below the data folder, such as `cogs/train.tsv`."""
    sha256: str
    """Empty where there is no published file to compare with."""
    size: int
    url: str
    """Its address; advice on how to get it, where it has no address of its own."""

    @property
    def has_address(self) -> bool:
        """Return whether it can be downloaded by itself."""
        return self.url.startswith(("http:", "https:", "file:"))


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's contents, in hexadecimal."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def listed_files(manifest: Path, address: str) -> dict[str, DataFile]:
    """Return path -> data file, for a list with one file a line: its SHA-256, size and path.

    Args:
        manifest: The list.
        address: What the paths follow in the files' addresses, but for their first folder.
    """
    files = {}
    for _, line in numbered_lines(manifest):
        sha256, size, path = line.split()
        files[path] = DataFile(path, sha256, int(size), f"{address}/{path.partition('/')[2]}")
    return files


def refuse_empty(content: Sized, what: str, source: str) -> None:
    """Raise `DataError` if a column of a row is empty; `what` and `source` name it."""
    if not content:
        raise DataError(f"{source}: the {what} is empty")


def paired_lines(first: Path, second: Path) -> Iterator[tuple[int, str, str]]:
    """Give the lines of two parallel files, numbered from 1; neither file may be empty."""
    number = 0
    for one, other in zip_longest(numbered_lines(first), numbered_lines(second)):
        if one is None or other is None:
            short, long = (first, second) if one is None else (second, first)
            raise DataError(f"{short}: has fewer lines than {long}")
        number, text = one
        yield number, text, other[1]
    if number == 0:
        raise DataError(f"{first}: the file is empty")


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Give the lines of a UTF-8 file, numbered from 1, without their line ends."""
    try:
        with path.open("rb") as stream:
            for number, text, cause in text_lines(stream):
                if cause:
                    raise DataError(f"{path}:{number}: {cause}")
                yield number, text
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A folder with the layout `<domain>/<file>`."""

    root: Path
    chosen_by: str
    """Where its path comes from: `--data`, `LEAR_DATA` or `cache`."""

    @classmethod
    def choose(cls, option: str | None) -> "DataFolder":
        """Return the folder of `--data` if it is given, else of LEAR_DATA, else the cache."""
        if option is not None:
            return cls(Path(option), "--data")
        if named := os.environ.get("LEAR_DATA"):
            return cls(Path(named), "LEAR_DATA")
        return cls(Path(platformdirs.user_cache_dir("lear", appauthor=False)), "cache")

    def find(self, file: DataFile) -> Path:
        """Return the path of a file; raise `FileMissingError` that says how to get it."""
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
        """Return `missing`, `unpublished`, `differs` (from the published file) or `ok`."""
        path = self.root / file.path
        if not path.is_file():
            return "missing"
        if not file.sha256:
            return "unpublished"
        if path.stat().st_size != file.size or sha256_of(path) != file.sha256:
            return "differs"
        return "ok"


MODEL_FILE = "model.safetensors"


def shipped_models() -> dict[str, Path]:
    """Return the models in the package, by name."""
    folder = Path(str(files("lear") / "pretrained"))
    return {path.parent.name: path for path in sorted(folder.glob(f"*/{MODEL_FILE}"))}


def find_model(name_or_path: str) -> Path:
    """Return the model file that a name or a path means: a run, a model's folder, or a file.

    A name that ships means the model that ships, whatever lies in the current folder: `cogs` is the
    same everywhere, `./cogs` is what lies here.
    """
    shipped = shipped_models()
    if name_or_path in shipped:
        return shipped[name_or_path]
    path = Path(name_or_path)
    for candidate in (path, path / MODEL_FILE, path / "model-best" / MODEL_FILE):
        if candidate.is_file():
            return candidate
    if path.exists():
        raise DataError(f"{name_or_path}: holds no {MODEL_FILE}")
    if os.path.dirname(name_or_path):
        raise UsageError(f"{name_or_path}: no such file or folder")
    raise UsageError(f"unknown model {name_or_path!r}{did_you_mean(name_or_path, shipped)}")


CHUNK = 1 << 16
TIMEOUT_SECONDS = 30


def can_fetch(file: DataFile) -> bool:
    """Return whether a file can be downloaded, from its own address or from a mirror."""
    return file.has_address or bool(os.environ.get("LEAR_MIRROR") and file.sha256)


def download(file: DataFile, root: Path, advance: Callable[[int], None]) -> Path:
    """Download a file from LEAR_MIRROR, else from its authors; a failure leaves all as it was."""
    target = root / file.path
    mirror = os.environ.get("LEAR_MIRROR")
    url = f"{mirror.rstrip('/')}/{file.path}" if mirror else file.url
    digest = hashlib.sha256()
    received = 0
    try:
        with new_folders(target.parent), whole_file(target) as out:
            for chunk in _chunks(url, file, target):
                received += len(chunk)
                if received > file.size:
                    raise DataError(f"{url}: longer than the published {file.size} bytes")
                digest.update(chunk)
                out.write(chunk)
                advance(len(chunk))
            if received < file.size:
                raise DataError(f"{url}: ended after {received} of {file.size} bytes")
            if digest.hexdigest() != file.sha256:
                raise DataError(f"{url}: wrong checksum; nothing was kept")
    except OSError as error:
        raise DataError(f"{target}: cannot be written: {error.strerror}") from None
    return target


def _chunks(url: str, file: DataFile, target: Path) -> Iterator[bytes]:
    """Give the body of a URL; network errors are raised as `DataError`, not as `OSError`."""
    try:
        with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:
            while chunk := response.read(CHUNK):
                yield chunk
    except urllib.error.HTTPError as error:
        with error:
            raise DataError(f"{url}: the server answered {error.code} {error.reason}") from None
    except (OSError, HTTPException) as error:
        reason = getattr(error, "reason", error)
        raise DataError(
            f"{url}: no answer ({reason}); fetch it elsewhere, put it at {target}, "
            f"or set LEAR_DATA to a folder that holds {file.path}"
        ) from None
    except ValueError as error:
        raise UsageError(f"{url!r} is not an address (LEAR_MIRROR): {error}") from None
