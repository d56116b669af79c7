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
from lear.service.app import Service
from lear.service.models import named_models
from lear.service.observing import Metrics, ServiceLog
from lear.service.pool import ModelProcess, WorkerPool
from lear.service.settings import ServiceSettings
from lear.storage.datasets import find_model

IDLE_SECONDS = 75
"""How long a connection may stay open between two requests."""
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def serve(settings: ServiceSettings) -> None:
    """Serve until a signal asks for the end; then answer what is under way, and return.

    Raises `LearError` if the address cannot be had, or the models cannot be loaded.
    """
    models = named_models(settings.models)
    for model in models:
        find_model(model.source)  # what does not exist is said at once
    with listening_socket(settings.host, settings.port) as listener:
        # Workers are the parallel part: threads of matrix products would be in each other's way.
        for name in THREAD_LIMITS:
            os.environ.setdefault(name, "1")
        process = ModelProcess(models, settings.limits.tokens, settings.domain_file)
        process.launch()
        log = ServiceLog()
        logger = logging.getLogger("uvicorn.error")
        logger.handlers, logger.propagate = [log], False
        try:
            _run(settings, process, listener, log)
        finally:
            process.close()
            log.finish()


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address; raise `DataError` if it cannot be had."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        reason = error.strerror or error
        raise DataError(f"cannot listen on {host}, port {port}: {reason}") from None


def _run(
    settings: ServiceSettings, process: ModelProcess, listener: socket.socket, log: ServiceLog
) -> None:
    metrics = Metrics()
    pool = WorkerPool(process, settings, metrics, log)
    config = uvicorn.Config(
        Service(settings, pool, metrics, log),
        # Unlike httptools, it bounds the size of headers, at twice what is refused with a reason.
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=settings.connections,
        h11_max_incomplete_event_size=2 * settings.limits.header_bytes,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=int(settings.limits.seconds) + 2,
    )
    server = uvicorn.Server(config)
    with (
        _ended_by_signals(server),
        asyncio.Runner(loop_factory=config.get_loop_factory()) as runner,
    ):
        runner.run(_serve(server, pool, listener, log))


@contextlib.contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let signals ask for the end.

    Uvicorn does so only while it serves, and then raises the signal again; but an end that was
    asked for is no failure.
    """
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, server.handle_exit) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


async def _serve(
    server: uvicorn.Server, pool: WorkerPool, listener: socket.socket, log: ServiceLog
) -> None:
    loading = asyncio.create_task(_become_ready(server, pool, listener, log))
    try:
        await server.serve(sockets=[listener])
        if loading.done():
            loading.result()
    finally:
        loading.cancel()
        await pool.close()


async def _become_ready(
    server: uvicorn.Server, pool: WorkerPool, listener: socket.socket, log: ServiceLog
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
