"""One process at a time in a folder: a lock that the system lets go when its holder ends."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lear.errors import DataError

LOCK_FILE = "lock"


def lock_folder(folder: Path) -> int | None:
    """A descriptor that holds a folder, also in children that inherit it; None if it is held."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        raise DataError(f"{folder}: cannot be written: {error.strerror}") from None
    is_held = False
    try:
        is_held = _is_free(descriptor)
    except OSError as error:  # such as no more locks, which is not that somebody has it
        raise DataError(f"{folder}: cannot be locked: {error.strerror}") from None
    finally:
        if not is_held:
            os.close(descriptor)
    return descriptor if is_held else None


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold a folder; raise `DataError` if another process does."""
    descriptor = lock_folder(folder)
    if descriptor is None:
        raise DataError(f"{folder}: another process is at work there")
    try:
        yield
    finally:
        os.close(descriptor)


def _is_free(descriptor: int) -> bool:
    try:
        import fcntl
    except ImportError:  # Windows
        return _is_free_on_windows(descriptor)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_free_on_windows(descriptor: int) -> bool:
    import importlib

    try:
        msvcrt = importlib.import_module("msvcrt")
    except ImportError:
        raise DataError("this system has no locks of files, so no two runs could be told") from None
    try:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
