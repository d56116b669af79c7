"""Answers to a stream of chunks, in order, by one process or several; memory stays the same."""

from collections.abc import Callable, Iterator
from functools import partial

from lear.bulk.answer_files import ChunkAnswers, answer_chunk, chunk_answerer
from lear.bulk.answering import Answerer
from lear.bulk.rows import Chunk
from lear.domains.registry import is_from_file
from lear.errors import UsageError


def answered(
    answerer: Answerer, chunks: Iterator[Chunk], output_format: str, jobs: int
) -> Iterator[ChunkAnswers]:
    """The answers to each chunk, in order."""
    if jobs == 1:
        return map(partial(answer_chunk, answerer, output_format), chunks)
    require_known_elsewhere(answerer)
    from lear.parallel.processes import in_processes  # slow to load

    make: Callable[[], Callable[[Chunk], ChunkAnswers]]
    make = partial(chunk_answerer, answerer.settings, output_format)
    return in_processes(make, chunks, jobs)


def require_known_elsewhere(answerer: Answerer) -> None:
    """Raise `UsageError` if other processes could not make the same parser."""
    name = answerer.parser.domain.name
    if is_from_file(name):
        raise UsageError(
            f"domain {name!r} is in a file, which other processes do not run: use --jobs 1"
        )
