"""The version of a benchmark's data: the SHA-256 of each of its files, as they are on disk."""

import hashlib
from functools import cache
from pathlib import Path

from lear.domain.example import PARTS
from lear.domains.registry import find_benchmark
from lear.storage.data_file import sha256_of
from lear.storage.data_folder import DataFolder

ABSENT = "absent"

Files = dict[str, str]
"""Path below the data folder -> SHA-256; `absent` where there is no such file."""


def file_digests(benchmark: str, parts: tuple[str, ...], data: str | None) -> Files:
    """The files of some parts of a benchmark; none where rows are generated."""
    _, found = find_benchmark(benchmark)
    root = DataFolder.choose(data).root
    files = (file.path for part in parts for file in found.files.get(part, ()))
    return {path: _digest(root / path) for path in dict.fromkeys(files)}


def all_file_digests(benchmark: str, data: str | None) -> Files:
    """The files of all parts of a benchmark."""
    return file_digests(benchmark, PARTS, data)


def short_digest(*texts: str) -> str:
    """A few characters that tell these texts from others."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:10]


@cache
def _digest(path: Path) -> str:
    return sha256_of(path) if path.is_file() else ABSENT
