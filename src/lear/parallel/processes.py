"""The same function in several processes of this machine; results come in order."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import cache
from itertools import islice
from multiprocessing import get_context, parent_process
from typing import Any, TypeVar

from lear.errors import DataError

T = TypeVar("T")
R = TypeVar("R")
Make = Callable[[], Callable[[T], R]]
"""Makes the function in each process: what it holds, such as a parser, need not travel."""
ITEMS_PER_PROCESS = 2
"""Enough to keep a process busy while its last result is read, and no more."""


def in_processes(make: Make[T, R], items: Iterator[T], jobs: int) -> Iterator[R]:
    """Return the function of each item, in order; `items` may be endless, few are taken ahead.

    Args:
        make: Is pickled, and called once in each process.
        items: What to work on; each is pickled.
        jobs: How many processes.
    """
    # A forked process could inherit a lock that another thread holds: begin with new ones.
    pool = ProcessPoolExecutor(jobs, get_context("spawn"), _begin, (make,))
    pending: list[Future[R]] = []
    try:
        while True:
            room = ITEMS_PER_PROCESS * jobs - len(pending)
            pending += [pool.submit(_run, item) for item in islice(items, room)]
            if not pending:
                return
            yield pending.pop(0).result()
    except BrokenProcessPool:
        raise DataError(
            "a process that did part of the work was killed (is memory short?); nothing of its "
            "part was kept"
        ) from None
    finally:
        pool.shutdown(cancel_futures=True)


_function: Callable[[], Callable[[Any], Any]]
"""Makes the function of this process when it is first asked for, and remembers it."""


def _begin(make: Make[Any, Any]) -> None:
    global _function
    # The function is not made here, since an error here would break the pool and say nothing.
    _function = cache(make)
    # Ctrl-C at a terminal reaches every process; it is the first one that says what follows.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait for the end of the parent: nobody would ever ask this process for anything again."""
    parent = parent_process()
    assert parent is not None  # this is a process of a pool
    parent.join()
    os._exit(1)


def _run(item: Any) -> Any:
    return _function()(item)
