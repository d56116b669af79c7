"""HTTP as uvicorn speaks it, for clients that are slow, greedy or broken.

A request, headers and body, has to arrive within some seconds; headers have a bound on their size;
who takes nothing of an answer for as long is sent away; and there is a bound on connections.
Uvicorn itself waits for ever, and its errors are not JSON.

A service at work: from its start to the end that a signal asks for.

Running a service: its socket, its processes, its end.
"""

import asyncio
import contextlib
import logging
import signal
import socket
import struct
import sys
from asyncio import TimerHandle
from collections.abc import Generator
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from lear.errors import DataError, LearError
from lear.service.api import ApiError
from lear.service.app import ServiceState, make_app
from lear.service.models import named_models
from lear.service.nursery_client import Nursery
from lear.service.observing import Metrics, ServiceLog
from lear.service.settings import ServiceSettings
from lear.service.worker_pool import WorkerPool
from lear.storage.datasets import find_model

MIN_TAKEN = 65_536
"""Bytes that a client has to take of what waits for it, in the time that it has to send."""
AT_ONCE = struct.pack("ii", 1, 0)
"""For `SO_LINGER`: the system, too, forgets what was not taken."""


class StrictProtocol(HttpToolsProtocol):
    """One connection. `strict_protocol` makes a class of it for the limits of a service."""

    settings: ServiceSettings
    _deadline: TimerHandle | None = None
    _is_in_headers = True
    _header_bytes = 0
    _taking: TimerHandle | None = None
    _left = 0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; the first request has to come soon."""
        super().connection_made(transport)
        if len(self.connections) > self.settings.connections:
            self._refuse(ApiError("overloaded", "too many connections; try again later"))
            return
        self._begin()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._arrived()
        self._is_taken()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, unless there is no end to it."""
        if self.transport.is_closing():
            return
        super().data_received(data)
        if self._is_in_headers:
            self._header_bytes += len(data)
            most = self.settings.limits.header_bytes
            if self._header_bytes > most and not self.transport.is_closing():
                message = f"the headers have more than {most:,} bytes"
                self._refuse(ApiError("headers_too_large", message))

    def on_message_begin(self) -> None:
        """A request begins."""
        super().on_message_begin()
        self._begin()

    def on_headers_complete(self) -> None:
        """Its headers are there."""
        self._is_in_headers = False
        self._header_bytes = 0
        if self.parser.should_upgrade() and not self._is_http_enough():
            message = "this service speaks HTTP/1.1 only: leave out the header Upgrade"
            self._refuse(ApiError("bad_request", message))
            return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A part of it is there."""
        if not self.transport.is_closing():
            super().on_body(body)

    def on_message_complete(self) -> None:
        """All of it is there."""
        self._arrived()
        if not self.transport.is_closing():
            super().on_message_complete()

    def _is_http_enough(self) -> bool:
        """Whether an answer is of use all the same: HTTP/2 is but offered. Bodies are not read."""
        return dict(self.headers).get(b"upgrade") == b"h2c" and self.parser.get_method() == b"GET"

    def _unsupported_upgrade_warning(self) -> None:
        """Say nothing: other protocols are refused, or not taken notice of, as HTTP has it."""

    def pause_writing(self) -> None:
        """There is more to be taken than fits: see whether it is."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """It was."""
        super().resume_writing()
        self._is_taken()

    def timeout_keep_alive_handler(self) -> None:
        """Nothing is asked any more."""
        super().timeout_keep_alive_handler()
        self._watch()

    def shutdown(self) -> None:
        """End as soon as what is under way is answered."""
        super().shutdown()
        self._watch()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP."""
        self._refuse(ApiError("bad_request", msg))

    def _begin(self) -> None:
        self._is_in_headers = True
        if self._deadline is None:
            seconds = self.settings.limits.sending_seconds
            self._deadline = self.loop.call_later(seconds, self._is_too_slow)

    def _arrived(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _is_too_slow(self) -> None:
        self._deadline = None
        seconds = self.settings.limits.sending_seconds
        self._refuse(ApiError("slow_client", f"the request did not arrive in {seconds:g} seconds"))

    def _watch(self) -> None:
        """Look, after a while, whether the client takes what is sent."""
        if self._taking is None:
            self._left = self.transport.get_write_buffer_size()
            seconds = self.settings.limits.sending_seconds
            self._taking = self.loop.call_later(seconds, self._look)

    def _look(self) -> None:
        self._taking = None
        left = self.transport.get_write_buffer_size()
        if left and self._left - left < MIN_TAKEN:
            self.logger.warning("A client that did not take its answer was sent away.")
            connection = self.transport.get_extra_info("socket")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
            self.transport.abort()
        elif left:
            self._watch()

    def _is_taken(self) -> None:
        if self._taking is not None:
            self._taking.cancel()
            self._taking = None

    def _refuse(self, error: ApiError) -> None:
        """Answer with an error, unless an answer has begun, and close the connection."""
        self._arrived()
        is_answering = self.cycle is not None and self.cycle.response_started
        if not is_answering:
            self.transport.write(
                STATUS_LINE[error.status]
                + b"content-type: application/json\r\nconnection: close\r\n"
                + b"content-length: %d\r\n\r\n" % len(error.body)
                + error.body
            )
        self.transport.close()
        self._watch()


def strict_protocol(service_settings: ServiceSettings) -> type[StrictProtocol]:
    """A protocol that keeps to the limits of a service."""
    fields: dict[str, Any] = {"settings": service_settings}
    return type("LimitedProtocol", (StrictProtocol,), fields)


IDLE_SECONDS = 75
"""How long a connection may stay open between two requests."""
BACKLOG = 1024


class _Server(uvicorn.Server):
    """Uvicorn's server, which leaves signals to us: an end that was asked for is no failure."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    @contextlib.contextmanager
    def stopped_by_signals(self) -> Generator[None, None, None]:
        """Let signals ask for the end, until all is closed: the second time at once."""
        loop = asyncio.get_running_loop()
        numbers = (signal.SIGINT, signal.SIGTERM)
        for number in numbers:
            loop.add_signal_handler(number, self._stop)
        try:
            yield
        finally:  # even a loop that is closed would go on swallowing them
            for number in numbers:
                loop.remove_signal_handler(number)

    def _stop(self) -> None:
        self.force_exit = self.should_exit
        self.should_exit = True


class _UvicornLog(logging.Handler):
    """Uvicorn's warnings in our log, without details: they may quote a client."""

    def __init__(self, log: ServiceLog) -> None:
        super().__init__(logging.WARNING)
        self.log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write one."""
        self.log.write("http", level=record.levelname.lower(), message=str(record.msg))


def run(settings: ServiceSettings, nursery: Nursery, listener: socket.socket) -> None:
    """Serve until a signal comes; raises why the models could not be loaded."""
    log = ServiceLog()
    logger = logging.getLogger("uvicorn.error")
    logger.handlers, logger.propagate = [_UvicornLog(log)], False
    metrics = Metrics()
    try:
        with asyncio.Runner(loop_factory=_loop_factory()) as runner:
            runner.run(_serve(settings, nursery, listener, metrics, log))
    finally:
        log.close()


def _loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on every system
        return None
    return uvloop.Loop


async def _serve(
    settings: ServiceSettings,
    nursery: Nursery,
    listener: socket.socket,
    metrics: Metrics,
    log: ServiceLog,
) -> None:
    pool = WorkerPool(nursery, settings, metrics, log)
    state = ServiceState(settings, pool, metrics, log)
    server = _Server(
        uvicorn.Config(
            make_app(state),
            http=strict_protocol(settings),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            backlog=BACKLOG,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=int(2 * settings.limits.seconds) + 2,
        )
    )
    loading = asyncio.create_task(_become_ready(state, nursery, listener, server))
    with server.stopped_by_signals():
        try:
            await server.serve(sockets=[listener])
            if loading.done():
                loading.result()
        finally:
            loading.cancel()
            await pool.close()


async def _become_ready(
    state: ServiceState, nursery: Nursery, listener: socket.socket, server: _Server
) -> None:
    """Load the models, start the workers, and say where the service is."""
    address = _address(listener)
    try:
        cards = await nursery.loaded()
        await state.pool.start()
    except LearError:
        server.should_exit = True
        raise
    state.cards = {card.name: card for card in cards}
    sys.stdout.write(f"serving {', '.join(state.cards)} at {address}\n")
    sys.stdout.flush()
    state.log.write("ready", address=address, models=list(state.cards))


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"


def serve(settings: ServiceSettings) -> None:
    """Serve until somebody asks for an end; then answer what is under way, and return."""
    models = named_models(settings.models)
    for model in models:
        find_model(model.source)  # what does not exist is said at once
    with bound_socket(settings.host, settings.port) as listener:
        nursery = Nursery(models, settings.limits.tokens, settings.domain_file)
        nursery.launch()
        try:
            # Imported while the models are being loaded by the other process.

            run(settings, nursery, listener)
        finally:
            nursery.close()


def bound_socket(host: str, port: int) -> socket.socket:
    """A socket that listens nowhere yet; raises `DataError` if the address cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    except OSError as error:
        raise DataError(f"{host}: no such address: {error.strerror}") from None
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise DataError(f"cannot listen on {host}, port {port}: {error.strerror}") from None
    return listener
