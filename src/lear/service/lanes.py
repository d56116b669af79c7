"""Requests that wait for workers of one kind; a worker takes some of them at a time."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from typing import Protocol

from lear.service.api import ApiError
from lear.service.frames import Reply
from lear.service.slices import MAX_TEXTS, MAX_WORDS, Slice


class MayDie(Protocol):
    """A worker, as far as a lane knows it."""

    is_dead: bool


@dataclass(eq=False)
class Waiting:
    """A request on its way through the pool, or a slice of one."""

    slice: Slice
    answer: asyncio.Future[Reply]
    deadline: float | None = None
    """When the time of its request is up; None if a worker has yet to begin with that."""
    begun: float | None = None
    """When a worker began with it; None if none has."""
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

    async def take(self, worker: MayDie) -> list[Waiting]:
        """The next requests for a worker to work on together; none if it has died meanwhile."""
        batch: list[Waiting] = []
        while not batch:
            while not self.queue and not worker.is_dead:
                self.filled.clear()
                await self.filled.wait()
            if worker.is_dead:
                break
            while self.queue and _fits(batch, self.queue[0]):
                waiting = self.queue.popleft()
                if not waiting.answer.done():  # else nobody waits for it any more
                    waiting.begun = asyncio.get_running_loop().time()
                    batch.append(waiting)
        return batch


def _fits(batch: list[Waiting], waiting: Waiting) -> bool:
    """Whether a request can be worked on together with others."""
    if not batch:
        return True
    together = [one.slice for one in (*batch, waiting)]
    return (
        not (batch[0].is_alone or waiting.is_alone)
        and sum(part.num_texts for part in together) <= MAX_TEXTS
        and sum(part.num_words for part in together) <= MAX_WORDS
    )
