"""What a worker is given at once: requests of many sentences are cut, so that all have a turn."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import punctuation

import msgspec

from lear.service.frames import Job, ParseJob, Reply, SizeJob

MAX_TEXTS = 16
MAX_WORDS = 320
"""What a worker is given at once, if it is more than one sentence: 0.02 seconds of work with one
answer to each, 0.1 seconds with several."""
SHORT_WORDS = 80
"""What a sentence has at most that is answered among the short ones."""
SHORT_NBEST = 5

TOKENS_PER_CHARACTER = 4
"""More than any character stands for: what is short enough by this need not be counted."""

_SPACES = str.maketrans(dict.fromkeys(punctuation, " "))


@dataclass(frozen=True)
class Slice:
    """A request, or a part of one, as a worker gets it."""

    job: Job
    num_texts: int = 1
    num_words: int = 1


class _Results(msgspec.Struct):
    """A `ParseResponse` whose results nobody looks at."""

    model: str
    results: Sequence[msgspec.Raw]


def slices(job: Job, max_tokens: int) -> tuple[list[Slice], bool]:
    """A job in slices, and whether it is for those who do the long ones.

    Args:
        job: What was asked.
        max_tokens: What a sentence may have. Where one may have more, the first slice of several
            finds out, so that nothing is done in vain.
    """
    if not isinstance(job, ParseJob):
        return [Slice(job)], False
    counts = [num_words(text) for text in job.texts]
    cut = list(_cut(job, counts))
    is_long = len(cut) > 1 or max(counts) > SHORT_WORDS or job.nbest > SHORT_NBEST
    if len(cut) > 1:
        doubtful = [
            (place, text)
            for place, text in enumerate(job.texts)
            if len(text) * TOKENS_PER_CHARACTER > max_tokens
        ]
        if doubtful:
            cut.insert(0, Slice(SizeJob(job.number, job.model, doubtful), MAX_TEXTS, MAX_WORDS))
    return cut, is_long


def num_words(text: str) -> int:
    """About how many words a text has; quick, as it is asked before anything is refused."""
    return len(text.translate(_SPACES).split())


def _cut(job: ParseJob, counts: Sequence[int]) -> Iterable[Slice]:
    begin = words = 0
    for end, count in enumerate(counts):
        if end > begin and (end - begin == MAX_TEXTS or words + count > MAX_WORDS):
            yield _slice(job, begin, end, words)
            begin, words = end, 0
        words += count
    yield _slice(job, begin, len(counts), words)


def _slice(job: ParseJob, begin: int, end: int, words: int) -> Slice:
    part = msgspec.structs.replace(job, texts=job.texts[begin:end], first=begin)
    return Slice(part, end - begin, words)


def joined(replies: Sequence[Reply]) -> Reply:
    """One reply of those to the slices of a request, all of which are results, in order."""
    if len(replies) == 1:
        return replies[0]
    parts = [msgspec.json.decode(reply.body, type=_Results) for reply in replies]
    results = [result for part in parts for result in part.results]
    return Reply(replies[0].number, 200, msgspec.json.encode(_Results(parts[0].model, results)))
