"""Fetching a published file: into a temporary name, checked, then renamed."""

import os
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

from lear.data.files import DataFile, sha256_of
from lear.errors import DataError

CHUNK = 1 << 16
TIMEOUT_SECONDS = 30


def source_url(file: DataFile) -> str:
    """Where to fetch it: the authors' address, or LEAR_MIRROR, a base URL with the same layout."""
    mirror = os.environ.get("LEAR_MIRROR")
    return f"{mirror.rstrip('/')}/{file.path}" if mirror else file.url


def download(file: DataFile, root: Path, advance: Callable[[int], None]) -> Path:
    """Put a file below `root`, or raise `DataError` and leave the folder as it was."""
    target = root / file.path
    url = source_url(file)
    partial: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        partial = Path(name)
        with os.fdopen(handle, "wb") as out:
            _copy(url, out.write, advance, limit=file.size)
            out.flush()
            os.fsync(out.fileno())
        if sha256_of(partial) != file.sha256:
            raise DataError(f"{url}: wrong checksum; nothing was kept")
        partial.chmod(0o644)
        partial.replace(target)
    except urllib.error.HTTPError as error:
        raise DataError(f"{url}: the server answered {error.code} {error.reason}") from None
    except (urllib.error.URLError, HTTPException, TimeoutError, ConnectionError) as error:
        reason = getattr(error, "reason", error)
        raise DataError(
            f"{url}: no answer ({reason}); fetch it elsewhere, put it at {target}, "
            f"or set LEAR_DATA to a folder that holds {file.path}"
        ) from None
    except OSError as error:
        raise DataError(f"{target}: cannot be written: {error.strerror}") from None
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)
    return target


def _copy(
    url: str, write: Callable[[bytes], int], advance: Callable[[int], None], limit: int
) -> None:
    """Copy a URL's body; more than the published size is a wrong file, not a longer wait."""
    received = 0
    with urllib.request.urlopen(url, timeout=TIMEOUT_SECONDS) as response:
        while chunk := response.read(CHUNK):
            received += len(chunk)
            if received > limit:
                raise DataError(f"{url}: longer than the published {limit} bytes")
            write(chunk)
            advance(len(chunk))
    if received < limit:
        raise DataError(f"{url}: ended after {received} of {limit} bytes")
