"""A worker: a process with all models that answers one batch of jobs after the other."""

import os
import signal
import socket
import time
from collections.abc import Iterator, Mapping

import msgspec

from lear.parser import Parser
from lear.service.answers import replies
from lear.service.frames import Job, Reply, frame, receive

HOLD_SECONDS = 0.003
"""How long a reply may wait for others to go with it."""
NICENESS = 5
"""Of workers for long requests: short ones come first where processors are scarce. With 10, long
ones got so little that they ran into the time limit."""


def work(connection: socket.socket, parsers: Mapping[str, Parser], *, is_nice: bool) -> None:
    """Answer what comes until the other side goes."""
    if is_nice:
        os.nice(NICENESS)
    decoder = msgspec.msgpack.Decoder(list[Job])
    while (content := receive(connection)) is not None:
        try:
            for some in _together(replies(decoder.decode(content), parsers)):
                connection.sendall(frame(some))
        except ConnectionError:
            return


def _together(all_replies: Iterator[Reply]) -> Iterator[list[Reply]]:
    """Replies, several at a time where they come quickly: each message costs the service time."""
    some: list[Reply] = []
    since = time.monotonic()
    for reply in all_replies:
        some.append(reply)
        if time.monotonic() - since > HOLD_SECONDS:
            yield some
            some, since = [], time.monotonic()
    if some:
        yield some


def ignore_signals() -> None:
    """Let the service alone decide when its processes end: it closes their connections."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
