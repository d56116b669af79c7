"""The collector, paused in code that makes many objects and no cycles; free memory, given back."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Do without the collector for a while: looking for cycles would take half of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def give_memory_back() -> None:
    """Give memory that is free back to the system, after much of it was let go.

    C libraries keep it in the gaps between what is still used; only glibc can be told not to.
    """
    import ctypes  # seldom needed

    with suppress(OSError, TypeError, AttributeError):  # another system, or another C library
        ctypes.CDLL(None).malloc_trim(0)
