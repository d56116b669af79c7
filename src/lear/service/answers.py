"""From jobs to the JSON that clients get; this is what workers do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from lear.answering.parse import Substitution
from lear.domain import answer_text
from lear.errors import DataError, FormError, LearError, UsageError
from lear.parser import Parse, Parser
from lear.service.api import (
    Answer,
    ApiError,
    LexiconAnswer,
    LexiconEntry,
    LexiconUnit,
    Mark,
    ParseResponse,
    ReadAs,
    Refused,
    Result,
)
from lear.service.frames import Job, LexiconJob, ParseJob, Reply, SizeJob
from lear.service.observing import mistake_of
from lear.service.slices import TOKENS_PER_CHARACTER


def replies(jobs: Sequence[Job], parsers: Mapping[str, Parser]) -> Iterator[Reply]:
    """One reply to each job, as soon as it is there; jobs that are alike are searched together."""
    groups: dict[tuple[object, ...], list[ParseJob]] = {}
    for job in jobs:
        if isinstance(job, ParseJob):
            key = job.model, job.nbest, job.unknown_words, job.min_probability
            groups.setdefault(key, []).append(job)
        else:
            yield _alone(job, parsers[job.model])
    for group in groups.values():
        answered: set[int] = set()
        try:
            for reply in _parse_replies(group, parsers[group[0].model]):
                answered.add(reply.number)
                yield reply
        except Exception:  # noqa: BLE001 - one sentence must not be another one's trouble
            for job in group:
                if job.number not in answered:
                    yield _alone(job, parsers[job.model])


def _alone(job: Job, parser: Parser) -> Reply:
    try:
        return _reply(job, parser)
    except ApiError as error:
        return Reply(job.number, error.status, error.body)
    except UsageError as error:
        answer = ApiError("bad_field", str(error))
        return Reply(job.number, answer.status, answer.body)
    except LearError as error:
        return _internal(job, error, str(error))
    except Exception as error:  # noqa: BLE001 - a bug: its text may hold what the client sent
        return _internal(job, error, f"a mistake of lear's own ({type(error).__name__})")


def _internal(job: Job, error: Exception, message: str) -> Reply:
    answer = ApiError("internal", message)
    return Reply(job.number, answer.status, answer.body, mistake_of(error, _written(job)))


def _written(job: Job) -> list[str]:
    """What the client wrote."""
    if isinstance(job, LexiconJob):
        return [job.word]
    return job.texts if isinstance(job, ParseJob) else [text for _, text in job.texts]


def _reply(job: Job, parser: Parser) -> Reply:
    if isinstance(job, LexiconJob):
        return _lexicon_reply(job, parser)
    if isinstance(job, SizeJob):
        _check_sizes(job.texts, parser)
        return Reply(job.number, 200, b"")
    return next(_parse_replies([job], parser))


def _check_sizes(texts: Iterable[tuple[int, str]], parser: Parser) -> None:
    """Raise `ApiError` if a text has more tokens than it may have; each text with its place."""
    most = parser.limits.tokens
    for place, text in texts:
        if len(text) * TOKENS_PER_CHARACTER > most:
            size = len(parser.domain.words.tokenize(text))
            if size > most:
                message = f"texts[{place}] has {size:,} tokens, more than {most:,}"
                raise ApiError("too_many_tokens", message)


def _parse_replies(jobs: Sequence[ParseJob], parser: Parser) -> Iterator[Reply]:
    """Replies to jobs that ask the same model in the same way."""
    for job in jobs:
        _check_sizes(enumerate(job.texts, job.first), parser)
    first = jobs[0]
    parser.unknown_words = first.unknown_words
    parser.min_probability = first.min_probability
    parses = iter(parser.parse_batch([text for job in jobs for text in job.texts], first.nbest))
    for job in jobs:
        results = tuple(_result(next(parses), job) for _ in job.texts)
        yield Reply(job.number, 200, msgspec.json.encode(ParseResponse(job.model, results)))


def _result(parse: Parse, job: ParseJob) -> Result:
    best = None if parse.form is None else _answer(parse, job)
    return Result(
        text=parse.text,
        tokens=parse.tokens,
        form=parse.form,
        probability=None if best is None else best.probability,
        score=None if best is None else best.score,
        reason=parse.reason or None,
        refused=tuple(Refused((begin, end), why) for begin, end, why in parse.refused),
        repaired=_read_as(parse.repaired),
        guessed=_read_as(parse.guessed),
        overlooked=() if best is None else best.overlooked,
        unused=() if best is None else best.unused,
        marks=_marks(parse),
        answer=None if best is None else best.answer,
        unit=None if best is None else best.unit,
        answer_text=None if best is None else best.answer_text,
        error=None if best is None else best.error,
        derivation=None if best is None else best.derivation,
        nbest=_nbest(parse, best, job),
    )


def _nbest(parse: Parse, best: Answer | None, job: ParseJob) -> tuple[Answer, ...]:
    if best is None or job.nbest == 1:
        return ()
    return (best, *(_answer(other, job) for other in parse.alternatives))


def _answer(parse: Parse, job: ParseJob) -> Answer:
    assert parse.form is not None  # else there is no answer
    answer: object = None
    unit = shown = failure = None
    if job.execute:
        try:
            answer, unit = parse.denotation, parse.unit
            shown = None if answer is None else answer_text(answer, unit)
        except (FormError, DataError) as error:
            failure = str(error)
    derivation = parse.explained_derivation if job.derivation else None
    return Answer(
        form=parse.form,
        probability=parse.probability,
        score=parse.score,
        overlooked=parse.overlooked,
        unused=parse.unused,
        marks=_marks(parse),
        answer=answer,
        unit=unit,
        answer_text=shown,
        error=failure,
        derivation=None if derivation is None else msgspec.Raw(derivation),
    )


def _read_as(pairs: Sequence[Substitution]) -> tuple[ReadAs, ...]:
    return tuple(ReadAs(word, read_as) for word, read_as in pairs)


def _marks(parse: Parse) -> tuple[Mark, ...]:
    return tuple(Mark((begin, end), kind, text) for begin, end, kind, text in parse.marks)


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
    return Reply(job.number, 200, msgspec.json.encode(answer))
