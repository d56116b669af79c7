"""What a service is asked to do, and what it lets others ask."""

import os

import msgspec

from lear.answering.request import Limits

MAX_WORKERS = 64


def default_workers() -> int:
    """One for each processor; with one processor two, since one may be busy or dead."""
    return min(max(os.cpu_count() or 1, 2), MAX_WORKERS)


class RequestLimits(msgspec.Struct, frozen=True):
    """What one request may ask for; beyond it, it is refused before any work is done."""

    body_bytes: int = 1_000_000
    texts: int = 1_000
    """Sentences in one request."""
    tokens: int = Limits.tokens
    """Of one sentence, as the domain of its model makes them."""
    nbest: int = 20
    seconds: float = 20.0
    """For its answer, from when a worker begins with it."""
    sending_seconds: float = 10.0
    """For a client to send all of it, headers and body; and to take a part of its answer."""
    header_bytes: int = 32_768


class ServiceSettings(msgspec.Struct, frozen=True):
    """Where a service listens, whom it answers, and with how many processes."""

    models: tuple[str, ...]
    """Names or paths, or NAME=PATH."""
    domain_file: str | None = None
    """The file of the domain of models that are of one's own; it is run."""
    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    """Names in the header `Host` that are answered beside those of the address itself."""
    token: str | None = None
    """What clients must send, if anything."""
    logs_text: bool = False
    """Whether logs have the sentences that were asked."""
    workers: int = 2
    """Processes for short requests; as many again, halved, are for long ones."""
    waiting: int = 2_000
    """Requests that may wait for a worker."""
    connections: int = 1_000
    """Clients at a time."""
    limits: RequestLimits = RequestLimits()

    @property
    def long_workers(self) -> int:
        """Processes for long requests, which short ones never wait for."""
        return max(1, self.workers // 2)
