"""Messages between the processes of a service: a length, and msgpack that is checked."""

import asyncio
import socket
from typing import Any, TypeVar

import msgspec

from lear.grammar.unknown_words import UnknownWords
from lear.service.observing import Mistake

HEADER_BYTES = 4
T = TypeVar("T")
_encoder = msgspec.msgpack.Encoder()


class ParseJob(msgspec.Struct, frozen=True, array_like=True, tag="parse"):
    """Sentences to be parsed, as a worker is asked."""

    number: int
    model: str
    texts: list[str]
    nbest: int
    execute: bool
    unknown_words: UnknownWords
    min_probability: float
    derivation: bool
    first: int = 0
    """The place of the first text among all those of the request."""


class SizeJob(msgspec.Struct, frozen=True, array_like=True, tag="size"):
    """Sentences whose tokens are to be counted before any sentence of their request is parsed."""

    number: int
    model: str
    texts: list[tuple[int, str]]
    """Each with its place."""


class LexiconJob(msgspec.Struct, frozen=True, array_like=True, tag="lexicon"):
    """A word to be looked up."""

    number: int
    model: str
    word: str


Job = ParseJob | SizeJob | LexiconJob


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """What came of a job: a body that the client gets as it is."""

    number: int
    status: int
    body: bytes
    mistake: Mistake | None = None
    """What is logged of it, if it is the answer to a mistake of ours."""


def frame(message: Any) -> bytes:
    """A message as bytes."""
    content = _encoder.encode(message)
    return len(content).to_bytes(HEADER_BYTES, "big") + content


def receive(connection: socket.socket) -> bytes | None:
    """The next message; None where the other side has gone."""
    header = _exactly(connection, HEADER_BYTES)
    return None if header is None else _exactly(connection, int.from_bytes(header, "big"))


def _exactly(connection: socket.socket, size: int) -> bytes | None:
    content = bytearray()
    while len(content) < size:
        try:
            part = connection.recv(size - len(content))
        except ConnectionError:
            return None
        if not part:
            return None
        content += part
    return bytes(content)


async def receive_soon(reader: asyncio.StreamReader) -> bytes | None:
    """The same without waiting for it."""
    try:
        header = await reader.readexactly(HEADER_BYTES)
        return await reader.readexactly(int.from_bytes(header, "big"))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
