"""Running a service: its socket, its processes, and the end that a signal asks for."""

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator

import uvicorn

from lear.errors import DataError, LearError
from lear.service.app import make_app
from lear.service.models import named_models
from lear.service.observing import Metrics, ServiceLog
from lear.service.pool import ModelProcess, WorkerPool
from lear.service.settings import ServiceSettings
from lear.storage.datasets import find_model

IDLE_SECONDS = 75
"""How long a connection may stay open between two requests."""
BACKLOG = 1024
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def serve(settings: ServiceSettings) -> None:
    """Serve until a signal asks for the end; then answer what is under way, and return.

    Raises `LearError` if the address cannot be had, or the models cannot be loaded.
    """
    models = named_models(settings.models)
    for model in models:
        find_model(model.source)  # what does not exist is said at once
    with bound_socket(settings.host, settings.port) as listener:
        # Workers are the parallel part: threads of matrix products would be in each other's way.
        for name in THREAD_LIMITS:
            os.environ.setdefault(name, "1")
        process = ModelProcess(models, settings.limits.tokens, settings.domain_file)
        process.launch()
        log = ServiceLog()
        logger = logging.getLogger("uvicorn.error")
        logger.handlers, logger.propagate = [log], False
        try:
            with asyncio.Runner(loop_factory=_loop_factory()) as runner:
                runner.run(_serve(settings, process, listener, log))
        finally:
            process.close()
            log.finish()


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that does not listen yet; raise `DataError` without the address."""
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


def _loop_factory() -> type[asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # not on every system
        return None
    return uvloop.Loop


class _Server(uvicorn.Server):
    """Uvicorn's server, for which an end that a signal asked for is no failure."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:  # type: ignore[override]
        """Leave signals to `stopped_by_signals`, which lasts until all is closed."""
        yield

    @contextlib.contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        """Let signals ask for the end; the second one ends it at once."""
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


async def _serve(
    settings: ServiceSettings, process: ModelProcess, listener: socket.socket, log: ServiceLog
) -> None:
    metrics = Metrics()
    pool = WorkerPool(process, settings, metrics, log)
    server = _Server(
        uvicorn.Config(
            make_app(settings, pool, metrics, log),
            http="h11",  # it bounds the size of headers
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            backlog=BACKLOG,
            limit_concurrency=settings.connections,
            h11_max_incomplete_event_size=settings.limits.header_bytes,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=int(settings.limits.seconds) + 2,
        )
    )
    loading = asyncio.create_task(_become_ready(pool, listener, server, log))
    with server.stopped_by_signals():
        try:
            await server.serve(sockets=[listener])
            if loading.done():
                loading.result()
        finally:
            loading.cancel()
            await pool.close()


async def _become_ready(
    pool: WorkerPool, listener: socket.socket, server: _Server, log: ServiceLog
) -> None:
    """Load the models, start the workers, and say where the service is."""
    try:
        await pool.start()
    except LearError:
        server.should_exit = True
        raise
    host, port = listener.getsockname()[:2]
    address = f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
    sys.stdout.write(f"serving {', '.join(pool.cards)} at {address}\n")
    sys.stdout.flush()
    log.write("ready", address=address, models=list(pool.cards))
