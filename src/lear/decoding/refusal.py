"""Why there is no answer, in words that somebody understands who knows no grammar."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from lear.decoding.parse import RefusedSpan
from lear.decoding.word_check import WordCheck
from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading, Skeleton, Span, shared_span
from lear.search.viterbi import BestWays

MAX_NAMED = 5
"""Unknown words that a reason names at most."""
MAX_QUOTED = 60
"""Letters of the sentence that a reason quotes at most."""


class Refusal(NamedTuple):
    """Why there is no answer, and where in the sentence that lies."""

    reason: str
    spans: tuple[RefusedSpan, ...] = ()


def unknown_word_reason(reader: SentenceReader, words: Sequence[str]) -> str:
    """That words are unknown, with a suggestion for the first one that has any."""
    distinct = list(dict.fromkeys(words))
    return f"{_unknown_words(distinct)}{_suggestion(reader, distinct)}"


def _unknown_words(words: Sequence[str]) -> str:
    names = ", ".join(quoted(word) for word in words[:MAX_NAMED])
    if len(words) > MAX_NAMED:
        names += f" and {len(words) - MAX_NAMED:,} more"
    return f"unknown word{'s' if len(words) > 1 else ''} {names}"


def _suggestion(reader: SentenceReader, words: Iterable[str]) -> str:
    """A suggestion or a hint for the first of some words that has any; empty if none has."""
    for word in islice(words, MAX_NAMED):
        if hint := reader.domain.words.hint(word):
            return f"; {hint}"
        near = reader.known_words.suggestion(word)
        if near is not None:
            return f"; did you mean {near!r}?"
    return ""


def guessed_word_refusal(
    reader: SentenceReader, words: WordCheck, structural: Refusal
) -> Refusal | None:
    """That a sentence with new words cannot be read, which they may be the cause of.

    Args:
        reader: Knows the words.
        words: What was done about those of the sentence.
        structural: Why there is no derivation, whatever they are.
    """
    new = {word: read_as for word, read_as in words.guessed if reader.lookalike(word) is None}
    if not new:
        return None
    readings = set(new.values())
    tried = readings.pop() if len(readings) == 1 else "new words"
    reason = f"{_unknown_words(list(new))}, tried as {tried}"
    near = _suggestion(reader, new)
    places = [(p, p + 1) for p, token in enumerate(words.tokens) if token in new]
    return Refusal(
        f"{reason}{near}" if near else f"{structural.reason} ({reason})",
        (*_refused(places, "unknown"), *(() if near else structural.spans)),
    )


def no_words_reason(text: str) -> str:
    """That a text is empty, or is nothing but marks and what cannot be seen."""
    return "the sentence has no words" if text.strip() else "the sentence is empty"


def second_sentence_reason(rest: str) -> str:
    """That a text goes on after its first sentence."""
    return f"more than one sentence: another one begins with {quoted(rest)}"


def no_derivation_refusal(reading: Reading, pieces: Sequence[Span], text: str) -> Refusal:
    """Up to where the sentence can be understood, and what cannot be joined there.

    Args:
        reading: The sentence.
        pieces: The fewest phrases that it falls into.
        text: As it was typed; tokens of it may end with a mark that is not in it.
    """
    meaningless = reading.meaningless_words
    if meaningless:
        words = [(p, p + 1) for p, token in enumerate(reading.tokens) if token in meaningless]
        reason = f"no meaning is known for {quoted(meaningless[0])}"
        return Refusal(reason, _refused(words, "no meaning known"))
    last = reading.tokens[-1]
    num_typed = len(reading.tokens) - (not last.isalnum() and last not in text)
    everything = (0, len(reading.tokens))
    if not reading.skeleton.leaves:
        reason = "no word of the sentence stands for anything: it is outside the language"
        return Refusal(reason, _refused([everything], "outside the language"))
    parts = [quoted(" ".join(reading.tokens[begin : min(end, num_typed)])) for begin, end in pieces]
    if len(pieces) > 1:
        reason = f"no rule joins {parts[0]} with {parts[1]}"
        return Refusal(reason, _refused(pieces[:2], "not joined"))
    begin, end = pieces[0]
    rest = (*reading.tokens[:begin], *reading.tokens[end:num_typed])
    if not any(map(_has_letters, rest)):
        reason = f"{parts[0]} has a meaning, but is not a whole sentence of the language"
        return Refusal(reason, _refused([everything], "not a whole sentence"))
    reason = f"nothing could use {quoted(' '.join(rest))} beside {parts[0]}"
    return Refusal(reason, _refused([(0, begin), (end, everything[1])], "without use"))


def _has_letters(token: str) -> bool:
    return any(map(str.isalnum, token))


def _refused(spans: Iterable[Span], why: str) -> tuple[RefusedSpan, ...]:
    return tuple(RefusedSpan(begin, end, why) for begin, end in spans if begin < end)


def fewest_pieces(skeleton: Skeleton, ways: BestWays) -> tuple[Span, ...]:
    """The fewest phrases that a sentence falls into, from left to right, without loose words.

    Args:
        skeleton: The sentence.
        ways: Everything that could be built over it.
    """
    words = skeleton.words
    num_tokens = len(words)
    spans: dict[int, set[int]] = {}
    for way in ways.ways():
        spans.setdefault(way.end, set()).add(way.begin)
    # Cost to each boundary: phrases, then loose function words; and the way there.
    best: list[tuple[int, int, list[Span]] | None] = [(0, 0, [])] + [None] * num_tokens
    for end in range(1, num_tokens + 1):
        options = []
        for begin in sorted(spans.get(end, ())):
            if (before := best[begin]) is not None:
                options.append((before[0] + 1, before[1], [*before[2], shared_span(begin, end)]))
        if words[end - 1] is not None and (before := best[end - 1]) is not None:
            options.append((before[0], before[1] + 1, before[2]))
        best[end] = min(options, default=None)
    last = best[num_tokens]
    if last is not None and last[2]:
        return tuple(last[2])
    return tuple(leaf[:2] for leaf in skeleton.leaves[:1])


def quoted(text: str) -> str:
    """A piece of the user's text in quotes, shortened if it is long."""
    shown = text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
    return repr(shown)
