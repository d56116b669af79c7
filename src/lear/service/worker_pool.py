"""Parsing off the event loop: requests wait in lanes, and workers take them from there.

Short requests have a lane of their own, so that they never wait for long ones. A free worker takes
all that waits, up to a bound, and parses it as one batch: nobody waits for a batch to fill up. Of a
request of many sentences it gets a slice at a time; the next one goes to the end of the lane. What
takes too long in the short lane begins again in the long one, by itself; what takes too long there
is given up, and its worker is ended and replaced. A request whose worker died is tried once more.
"""

import asyncio
import contextlib
import socket
from collections.abc import Callable

import msgspec

from lear.errors import LearError
from lear.service.api import ApiError
from lear.service.frames import Job, LexiconJob, ParseJob, Reply, frame, receive_soon
from lear.service.lanes import Lane, Waiting
from lear.service.nursery_client import Nursery
from lear.service.observing import Metrics, ServiceLog
from lear.service.settings import ServiceSettings
from lear.service.slices import joined, slices

PATIENCE = 5.0
"""Seconds that a short request may take before it is taken for a long one."""
MAX_BUFFERED = 2**22
"""Bytes of answers that may wait to be looked at."""
RETRY_PAUSE = 0.1
"""Seconds until a request is tried again."""
PAUSE = 1.0
"""Seconds until another worker is asked for where none could be made."""


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
        self._transport.write(frame([waiting.slice.job for waiting in batch.values()]))
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

    async def answer(self, job: Job) -> Reply:
        """What comes of a job; raises `ApiError` where nothing does."""
        if self.num_waiting >= self.settings.waiting:
            raise ApiError("overloaded", "too many requests are waiting; try again later")
        limits = self.settings.limits
        parts, is_long = slices(job, limits.tokens)
        lane = self.long if is_long else self.short
        loop = asyncio.get_running_loop()
        deadline: float | None = None
        replies: list[Reply] = []
        for part in parts:  # one after the other: whoever asks for less gets in between
            waiting = Waiting(part, loop.create_future(), deadline)
            lane.put(waiting)
            self._give_up_in_time(waiting)
            reply = await waiting.answer
            if reply.status != 200:
                return reply
            if deadline is None and waiting.begun is not None:
                deadline = waiting.begun + limits.seconds
            if isinstance(part.job, ParseJob | LexiconJob):
                replies.append(reply)
        return joined(replies)

    def _give_up_in_time(self, waiting: Waiting) -> None:
        """Give up on a request that no worker has begun with in time."""
        loop = asyncio.get_running_loop()
        if waiting.deadline is None:
            end = loop.time() + self.settings.limits.seconds
            error = ApiError("overloaded", "no worker was free in time; try again later")
        else:
            end, error = waiting.deadline, self._time_limit()

        def give_up() -> None:
            if waiting.begun is None:
                waiting.settle(error)

        timer = loop.call_at(end, give_up)
        waiting.answer.add_done_callback(lambda _: timer.cancel())

    def _time_limit(self) -> ApiError:
        return ApiError("time_limit", f"no answer within {self.settings.limits.seconds:g} seconds")

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
            batch = {waiting.slice.job.number: waiting for waiting in await lane.take(worker)}
            if not batch:
                return
            self.metrics.batch_sizes.observe(len(batch))
            patience = seconds if lane is self.long else min(seconds, PATIENCE)
            now = asyncio.get_running_loop().time()
            ends = [waiting.deadline for waiting in batch.values() if waiting.deadline is not None]
            try:
                await worker.answers(batch, min([patience, *(end - now for end in ends)]))
            except TimeoutError:
                self.nursery.kill_worker(worker.process)
                self._time_is_up(batch, lane)
                return
            if batch:
                self._died(batch, lane)
                return

    def _time_is_up(self, batch: dict[int, Waiting], lane: Lane) -> None:
        now = asyncio.get_running_loop().time()
        for waiting in batch.values():
            is_late = waiting.deadline is not None and waiting.deadline <= now
            if is_late or (lane is self.long and len(batch) == 1):
                waiting.settle(self._time_limit())
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
        waiting.is_alone, waiting.begun = True, None
        loop = asyncio.get_running_loop()
        # Somebody may be killing several workers: the next one must not be one of these.
        loop.call_later(RETRY_PAUSE, lane.put, waiting)
        self._give_up_in_time(waiting)

    async def close(self) -> None:
        """End all workers; what they work on is lost."""
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self.nursery.close()
