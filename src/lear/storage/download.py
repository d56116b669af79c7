"""Downloading a published file, with its checksum verified before it is put in place."""

import hashlib
import os
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from http.client import HTTPException
from pathlib import Path

from lear.errors import DataError, UsageError
from lear.storage.atomic_file import new_folders, whole_file
from lear.storage.data_file import DataFile

CHUNK = 1 << 16
TIMEOUT_SECONDS = 30


def can_fetch(file: DataFile) -> bool:
    """Whether a file can be downloaded, from its own address or from a mirror."""
    return file.has_address or bool(os.environ.get("LEAR_MIRROR") and file.sha256)


def source_url(file: DataFile) -> str:
    """The address to download from: below LEAR_MIRROR if it is set, else the authors' address."""
    mirror = os.environ.get("LEAR_MIRROR")
    return f"{mirror.rstrip('/')}/{file.path}" if mirror else file.url


def download(file: DataFile, root: Path, advance: Callable[[int], None]) -> Path:
    """Download a file into a data folder; on failure all is left as it was."""
    target = root / file.path
    url = source_url(file)
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
    """The body of a URL; network errors are raised as `DataError`, not as `OSError`."""
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
