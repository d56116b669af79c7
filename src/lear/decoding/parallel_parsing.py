"""Parsing with several processes, each with a parser of its own; answers come in order."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from typing import Protocol

from lear.decoding.parse import Parse


class BatchParser(Protocol):
    """What can be pickled, and parses sentences."""

    def parse_batch(self, sentences: Sequence[str], nbest: int = 1) -> list[Parse]:
        """One answer for each sentence."""


_parser: BatchParser | None = None
"""In a process of the pool: its parser."""


def parse_in_processes(
    parser: BatchParser, texts: Iterator[str], nbest: int, batch_size: int, jobs: int
) -> Iterator[Parse]:
    """Parse many sentences, in order; `texts` may be endless."""
    # A forked process could inherit a lock that another thread holds: begin with new ones.
    context = get_context("spawn")
    with ProcessPoolExecutor(jobs, context, _keep, (parser,)) as pool:
        pending: list[Future[list[Parse]]] = []
        while True:
            # Enough to keep all processes busy, and no more.
            while len(pending) < 2 * jobs and (batch := list(islice(texts, batch_size))):
                pending.append(pool.submit(_parse, batch, nbest))
            if not pending:
                return
            yield from pending.pop(0).result()


def _keep(parser: BatchParser) -> None:
    global _parser
    _parser = parser


def _parse(batch: list[str], nbest: int) -> list[Parse]:
    assert _parser is not None  # set when the process began
    return _parser.parse_batch(batch, nbest)
