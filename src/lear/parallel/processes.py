"""The same function in several processes of this machine; results come in order."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from lear.errors import DataError

T = TypeVar("T")
R = TypeVar("R")
Function = Callable[[T], R]
Make = Callable[[], Function[T, R]]
"""Makes the function in each process: what it holds, such as a parser, need not travel."""
ITEMS_PER_PROCESS = 2
"""Enough to keep a process busy while its last result is read, and no more."""

_make: Make[Any, Any] | None = None
_function: Function[Any, Any] | None = None
"""In a process of the pool: what makes its function, and the function."""


def in_processes(make: Make[T, R], items: Iterator[T], jobs: int) -> Iterator[R]:
    """The function of each item, in order; `items` may be endless, few are taken ahead.

    Args:
        make: Can be pickled; called once in each process.
        items: What to work on; can be pickled.
        jobs: How many processes.
    """
    with process_pool(make, jobs) as submit:
        pending: list[Future[R]] = []
        while True:
            room = ITEMS_PER_PROCESS * jobs - len(pending)
            pending += [submit(item) for item in islice(items, room)]
            if not pending:
                return
            yield pending.pop(0).result()


@contextmanager
def process_pool(make: Make[T, R], jobs: int) -> Iterator[Callable[[T], "Future[R]"]]:
    """What hands an item to a process; what is not begun when the block ends is not done."""
    # A forked process could inherit a lock that another thread holds: begin with new ones.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (make,))
    try:
        yield lambda item: pool.submit(_run, item)
    except BrokenProcessPool:
        raise DataError(
            "a process that did part of the work was killed (is memory short?); nothing of its "
            "part was kept"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(make: Make[Any, Any]) -> None:
    global _make
    _make = make
    # Ctrl-C at a terminal reaches every process; it is the first one that says what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Nobody would ever ask this process for anything again."""
    parent = parent_process()
    assert parent is not None  # this is a process of a pool
    parent.join()
    os._exit(1)


def _run(item: Any) -> Any:
    global _function
    if _function is None:  # not when the process begins: here errors have a way to the user
        assert _make is not None  # set when the process began
        _function = _make()
    return _function(item)
