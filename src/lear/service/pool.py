"""Parsing off the event loop: requests wait in two queues, and workers take them from there.

Short requests have workers of their own, so that they never wait for long ones. A free worker takes
all that waits, up to a bound, as one batch: nobody waits for a batch to fill up. A long request is
cut into pieces, and each goes to the end of the queue when the one before it is answered: so long
requests take turns. A worker that takes too long is killed and replaced, and one that died is
replaced; what it had begun is tried once more, alone.
"""

import asyncio
import contextlib
import os
import signal
import socket
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from string import punctuation

import msgspec

from lear.errors import DataError, LearError
from lear.service.api import ApiError, ModelCard
from lear.service.models import ModelsToLoad, NamedModel
from lear.service.observing import Metrics, ServiceLog
from lear.service.settings import ServiceSettings
from lear.service.workers import (
    HEADER_BYTES,
    Job,
    LoadReport,
    ParseJob,
    Reply,
    fork_workers,
    packed,
)

MAX_TEXTS = 16
MAX_WORDS = 320
"""The most that a piece of a request has, unless it is one sentence: 0.02 seconds of work with one
answer to each, 0.1 seconds with several. A batch has at most as many sentences."""
SHORT_WORDS = 80
"""The most words of a sentence that is answered among the short ones."""
SHORT_NBEST = 5
NICENESS = 5
"""How nice workers for long requests are: short ones come first where processors are scarce. With
10, long ones got so little that they ran into the time limit."""
PATIENCE = 5.0
"""Seconds that a short request may take before it is taken for a long one."""
RETRY_PAUSE = 0.1
"""Seconds until a request is tried again."""
FORK_PAUSE = 2.0
"""Seconds until another worker is asked for where none could be made."""
MAX_BUFFERED = 2**22
"""Bytes of answers that may wait to be looked at."""

_NO_PUNCTUATION = str.maketrans(dict.fromkeys(punctuation, " "))


def num_words(text: str) -> int:
    """Return about how many words a text has; quick, as it comes before any limit."""
    return len(text.translate(_NO_PUNCTUATION).split())


def pieces(job: Job) -> list[Job]:
    """Cut a request into pieces that do not hold up others for long."""
    if not isinstance(job, ParseJob):
        return [job]
    texts = job.asked.texts
    cuts, words = [0], 0
    for place, text in enumerate(texts):
        count = num_words(text)
        if place > cuts[-1] and (place - cuts[-1] == MAX_TEXTS or words + count > MAX_WORDS):
            cuts.append(place)
            words = 0
        words += count
    return [
        ParseJob(msgspec.structs.replace(job.asked, texts=texts[begin:end]), begin)
        for begin, end in zip(cuts, [*cuts[1:], len(texts)], strict=True)
    ]


def is_long(parts: Sequence[Job]) -> bool:
    """Return True if a request, cut into pieces, is for the workers of long ones."""
    (first, *others) = parts
    if others:
        return True
    if not isinstance(first, ParseJob):
        return False
    asked = first.asked
    return asked.nbest > SHORT_NBEST or max(map(num_words, asked.texts)) > SHORT_WORDS


@dataclass(eq=False)
class Waiting:
    """A piece of a request that waits for its reply."""

    job: Job
    deadline: float
    reply: asyncio.Future[Reply]
    is_alone: bool
    """True if no other piece may be answered together with it."""
    has_begun: bool = False
    """True if a worker has it, or had it and took too long."""
    is_retried: bool = False

    @property
    def num_texts(self) -> int:
        """How many sentences it has."""
        return len(self.job.asked.texts) if isinstance(self.job, ParseJob) else 1


class RequestQueue:
    """The pieces of requests that wait for workers of one kind."""

    def __init__(self, num_workers: int, niceness: int, patience: float) -> None:
        self.num_workers = num_workers
        self.niceness = niceness
        self.patience = patience
        """Seconds that a worker may take for a batch."""
        self.waiting: deque[Waiting] = deque()
        self.changed = asyncio.Event()
        """Set when a piece has come, or a worker has ended."""

    def put(self, waiting: Waiting) -> None:
        """Let a piece wait."""
        self.waiting.append(waiting)
        self.changed.set()

    async def take(self, worker: "Worker") -> list[Waiting]:
        """Wait for work and return a batch of it; nothing if the worker ends meanwhile."""
        while not worker.has_ended:
            if batch := self._next_batch():
                return batch
            self.changed.clear()
            await self.changed.wait()
        return []

    def _next_batch(self) -> list[Waiting]:
        now = asyncio.get_running_loop().time()
        batch: list[Waiting] = []
        room = MAX_TEXTS
        while self.waiting and (not batch or self._fits(batch[0], room)):
            waiting = self.waiting.popleft()
            if not waiting.reply.done() and now < waiting.deadline:  # else nobody waits for it
                batch.append(waiting)
                room -= waiting.num_texts
        return batch

    def _fits(self, first: Waiting, room: int) -> bool:
        waiting = self.waiting[0]
        return waiting.num_texts <= room and not (first.is_alone or waiting.is_alone)


class Worker:
    """A process that answers, as the service sees it."""

    def __init__(self, queue: RequestQueue) -> None:
        self.queue = queue
        self.has_ended = False

    async def connect(self, connection: socket.socket) -> None:
        """Wait for the process at the other end of a connection; raise `DataError` without one."""
        self._reader, self._writer = await asyncio.open_connection(
            sock=connection, limit=MAX_BUFFERED
        )
        content = await self._read()
        if content is None:
            self._writer.close()
            raise DataError("the process that makes workers has ended")
        self.process = msgspec.msgpack.decode(content, type=int)
        self._listen()

    def _listen(self) -> None:
        """Read while nothing is asked, too: so the end of the process is noticed at once."""
        self._message = asyncio.create_task(self._read())

    async def _read(self) -> bytes | None:
        """Return the next message; None when the process has ended."""
        try:
            header = await self._reader.readexactly(HEADER_BYTES)
            return await self._reader.readexactly(int.from_bytes(header, "big"))
        except (EOFError, ConnectionError):
            self.has_ended = True
            self.queue.changed.set()
            return None

    async def replies(self, jobs: Sequence[Job], seconds: float) -> list[Reply]:
        """Return its replies; raise `TimeoutError` if it takes too long, `EOFError` if it dies."""
        self._writer.write(packed(jobs))
        async with asyncio.timeout(seconds):
            content = await self._message
        if content is None:
            raise EOFError
        self._listen()
        return msgspec.msgpack.decode(content, type=list[Reply])

    def end(self) -> None:
        """Kill the process, unless it has ended by itself."""
        self._message.cancel()
        if not self.has_ended:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process, signal.SIGKILL)
        self._writer.close()


class ModelProcess:
    """The process that has loaded the models and forks workers."""

    def __init__(
        self, models: tuple[NamedModel, ...], max_tokens: int, domain_file: str | None
    ) -> None:
        self._wanted = ModelsToLoad(models, max_tokens, domain_file)

    def launch(self) -> None:
        """Start the process, which then loads the models."""
        context = get_context("spawn")
        self._report, report = context.Pipe(duplex=False)
        self._orders, orders = socket.socketpair()
        with report, orders:
            self._process = context.Process(
                target=fork_workers, args=(report, orders, self._wanted), daemon=True
            )
            self._process.start()

    async def loaded(self) -> tuple[ModelCard, ...]:
        """Wait until the models are loaded; raise `LearError` if they cannot be."""
        try:
            report: LoadReport = await asyncio.to_thread(self._report.recv)
        except EOFError:
            raise DataError("the process that loads the models has ended") from None
        if isinstance(report, LearError):
            raise report
        cards, digests = report
        # A process that replaces this one must find the same files: one name, one model.
        self._wanted = msgspec.structs.replace(self._wanted, digests=digests)
        return cards

    async def new_worker(self, queue: RequestQueue) -> Worker:
        """Fork a worker; load the models again if the process has ended meanwhile."""
        if not self._process.is_alive():
            self.close()
            self.launch()
            await self.loaded()
        ours, theirs = socket.socketpair()
        with theirs:
            socket.send_fds(self._orders, [bytes([queue.niceness])], [theirs.fileno()])
        worker = Worker(queue)
        await worker.connect(ours)
        return worker

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.join()
        self._orders.close()


class WorkerPool:
    """Workers, which are replaced when they end, and the requests that wait for them."""

    def __init__(
        self, models: ModelProcess, settings: ServiceSettings, metrics: Metrics, log: ServiceLog
    ) -> None:
        self.cards: dict[str, ModelCard] = {}
        """The models by name, in the order that they were named in; none until they are loaded."""
        self.workers: set[Worker] = set()
        self.trouble: str | None = None
        """Why no worker can be made at present."""
        self._models = models
        self._settings = settings
        self._metrics = metrics
        self._log = log
        seconds = settings.limits.seconds
        self._short = RequestQueue(settings.workers, 0, min(PATIENCE, seconds))
        self._long = RequestQueue(settings.long_workers, NICENESS, seconds)
        self._forking = asyncio.Lock()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Wait until the models are loaded and the first worker is there."""
        cards = await self._models.loaded()
        has_worker = asyncio.Event()
        for queue in (self._short, self._long):
            for _ in range(queue.num_workers):
                self._tasks.append(asyncio.create_task(self._keep_worker(queue, has_worker)))
        await has_worker.wait()
        self.cards = {card.name: card for card in cards}

    @property
    def is_ready(self) -> bool:
        """True if a worker is there for ordinary requests."""
        return bool(self.cards) and any(worker.queue is self._short for worker in self.workers)

    @property
    def num_waiting(self) -> int:
        """How many pieces no worker has begun with."""
        return len(self._short.waiting) + len(self._long.waiting)

    async def reply(self, job: Job) -> Reply:
        """Return the reply to a request; raise `ApiError` where there is none."""
        if self.num_waiting >= self._settings.waiting:
            raise ApiError("overloaded", "too many requests are waiting; try again later")
        parts = pieces(job)
        is_alone = is_long(parts)
        queue = self._long if is_alone else self._short
        loop = asyncio.get_running_loop()
        deadline = loop.time() + self._settings.limits.seconds
        replies: list[Reply] = []
        try:
            async with asyncio.timeout_at(deadline):
                for part in parts:  # one after the other: who asks for less gets in between
                    waiting = Waiting(part, deadline, loop.create_future(), is_alone)
                    queue.put(waiting)
                    replies.append(await waiting.reply)
                    if replies[-1].status != 200:
                        break
        except TimeoutError:
            if not replies and not waiting.has_begun:
                raise ApiError(
                    "overloaded", "no worker was free in time; try again later"
                ) from None
            seconds = self._settings.limits.seconds
            raise ApiError("time_limit", f"no answer within {seconds:g} seconds") from None
        if len(replies) == 1 or replies[-1].status != 200:
            return replies[-1]
        return Reply(200, results=tuple(result for each in replies for result in each.results))

    async def _keep_worker(self, queue: RequestQueue, has_worker: asyncio.Event) -> None:
        """Have one worker after the other, each until it ends."""
        while True:
            worker = await self._new_worker(queue)
            self.workers.add(worker)
            has_worker.set()
            try:
                await self._feed(worker, queue)
            finally:
                self.workers.discard(worker)
                worker.end()
            self._metrics.workers_replaced.inc()
            self._log.write("worker_replaced", process=worker.process)

    async def _new_worker(self, queue: RequestQueue) -> Worker:
        """Return a new worker, however often it has to be tried; log once why it fails."""
        async with self._forking:
            while True:
                try:
                    worker = await self._models.new_worker(queue)
                except (LearError, OSError) as error:
                    if str(error) != self.trouble:
                        self._log.write("no_worker", reason=str(error))
                    self.trouble = str(error)
                    await asyncio.sleep(FORK_PAUSE)
                else:
                    self.trouble = None
                    return worker

    async def _feed(self, worker: Worker, queue: RequestQueue) -> None:
        """Give a worker one batch after the other, until it has ended or has to be killed."""
        while batch := await queue.take(worker):
            self._metrics.batch_size.observe(len(batch))
            for waiting in batch:
                waiting.has_begun = True
            left = max(w.deadline for w in batch) - asyncio.get_running_loop().time()
            try:
                replies = await worker.replies([w.job for w in batch], min(left, queue.patience))
            except TimeoutError:
                for waiting in batch:
                    self._try_again(waiting, self._long)
                return
            except EOFError:
                for waiting in batch:
                    self._try_once_more(waiting, queue)
                return
            for waiting, reply in zip(batch, replies, strict=True):
                if not waiting.reply.done():
                    waiting.reply.set_result(reply)

    def _try_once_more(self, waiting: Waiting, queue: RequestQueue) -> None:
        if not waiting.is_retried:
            waiting.is_retried, waiting.has_begun = True, False
            self._try_again(waiting, queue)
        elif not waiting.reply.done():
            error = ApiError("worker_died", "two workers died over this request")
            waiting.reply.set_exception(error)

    def _try_again(self, waiting: Waiting, queue: RequestQueue) -> None:
        waiting.is_alone = True
        # Somebody may be killing several workers: the next one must not be one of these.
        asyncio.get_running_loop().call_later(RETRY_PAUSE, queue.put, waiting)

    async def close(self) -> None:
        """End all workers; what they work on is lost."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._models.close()
