"""The same function on the workers of a Dask cluster.

Dask sends Python's pickles between client, scheduler and workers: whoever reaches a scheduler can
run code on its workers, and a scheduler can run code here. So a cluster is trusted, or not used.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import TypeVar

import distributed

from lear.errors import DataError

T = TypeVar("T")
R = TypeVar("R")
CONNECT_SECONDS = 10
"""How long a scheduler may take to answer."""
WORKER_SECONDS = 60
"""How long its first worker may take to come."""
ITEMS_PER_THREAD = 2
"""Enough to keep workers busy; a scheduler need not know of a million items at once."""


@contextmanager
def connected(address: str) -> Iterator[distributed.Client]:
    """Yield a client of the scheduler at an address; raise `DataError` in one line without one."""
    logger = logging.getLogger("distributed")
    level = logger.level
    logger.setLevel(logging.CRITICAL)  # what matters of it is said in the one line
    try:
        with _client(address) as client:
            yield client
    except distributed.scheduler.KilledWorker as error:
        raise DataError(
            f"{address}: a task ended {error.allowed_failures + 1} workers one after the other (is "
            "their memory short?); give the same command again to go on"
        ) from None
    except (distributed.CancelledError, distributed.comm.core.CommClosedError):
        raise DataError(
            f"{address}: the scheduler went away; give the same command again to go on"
        ) from None
    finally:
        logger.setLevel(level)


@contextmanager
def _client(address: str) -> Iterator[distributed.Client]:
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{address}: no Dask scheduler answers there: {reason}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError:
            raise DataError(f"{address}: the scheduler has no workers") from None
        yield client


def on_cluster(
    client: distributed.Client, function: Callable[[T], R], items: Iterator[T]
) -> Iterator[R]:
    """Return what comes of each item, as it is done; the first error ends it.

    A worker that goes away has its items done by others, so `function` may meet an item twice.
    """
    under_way = distributed.as_completed(loop=client.loop, with_results=True)
    num_under_way = 0
    while True:
        room = max(2, ITEMS_PER_THREAD * sum(client.nthreads().values())) - num_under_way
        for item in islice(items, max(0, room)):
            under_way.add(client.submit(function, item, pure=False))
            num_under_way += 1
        if not num_under_way:
            return
        _, result = next(under_way)
        num_under_way -= 1
        yield result
