"""A sentence on its way to an answer: what it may cost, its words, and why there is no answer.

Reasons are told in words that somebody understands who knows no grammar. Time and memory are
bounded whatever is asked.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any, NamedTuple

from lear.answering.parse import Parse, RefusedSpan
from lear.answering.words import WordCheck, WordMark, check_words
from lear.errors import UsageError
from lear.forest.programs import Program
from lear.grammar.reading import Reading, SentenceReader, Skeleton, Span, shared_span
from lear.lexicon.lexicon import OVERLOOKED, Lexicon
from lear.model.config import TraitCounts


def check_count(name: str, value: object) -> None:
    """Raise `UsageError` unless a value is a whole number from 1 on."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise UsageError(f"{name} is a whole number from 1 on, not {value!r}")


@dataclass(frozen=True)
class Limits:
    """Beyond one of these a sentence is refused, and the reason says which one it was."""

    characters: int = 20_000
    tokens: int = 500
    """Checked before any work is done; no sentence of a benchmark has more than 61."""
    combinations: int = 120_000
    """How often phrases may be put together by all searches for one answer, its probability
    included. Those of the benchmarks take up to 43,000, and as many again for the probability."""

    def __post_init__(self) -> None:
        for name, limit in asdict(self).items():
            check_count(f"limits.{name}", limit)

    def too_many_characters(self, text: str) -> str:
        """Return why a text is too long; empty if it is not."""
        return _excess(len(text), "characters", self.characters)

    def too_many_tokens(self, tokens: Sequence[str]) -> str:
        """Return why a sentence has too many words; empty if it has not."""
        return _excess(len(tokens), "tokens", self.tokens)


DEFAULT_LIMITS = Limits()
MAX_REMEMBERED = 10_000
"""Skeletons whose derivations a parser remembers."""


def _excess(size: int, unit: str, limit: int) -> str:
    return f"the sentence has {size:,} {unit}, more than {limit:,}" if size > limit else ""


MAX_NAMED = 5
"""Unknown words that a reason names at most."""
MAX_QUOTED = 60
"""Letters of the sentence that a reason quotes at most."""


class Refusal(NamedTuple):
    """Why there is no answer, and where in the sentence that lies."""

    reason: str
    spans: tuple[RefusedSpan, ...] = ()


def unknown_word_reason(reader: SentenceReader, words: Sequence[str]) -> str:
    """Say that words are unknown, with a suggestion for the first one that has any."""
    distinct = list(dict.fromkeys(words))
    return f"{_unknown_words(distinct)}{_suggestion(reader, distinct)}"


def _unknown_words(words: Sequence[str]) -> str:
    names = ", ".join(quoted(word) for word in words[:MAX_NAMED])
    if len(words) > MAX_NAMED:
        names += f" and {len(words) - MAX_NAMED:,} more"
    return f"unknown word{'s' if len(words) > 1 else ''} {names}"


def _suggestion(reader: SentenceReader, words: Iterable[str]) -> str:
    """Return a hint or a suggestion for the first of some words that has any, else nothing."""
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
    """Say that a sentence cannot be read for its new words, if it has any.

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
    """Say that a text is empty, or is nothing but marks and what cannot be seen."""
    return "the sentence has no words" if text.strip() else "the sentence is empty"


def second_sentence_reason(rest: str) -> str:
    """Say that a text goes on after its first sentence."""
    return f"more than one sentence: another one begins with {quoted(rest)}"


def no_derivation_refusal(reading: Reading, pieces: Sequence[Span], text: str) -> Refusal:
    """Say up to where the sentence can be understood, and what cannot be joined there.

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


def fewest_pieces(skeleton: Skeleton, built: Iterable[Span]) -> tuple[Span, ...]:
    """Return the fewest phrases that a sentence falls into, from left to right.

    Args:
        skeleton: The sentence.
        built: The spans that something could be built over.
    """
    words = skeleton.words
    num_tokens = len(words)
    spans: dict[int, set[int]] = {}
    for begin, end in built:
        spans.setdefault(end, set()).add(begin)
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
    """Put a piece of the user's text in quotes, shortened if it is long."""
    shown = text if len(text) <= MAX_QUOTED else f"{text[: MAX_QUOTED - 1]}…"
    return repr(shown)


Sentence = str | tuple[str, ...]
"""Text, or the tokens of it."""
MAX_SCARCE = 2
"""A meaning of a word that no more training rows speak for is a scarce one."""


class Request(NamedTuple):
    """What was asked, and how its words are read."""

    text: str
    words: WordCheck
    reading: Reading
    refusal: str = ""
    """Why its words were not even looked at; empty if they were."""

    def answer_fields(self) -> dict[str, Any]:
        """Return what every answer to it says."""
        words = self.words
        return {
            "text": self.text,
            "tokens": words.tokens,
            "repaired": words.repaired,
            "guessed": words.guessed,
            "word_marks": words.marks,
        }

    def no_answer(self, reason: str, refused: tuple[RefusedSpan, ...] = ()) -> Parse:
        """Return that there is none, why, and where that lies; unknown words are always told."""
        unknown = set(self.words.unknown)
        places = tuple(
            RefusedSpan(position, position + 1, "unknown")
            for position, token in enumerate(self.words.tokens)
            if token in unknown
        )
        return Parse(
            form=None,
            meaning=None,
            score=-math.inf,
            reason=reason,
            refused=(*places, *refused),
            **self.answer_fields(),
        )

    def overlooked(self, program: Program) -> tuple[WordMark, ...]:
        """Return the words that an answer leaves out, though they are no function words."""
        used = _used_positions(program)
        words, unknown = self.reading.skeleton.words, set(self.words.unknown)
        return tuple(
            WordMark(position, position + 1, "overlooked", token)
            for position, token in enumerate(self.words.tokens)
            if position not in used and (words[position] in (None, OVERLOOKED) or token in unknown)
        )

    def unused(self, program: Program, lexicon: Lexicon) -> tuple[WordMark, ...]:
        """Return words that an answer takes for function words, though they mostly mean something.

        Not all are told: see `Probabilities.left_out`.
        """
        used = _used_positions(program)
        if used.issuperset([leaf.begin for leaf in self.reading.skeleton.leaves]):
            return ()
        units = dict.fromkeys((leaf.begin, leaf.end) for leaf in self.reading.skeleton.leaves)
        found = []
        for begin, end in units:
            unit = self.words.tokens[begin:end]
            is_word = self.reading.skeleton.words[begin] is not None
            if begin not in used and is_word:
                count = sum(entry.count for entry in lexicon.units.get(unit, ()))
                if count > lexicon.function_words.get(unit[0], 0):
                    found.append(WordMark(begin, end, "unused", " ".join(unit)))
        return tuple(found)

    def traits(self, program: Program, lexicon: Lexicon, num_novel: int) -> TraitCounts:
        """Count what makes an answer less sure than its derivations say.

        Args:
            program: Of the answer.
            lexicon: Of the model.
            num_novel: How many of its rules no training derivation uses.
        """
        return {
            "guessed": self.words.num_guessed,
            "overlooked": len(self.overlooked(program)),
            "unused": len(self.unused(program, lexicon)),
            "scarce": self._num_scarce(program, lexicon),
            "novel": num_novel,
        }

    def _num_scarce(self, program: Program, lexicon: Lexicon) -> int:
        """Count the words that an answer reads in a way that hardly any training row has."""
        reading = self.reading
        leaves = (at for at in program.instructions if at.arity == 0)
        num_scarce = 0
        for at in leaves:
            primitive = reading.primitive(at.label)
            entries = lexicon.units.get(self.words.tokens[at.begin : at.end], ())
            counts = [entry.count for entry in entries if entry.primitive == primitive]
            is_name = reading.alike(primitive) != primitive  # listed, whether seen or not
            num_scarce += bool(counts) and not is_name and max(counts) <= MAX_SCARCE
        return num_scarce


def _used_positions(program: Program) -> set[int]:
    leaves = (at for at in program.instructions if at.arity == 0)
    return {position for at in leaves for position in range(at.begin, at.end)}


def check_sentence(sentence: object) -> None:
    """Raise `UsageError` unless a value is text, or a tuple of tokens."""
    is_tokens = isinstance(sentence, tuple) and {str}.issuperset(map(type, sentence))
    if not (isinstance(sentence, str) or is_tokens):
        raise UsageError(f"a sentence is text or a tuple of tokens, not {type(sentence).__name__}")


def request_of(sentence: Sentence, reader: SentenceReader, limits: Limits) -> Request:
    """Look up the words of a sentence, if it is not too long for that."""
    check_sentence(sentence)
    is_text = isinstance(sentence, str)
    given = tuple(map(_writable, (sentence,) if isinstance(sentence, str) else sentence))
    text = " ".join(given)
    unread = Request(text, WordCheck(()), reader.read(()))
    if excess := limits.too_many_characters(text):
        return unread._replace(refusal=excess)
    if is_text and (rest := reader.domain.words.second_sentence(text, reader.lexicon)):
        return unread._replace(refusal=second_sentence_reason(rest))
    tokens = reader.domain.words.tokenize(text) if is_text else given
    if excess := limits.too_many_tokens(tokens):
        return unread._replace(refusal=excess)
    # Tokens are taken as they are; what people type may be misspelt.
    words = check_words(reader, tokens, is_typed=is_text)
    return Request(text, words, reader.read(words.tokens))


def _writable(text: str) -> str:
    """Replace halves of surrogate pairs: they could be parsed, but never be written."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()
