"""The processes that parse: one loads the models and forks workers, which answer batches of jobs.

The process that forks has one thread and no event loop, so that it may fork at any time. A worker
is there within milliseconds and shares the memory of the models. Every message between processes
is its length and msgpack, which is checked against its type.
"""

import gc
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from typing import Any, get_origin

import msgspec

from lear.domain import answer_text
from lear.errors import DataError, LearError, UsageError
from lear.memory import give_memory_back
from lear.parser import Parse, Parser
from lear.service.api import (
    Answer,
    ApiError,
    LexiconAnswer,
    LexiconEntry,
    LexiconUnit,
    ModelCard,
    ParseRequest,
    Result,
)
from lear.service.models import ModelsToLoad, load_models, model_card
from lear.service.observing import Mistake, mistake_of

HEADER_BYTES = 8
TOKENS_PER_CHARACTER = 4
"""No character stands for more tokens: what is short enough by this need not be counted."""


class ParseJob(msgspec.Struct, frozen=True, array_like=True, tag="parse"):
    """A request to parse sentences, or a piece of one."""

    asked: ParseRequest
    first: int = 0
    """The place of its first sentence among all sentences of the request."""

    @property
    def model(self) -> str:
        """The name of its model."""
        return self.asked.model


class LexiconJob(msgspec.Struct, frozen=True, array_like=True, tag="lexicon"):
    """A word to be looked up."""

    model: str
    word: str


Job = ParseJob | LexiconJob


class Reply(msgspec.Struct, frozen=True, array_like=True):
    """The answer to a job."""

    status: int
    body: bytes = b""
    """What the client gets, unless the job was to parse and succeeded."""
    results: tuple[bytes, ...] = ()
    """A `Result` as JSON for each sentence."""
    mistake: Mistake | None = None
    """What is logged, if the answer is a mistake of lear's own."""


def packed(message: object) -> bytes:
    """Return a message as bytes, which begin with its length."""
    content = msgspec.msgpack.encode(message)
    return len(content).to_bytes(HEADER_BYTES, "big") + content


LoadReport = tuple[tuple[ModelCard, ...], dict[str, str]] | LearError
"""The models with the digests of their files, or why they could not be loaded."""


def fork_workers(report: Connection, orders: socket.socket, wanted: ModelsToLoad) -> None:
    """Load models, then fork a worker for each order, until the other side goes.

    An order is one byte, how nice the worker is to be, and the worker's socket.
    """
    # The service alone decides when its processes end: it closes their connections.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)
    try:
        parsers, digests = load_models(wanted)
    except LearError as error:
        kind = UsageError if isinstance(error, UsageError) else DataError
        report.send(kind(str(error)))
        return
    cards = tuple(model_card(name, parser) for name, parser in parsers.items())
    # What is loaded stays: the collector must not look at it, which would unshare its memory.
    give_memory_back()
    gc.collect()
    gc.freeze()
    report.send((cards, digests))
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets workers that end
    while True:
        content, descriptors, _, _ = socket.recv_fds(orders, 1, 1)
        if not content:
            return
        if os.fork() == 0:
            orders.close()
            _live(socket.socket(fileno=descriptors[0]), parsers, niceness=content[0])
        os.close(descriptors[0])


def _live(connection: socket.socket, parsers: Mapping[str, Parser], *, niceness: int) -> None:
    """Be a worker until the other side goes; never return to what the parent was doing."""
    code = 1
    try:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.nice(niceness)
        decoder = msgspec.msgpack.Decoder(list[Job])
        with connection.makefile("rwb") as stream:
            stream.write(packed(os.getpid()))
            stream.flush()
            while header := stream.read(HEADER_BYTES):
                jobs = decoder.decode(stream.read(int.from_bytes(header, "big")))
                stream.write(packed(replies(jobs, parsers)))
                stream.flush()
        code = 0
    except ConnectionError:
        code = 0
    finally:
        os._exit(code)


def replies(jobs: Sequence[Job], parsers: Mapping[str, Parser]) -> list[Reply]:
    """Return the replies to some jobs, in order; jobs that are alike are searched together."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for place, job in enumerate(jobs):
        if isinstance(job, LexiconJob):
            groups[place,] = [place]
        else:
            asked = job.asked
            key = asked.model, asked.nbest, asked.unknown_words, asked.min_probability
            groups.setdefault(key, []).append(place)
    found: dict[int, Reply] = {}
    for places in groups.values():
        group = [jobs[place] for place in places]
        found |= zip(places, _alike(group, parsers[group[0].model]), strict=True)
    return [found[place] for place in range(len(jobs))]


def _alike(jobs: Sequence[Job], parser: Parser) -> list[Reply]:
    """Return the replies to jobs that ask the same model in the same way."""
    try:
        if isinstance(jobs[0], LexiconJob):
            return [_lexicon_reply(jobs[0], parser)]
        return _parse_replies([job for job in jobs if isinstance(job, ParseJob)], parser)
    except Exception as error:  # noqa: BLE001 - one job must not be another one's trouble
        if len(jobs) == 1:
            return [_failure(error, jobs[0])]
        return [reply for job in jobs for reply in _alike([job], parser)]


def _failure(error: Exception, job: Job) -> Reply:
    """Return the reply to a job that raised an exception."""
    if isinstance(error, UsageError):
        error = ApiError("bad_field", str(error))
    if isinstance(error, ApiError):
        return Reply(error.status, error.body)
    is_ours = isinstance(error, LearError)  # the text of others may hold what the client sent
    answer = ApiError(
        "internal", str(error) if is_ours else f"a mistake of lear's own ({type(error).__name__})"
    )
    written = [job.word] if isinstance(job, LexiconJob) else job.asked.texts
    return Reply(answer.status, answer.body, mistake=mistake_of(error, written))


def _parse_replies(jobs: Sequence[ParseJob], parser: Parser) -> list[Reply]:
    for job in jobs:
        _check_sizes(job, parser)
    asked = jobs[0].asked
    parser.unknown_words = asked.unknown_words
    parser.min_probability = asked.min_probability
    texts = [text for job in jobs for text in job.asked.texts]
    parses = iter(parser.parse_batch(texts, asked.nbest))
    encode = msgspec.json.encode
    return [
        Reply(200, results=tuple(encode(_result(next(parses), job.asked)) for _ in job.asked.texts))
        for job in jobs
    ]


def _check_sizes(job: ParseJob, parser: Parser) -> None:
    """Raise `ApiError` if a sentence has more tokens than it may have."""
    most = parser.limits.tokens
    for place, text in enumerate(job.asked.texts, job.first):
        if len(text) * TOKENS_PER_CHARACTER > most:
            size = len(parser.domain.words.tokenize(text))
            if size > most:
                message = f"texts[{place}] has {size:,} tokens, more than {most:,}"
                raise ApiError("too_many_tokens", message)


def _defaults(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the value of each field of a type for a record that does not have it."""
    fields = msgspec.structs.fields(kind)
    return {field.name: () if get_origin(field.type) is tuple else None for field in fields}


RESULT, ANSWER = _defaults(Result), _defaults(Answer)


def _result(parse: Parse, asked: ParseRequest) -> dict[str, Any]:
    """Return a `Result` as plain values."""
    nbest = [_record(each, asked) for each in parse.nbest]
    best = nbest[0] if nbest else _record(parse, asked)
    found = RESULT | {name: value for name, value in best.items() if name in RESULT}
    if asked.nbest > 1:
        found["nbest"] = [
            {name: record.get(name, ANSWER[name]) for name in ANSWER} for record in nbest
        ]
    return found


def _record(parse: Parse, asked: ParseRequest) -> dict[str, Any]:
    record = parse.to_record(
        has_derivation=asked.derivation, explained=True, has_places=True, execute=asked.execute
    )
    if record.get("answer") is not None:
        record["answer_text"] = answer_text(record["answer"], record.get("unit"))
    return record


def _lexicon_reply(job: LexiconJob, parser: Parser) -> Reply:
    found = parser.model.lexicon.with_word(job.word)
    units = tuple(
        LexiconUnit(
            " ".join(unit),
            tuple(
                LexiconEntry(e.primitive.type, e.primitive.symbol, e.primitive.feature, e.count)
                for e in entries
            ),
        )
        for unit, entries in found.units.items()
    )
    function_word = found.function_words.get(job.word)
    is_known = bool(units) or function_word is not None
    suggestion = None if is_known else parser.reader.known_words.suggestion(job.word)
    answer = LexiconAnswer(job.model, job.word, units, function_word, suggestion)
    return Reply(200, msgspec.json.encode(answer))
