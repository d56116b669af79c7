"""The service's side of the nursery: it is started, asked for workers, and started again."""

import asyncio
import os
import socket
import subprocess
import sys
from pathlib import Path

import msgspec

import lear
from lear.errors import DataError, LearError, UsageError
from lear.service.api import ModelCard
from lear.service.frames import frame, receive_soon
from lear.service.models import NamedModel
from lear.service.nursery_messages import (
    Born,
    KillWorker,
    Loaded,
    LoadModels,
    MakeWorker,
    NotLoaded,
    Order,
    Report,
)

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Workers are the parallel part; threads of matrix products would only be in each other's way."""

RELOAD_PAUSE = 5.0
"""Seconds until models that could not be loaded again are tried once more."""


class Nursery:
    """A process that has loaded the models, and makes workers of itself."""

    def __init__(
        self, models: tuple[NamedModel, ...], max_tokens: int, domain_file: str | None
    ) -> None:
        self._wanted = LoadModels(models, max_tokens, domain_file)
        self._process: subprocess.Popen[bytes] | None = None
        self._turn = asyncio.Lock()
        self._failure: LearError | None = None
        self._failed_at = 0.0
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    def launch(self) -> None:
        """Start the process; it loads the models meanwhile."""
        ours, theirs = socket.socketpair()
        # It finds what this process finds, and nothing in the folder that it happens to be in.
        package = str(Path(lear.__file__).parent.parent)
        paths = os.pathsep.join([*filter(None, sys.path), package])
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "lear.service.nursery", str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=ONE_THREAD | os.environ | {"PYTHONPATH": paths},
            )
        ours.sendall(frame(self._wanted))
        self._connection = ours
        self._reader = self._writer = None

    async def loaded(self) -> tuple[ModelCard, ...]:
        """The models, as soon as they are loaded; raises why they are not."""
        async with self._turn:
            return await self._loaded()

    async def _begin_anew(self) -> None:
        """Load the same models again; what is no longer there is not tried all the time."""
        now = asyncio.get_running_loop().time()
        if self._failure is not None and now < self._failed_at + RELOAD_PAUSE:
            raise self._failure.with_traceback(None)
        self.close()
        self.launch()
        try:
            await self._loaded()
        except LearError as error:
            self._failure, self._failed_at = error, now
            self.close()
            raise
        self._failure = None

    async def _loaded(self) -> tuple[ModelCard, ...]:
        self._reader, self._writer = await asyncio.open_connection(sock=self._connection)
        report = await self._report()
        if isinstance(report, NotLoaded):
            kind: type[LearError] = UsageError if report.is_usage else DataError
            raise kind(report.reason)
        if not isinstance(report, Loaded):
            raise DataError("the process that loads the models has ended")
        # Whoever loads them again has to find the same: one name never means two models.
        self._wanted = msgspec.structs.replace(self._wanted, digests=report.digests)
        return report.cards

    async def make_worker(self, *, is_nice: bool) -> tuple[int, socket.socket]:
        """The process and the connection of a new worker; a nursery that has ended begins anew."""
        async with self._turn:
            if self._process is None or self._process.poll() is not None:
                await self._begin_anew()
            ours, theirs = socket.socketpair()
            with theirs:
                self._order(MakeWorker(is_nice), theirs)
                report = await self._report()
            if not isinstance(report, Born):
                ours.close()
                raise DataError("the process that makes workers has ended")
            return report.process, ours

    def kill_worker(self, process: int) -> None:
        """End a worker at once."""
        self._order(KillWorker(process))

    def _order(self, order: Order, passed: socket.socket | None = None) -> None:
        descriptors = [] if passed is None else [passed.fileno()]
        try:
            socket.send_fds(self._connection, [frame(order)], descriptors)
        except OSError:  # it has ended: whoever waits for its report is told so
            return

    async def _report(self) -> Report | None:
        assert self._reader is not None  # connected before
        content = await receive_soon(self._reader)
        return None if content is None else msgspec.msgpack.decode(content, type=Report)

    def close(self) -> None:
        """Let the process end; it does as soon as nobody is there to ask it."""
        if self._writer is not None:
            self._writer.close()
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.wait()
            self._process = None
