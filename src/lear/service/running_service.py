"""A service at work: from its start to the end that a signal asks for."""

import asyncio
import contextlib
import logging
import signal
import socket
import sys
from collections.abc import Generator

import uvicorn

from lear.errors import LearError
from lear.service.app import make_app
from lear.service.http_protocol import strict_protocol
from lear.service.metrics import Metrics
from lear.service.nursery_client import Nursery
from lear.service.service_log import ServiceLog
from lear.service.service_state import ServiceState
from lear.service.settings import ServiceSettings
from lear.service.worker_pool import WorkerPool

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
