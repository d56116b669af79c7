"""Why there is no answer, in words that somebody understands who knows no grammar."""

from collections.abc import Sequence

from lear.grammar.sentence_reader import SentenceReader
from lear.grammar.sentence_reading import Reading
from lear.search.viterbi import BestWays

Span = tuple[int, int]
MAX_NAMED = 5
"""Unknown words that a reason names at most."""
MAX_QUOTED = 60
"""Letters of the sentence that a reason quotes at most."""


def unknown_word_reason(reader: SentenceReader, words: Sequence[str]) -> str:
    """That words are unknown, with a suggestion for the first one that has any."""
    distinct = list(dict.fromkeys(words))
    names = ", ".join(quoted(word) for word in distinct[:MAX_NAMED])
    if len(distinct) > MAX_NAMED:
        names += f" and {len(distinct) - MAX_NAMED:,} more"
    reason = f"unknown word{'s' if len(set(words)) > 1 else ''} {names}"
    for word in distinct[:MAX_NAMED]:
        near = reader.known_words.suggestion(word)
        if near is not None:
            return f"{reason}; did you mean {near!r}?"
    return reason


def no_derivation_reason(reading: Reading, ways: BestWays) -> str:
    """Up to where the sentence can be understood, and what cannot be joined there.

    Args:
        reading: The sentence.
        ways: Everything that could be built over it.
    """
    meaningless = reading.meaningless_words
    if meaningless:
        return f"no meaning is known for {quoted(meaningless[0])}"
    if not reading.skeleton.leaves:
        return "no word of the sentence stands for anything: it is outside the language"
    pieces = _fewest_pieces(reading, ways)
    parts = [quoted(" ".join(reading.tokens[begin:end])) for begin, end in pieces]
    if len(pieces) > 1:
        return f"no rule joins {parts[0]} with {parts[1]}"
    begin, end = pieces[0]
    if (begin, end) == (0, len(reading.tokens)):
        return f"{parts[0]} has a meaning, but is not a whole sentence of the language"
    rest = (*reading.tokens[:begin], *reading.tokens[end:])
    return f"nothing could use {quoted(' '.join(rest))} beside {parts[0]}"


def _fewest_pieces(reading: Reading, ways: BestWays) -> list[Span]:
    """The fewest phrases that the sentence falls into, from left to right, without loose words."""
    num_tokens = len(reading.tokens)
    words = reading.skeleton.words
    spans: dict[int, set[int]] = {}
    for way in ways.ways():
        spans.setdefault(way.end, set()).add(way.begin)
    # Cost to each boundary: phrases, then loose function words; and the way there.
    best: list[tuple[int, int, list[Span]] | None] = [(0, 0, [])] + [None] * num_tokens
    for end in range(1, num_tokens + 1):
        options = []
        for begin in sorted(spans.get(end, ())):
            if (before := best[begin]) is not None:
                options.append((before[0] + 1, before[1], [*before[2], (begin, end)]))
        if words[end - 1] is not None and (before := best[end - 1]) is not None:
            options.append((before[0], before[1] + 1, before[2]))
        best[end] = min(options, default=None)
    last = best[num_tokens]
    return last[2] if last is not None and last[2] else [reading.skeleton.leaves[0][:2]]


def quoted(text: str) -> str:
    """A piece of the user's text in quotes, shortened if it is long."""
    shown = text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
    return repr(shown)
