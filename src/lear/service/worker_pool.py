"""Parsing off the event loop: requests wait in lanes, and workers take them from there.

Short requests have a lane of their own, so that they never wait for long ones. A free worker takes
all that waits, up to a bound, and parses it as one batch: nobody waits for a batch to fill up. What
takes too long in the short lane begins again in the long one, by itself; what takes too long there
is given up, and its worker is ended and replaced. A request whose worker died is tried once more.
"""

import asyncio
import contextlib
import socket
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from lear.errors import LearError
from lear.service.api_error import ApiError
from lear.service.frames import Job, Reply, frame, receive_soon
from lear.service.metrics import Metrics
from lear.service.nursery_client import Nursery
from lear.service.service_log import ServiceLog
from lear.service.settings import ServiceSettings

MAX_BATCH = 16
"""Requests that a worker is given at once."""
PATIENCE = 5.0
"""Seconds that a short request may take before it is taken for a long one."""
MAX_BUFFERED = 2**22
"""Bytes of answers that may wait to be looked at."""
RETRY_PAUSE = 0.1
"""Seconds until a request is tried again."""
PAUSE = 1.0
"""Seconds until another worker is asked for where none could be made."""


@dataclass(eq=False)
class Waiting:
    """A request on its way through the pool."""

    job: Job
    answer: asyncio.Future[Reply]
    has_begun: bool = False
    is_alone: bool = False
    """Whether it is to be worked on by itself, since it may be to blame for something."""
    is_retried: bool = False

    def settle(self, result: Reply | ApiError) -> None:
        """Tell whoever asked, unless he has gone."""
        if not self.answer.done():
            if isinstance(result, ApiError):
                self.answer.set_exception(result)
            else:
                self.answer.set_result(result)


@dataclass(eq=False)
class Lane:
    """Requests that wait for the workers of one kind."""

    num_workers: int
    is_nice: bool
    queue: deque[Waiting] = field(default_factory=deque)
    filled: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, waiting: Waiting) -> None:
        """Let a request wait."""
        self.queue.append(waiting)
        self.filled.set()

    async def take(self, worker: "Worker") -> list[Waiting]:
        """The next requests for a worker to work on together; none if it has died meanwhile."""
        batch: list[Waiting] = []
        while not batch:
            while not self.queue and not worker.is_dead:
                self.filled.clear()
                await self.filled.wait()
            if worker.is_dead:
                break
            while self.queue and len(batch) < MAX_BATCH:
                if batch and (batch[0].is_alone or self.queue[0].is_alone):
                    break
                waiting = self.queue.popleft()
                if not waiting.answer.done():  # else nobody waits for it any more
                    waiting.has_begun = True
                    batch.append(waiting)
        return batch


class _WatchedReader(asyncio.StreamReader):
    """Tells at once when the other side has gone, also while nobody reads."""

    def __init__(self, on_end: Callable[[], None]) -> None:
        super().__init__(limit=MAX_BUFFERED)
        self._on_end = on_end

    def feed_eof(self) -> None:
        super().feed_eof()
        self._on_end()


class Worker:
    """A process that answers, as the service sees it."""

    def __init__(self, process: int, lane: Lane) -> None:
        self.process = process
        self.lane = lane
        self.is_dead = False

    async def connect(self, connection: socket.socket) -> None:
        """Use a connection, at whose other end it is."""
        loop = asyncio.get_running_loop()
        self._reader = _WatchedReader(self._has_died)
        protocol = asyncio.StreamReaderProtocol(self._reader)
        self._transport, _ = await loop.create_connection(lambda: protocol, sock=connection)

    def _has_died(self) -> None:
        self.is_dead = True
        self.lane.filled.set()  # whoever waits for work on its behalf need not any more

    async def answers(self, batch: dict[int, Waiting], seconds: float) -> None:
        """Let it answer a batch, from which is removed what is answered; it may die over it.

        Raises `TimeoutError` where no answer comes for so many seconds.
        """
        decoder = msgspec.msgpack.Decoder(list[Reply])
        self._transport.write(frame([waiting.job for waiting in batch.values()]))
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(seconds) as limit:
            while batch and (content := await receive_soon(self._reader)) is not None:
                for reply in decoder.decode(content):
                    batch.pop(reply.number).settle(reply)
                limit.reschedule(loop.time() + seconds)

    def close(self) -> None:
        """Leave it; it ends then."""
        self._transport.close()


class WorkerPool:
    """Workers, kept alive, and the requests that wait for them."""

    def __init__(
        self, nursery: Nursery, settings: ServiceSettings, metrics: Metrics, log: ServiceLog
    ) -> None:
        self.nursery = nursery
        self.settings = settings
        self.metrics = metrics
        self.log = log
        self.short = Lane(settings.workers, is_nice=False)
        self.long = Lane(settings.long_workers, is_nice=True)
        self.workers: set[Worker] = set()
        self.trouble: str | None = None
        """Why no worker can be made at present."""
        self._has_worker = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._number = 0

    async def start(self) -> None:
        """Begin to work; the first worker is there then."""
        for lane in (self.short, self.long):
            for _ in range(lane.num_workers):
                self._tasks.append(asyncio.create_task(self._keep_worker(lane)))
        await self._has_worker.wait()

    @property
    def can_answer(self) -> bool:
        """Whether somebody is there for ordinary requests."""
        return any(worker.lane is self.short for worker in self.workers)

    @property
    def num_waiting(self) -> int:
        """Requests that no worker has begun with."""
        return len(self.short.queue) + len(self.long.queue)

    def next_number(self) -> int:
        """A number for a job."""
        self._number += 1
        return self._number

    async def answer(self, job: Job, *, is_long: bool) -> Reply:
        """What comes of a job; raises `ApiError` where nothing does."""
        if self.num_waiting >= self.settings.waiting:
            raise ApiError("overloaded", "too many requests are waiting; try again later")
        loop = asyncio.get_running_loop()
        waiting = Waiting(job, loop.create_future())
        timer = loop.call_later(self.settings.limits.seconds, self._has_waited, waiting)
        (self.long if is_long else self.short).put(waiting)
        try:
            return await waiting.answer
        finally:
            timer.cancel()

    def _has_waited(self, waiting: Waiting) -> None:
        """Give up on a request that no worker has begun with in time."""
        if not waiting.has_begun:
            waiting.settle(ApiError("overloaded", "no worker was free in time; try again later"))

    async def _keep_worker(self, lane: Lane) -> None:
        """One worker after the other, each until it dies."""
        while True:
            try:
                process, connection = await self.nursery.make_worker(is_nice=lane.is_nice)
            except (LearError, OSError) as error:
                self._tell(str(error))
                await asyncio.sleep(PAUSE)
                continue
            self._tell(None)
            worker = Worker(process, lane)
            await worker.connect(connection)
            self.workers.add(worker)
            self._has_worker.set()
            try:
                await self._feed(worker, lane)
            finally:
                self.workers.discard(worker)
                worker.close()
            self.metrics.workers_replaced += 1
            self.log.write("worker_replaced", process=process)

    def _tell(self, trouble: str | None) -> None:
        """Log why no worker can be made, once, however often that is tried."""
        if trouble is not None and trouble != self.trouble:
            self.log.write("no_worker", reason=trouble)
        self.trouble = trouble

    async def _feed(self, worker: Worker, lane: Lane) -> None:
        """Give a worker one batch after the other, until it dies or has to be ended."""
        seconds = self.settings.limits.seconds
        while True:
            batch = {waiting.job.number: waiting for waiting in await lane.take(worker)}
            if not batch:
                return
            self.metrics.batch_sizes.observe(len(batch))
            patience = seconds if lane is self.long else min(seconds, PATIENCE)
            try:
                await worker.answers(batch, patience)
            except TimeoutError:
                self.nursery.kill_worker(worker.process)
                self._time_is_up(batch, lane)
                return
            if batch:
                self._died(batch, lane)
                return

    def _time_is_up(self, batch: dict[int, Waiting], lane: Lane) -> None:
        for waiting in batch.values():
            if lane is self.long and len(batch) == 1:
                seconds = self.settings.limits.seconds
                waiting.settle(ApiError("time_limit", f"no answer within {seconds:g} seconds"))
            else:
                self._try_again(waiting, self.long)

    def _died(self, batch: dict[int, Waiting], lane: Lane) -> None:
        for waiting in batch.values():
            if waiting.is_retried:
                waiting.settle(ApiError("worker_died", "two workers died over this request"))
            else:
                waiting.is_retried = True
                self._try_again(waiting, lane)

    def _try_again(self, waiting: Waiting, lane: Lane) -> None:
        waiting.is_alone, waiting.has_begun = True, False
        loop = asyncio.get_running_loop()
        # Somebody may be killing several workers: the next one must not be one of these.
        loop.call_later(RETRY_PAUSE, lane.put, waiting)
        loop.call_later(self.settings.limits.seconds, self._has_waited, waiting)

    async def close(self) -> None:
        """End all workers; what they work on is lost."""
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.nursery.close()
