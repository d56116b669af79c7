"""What a service is asked to do, and what it lets clients ask."""

import os

import msgspec

from lear.answering.request import Limits

MAX_WORKERS = 64


def default_workers() -> int:
    """Return one for each processor; with one processor two, since one may be busy or dead."""
    return min(max(os.cpu_count() or 1, 2), MAX_WORKERS)


class RequestLimits(msgspec.Struct, frozen=True):
    """What one request may ask for; beyond it, it is refused."""

    body_bytes: int = 1_000_000
    texts: int = 1_000
    """Sentences in one request."""
    tokens: int = Limits.tokens
    """Tokens of one sentence, as the domain of its model makes them."""
    nbest: int = 20
    seconds: float = 20.0
    """Seconds for an answer, from when all of the request has arrived."""
    sending_seconds: float = 10.0
    """Seconds for a client to send the body of a request."""
    header_bytes: int = 32_768


class ServiceSettings(msgspec.Struct, frozen=True):
    """Where a service listens, whom it answers, and with how many processes."""

    models: tuple[str, ...]
    """Names or paths, or NAME=PATH."""
    domain_file: str | None = None
    """The file of the domain of the user's own models; it is run."""
    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: tuple[str, ...] = ()
    """Names in the header `Host` that are answered beside those of the address itself."""
    token: str | None = None
    """What clients must send, if anything."""
    logs_text: bool = False
    """True if logs have the sentences that were asked."""
    workers: int = 2
    """Processes for short requests; half as many again are for long ones."""
    waiting: int = 2_000
    """Requests that may wait for a worker."""
    connections: int = 1_000
    """Connections at a time."""
    limits: RequestLimits = RequestLimits()

    @property
    def long_workers(self) -> int:
        """Processes for long requests, which short ones never wait for."""
        return max(1, self.workers // 2)
