"""The process that loads the models, once, and forks workers that share them.

It has one thread and no event loop, so that forking is safe at any time. A worker is there within
milliseconds, whatever has become of the model files since, and shares the memory of the models.
The service asks over a socket; with the request for a worker comes the worker's own socket.
"""

import gc
import os
import select
import signal
import socket
import sys
from collections.abc import Mapping

import msgspec

from lear.domains.registry import load_domain
from lear.errors import DataError, LearError, UsageError
from lear.memory import give_memory_back
from lear.parser import Parser
from lear.service.frames import HEADER_BYTES, frame, receive
from lear.service.models import file_digests, load_models, model_card
from lear.service.nursery_messages import (
    Born,
    KillWorker,
    Loaded,
    LoadModels,
    NotLoaded,
    Order,
    Report,
)
from lear.service.worker import ignore_signals, work


def main(descriptor: int) -> None:
    """Load models as told over a socket, then make workers until the other side goes."""
    ignore_signals()
    connection = socket.socket(fileno=descriptor)
    content = receive(connection)
    if content is None:
        return
    wanted = msgspec.msgpack.decode(content, type=LoadModels)
    try:
        parsers, digests = _load(wanted)
    except LearError as error:
        report: Report = NotLoaded(str(error), isinstance(error, UsageError))
        connection.sendall(frame(report))
        return
    cards = tuple(model_card(name, parser) for name, parser in parsers.items())
    # What is loaded stays: the collector need not look at it, nor unshare it by doing so.
    give_memory_back()
    gc.collect()
    gc.freeze()
    connection.sendall(frame(Loaded(cards, digests)))
    _make_workers(connection, parsers)


def _load(wanted: LoadModels) -> tuple[dict[str, Parser], dict[str, str]]:
    """All models, and the digests of their files; raises if these have to be others."""
    digests = _digests(wanted, wanted.digests)
    if wanted.domain_file is not None:
        path, _, variable = wanted.domain_file.partition(":")
        load_domain(path, variable or None)
    parsers = load_models(wanted.models, wanted.max_tokens)
    _digests(wanted, digests)  # nobody has replaced a file meanwhile
    return parsers, digests


def _digests(wanted: LoadModels, expected: dict[str, str] | None) -> dict[str, str]:
    """The digests of the files of models; raises `DataError` unless they are as expected."""
    try:
        found = file_digests(wanted.models, wanted.domain_file)
    except LearError:
        if expected is None:
            raise
        raise DataError("a file of a model is gone since it was loaded; bring it back") from None
    for what, digest in found.items():
        if expected is not None and expected[what] != digest:
            raise DataError(
                f"{what}: its file is another one than the one that was loaded; bring that back, "
                "or start the service anew"
            )
    return found


def _make_workers(connection: socket.socket, parsers: Mapping[str, Parser]) -> None:
    alive: set[int] = set()
    while True:
        # Ended workers are reaped at least every second; until then their numbers are not reused.
        ready, _, _ = select.select([connection], [], [], 1.0)
        _reap(alive)
        if not ready:
            continue
        content, descriptors, _, _ = socket.recv_fds(connection, HEADER_BYTES, 1)
        if not content:
            return
        size = int.from_bytes(content, "big")
        order = msgspec.msgpack.decode(_rest(connection, size), type=Order)
        if isinstance(order, KillWorker):
            if order.process in alive:
                os.kill(order.process, signal.SIGKILL)
            continue
        child = os.fork()
        if child == 0:
            connection.close()
            _live(socket.socket(fileno=descriptors[0]), parsers, is_nice=order.is_nice)
        alive.add(child)
        os.close(descriptors[0])
        connection.sendall(frame(Born(child)))


def _rest(connection: socket.socket, size: int) -> bytes:
    content = b""
    while len(content) < size and (part := connection.recv(size - len(content))):
        content += part
    return content


def _live(connection: socket.socket, parsers: Mapping[str, Parser], *, is_nice: bool) -> None:
    """The life of a worker; it never returns to what its parent was doing."""
    code = 1
    try:
        work(connection, parsers, is_nice=is_nice)
        code = 0
    finally:
        os._exit(code)


def _reap(alive: set[int]) -> None:
    for process in list(alive):
        ended, _ = os.waitpid(process, os.WNOHANG)
        if ended:
            alive.discard(process)


if __name__ == "__main__":
    main(int(sys.argv[1]))
