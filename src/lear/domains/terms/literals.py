"""Numbers, clock times and dates: what words say, as forms write it.

"twenty five" is 25 and "half past nine pm" is 21:30, whether training has them or not. Dates are
those in digits, 2026-11-18, which are copied.
"""

import re
from functools import lru_cache
from typing import Literal, NamedTuple

from lear.lexicon.lexicon import Unit

LiteralKind = Literal["number", "time", "date"]
KINDS: tuple[LiteralKind, ...] = ("number", "time", "date")
MAX_WORDS = 6
"""Words of a literal."""
_PATTERNS: dict[LiteralKind, re.Pattern[str]] = {
    "number": re.compile(r"-?\d+(?:\.\d+)?"),
    "time": re.compile(r"\d\d?:\d\d"),
    "date": re.compile(r"\d{4}-\d\d-\d\d"),
}
_SMALL = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {
    word: 10 * value for value, word in enumerate(_TENS, start=2)
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_MORNING, _EVENING = (
    frozenset({"am", "a.m", "morning"}),
    frozenset({"pm", "p.m", "afternoon", "evening", "night"}),
)
_SINGLE_WORDS: dict[LiteralKind, tuple[str, ...]] = {
    "number": tuple(_VALUES),
    "time": ("noon", "midnight"),
    "date": (),
}
_CLOCK = re.compile(r"(\d\d?)(?::(\d\d))?(am|pm)?")
NOON = 12
REMEMBERED = 4_096
"""Units whose readings are remembered, of each kind."""
MAX_LETTERS = 60
"""Of a literal; number words have at most nine each. What is longer would fill the memory."""
MINUTES = 60


class LiteralReading(NamedTuple):
    """What words may say."""

    value: str
    """As forms write it, without quotes."""
    feature: str
    """What a network is told of it: the kind, and how it was worked out."""


def literal_kind(value: str) -> LiteralKind | None:
    """Which kind of literal a constant is, without its quotes; None for a name or a word."""
    return next((kind for kind in KINDS if _PATTERNS[kind].fullmatch(value)), None)


def readings(kind: LiteralKind, words: Unit) -> tuple[LiteralReading, ...]:
    """What words may say as a literal of a kind, the likeliest first; nothing if they say none."""
    if sum(map(len, words)) > MAX_LETTERS:
        return ()
    if kind == "date":
        is_date = len(words) == 1 and _PATTERNS["date"].fullmatch(words[0])
        return (LiteralReading(words[0], "date"),) if is_date else ()
    return _numbers(words) if kind == "number" else _times(words)


def single_word_literals(kind: LiteralKind) -> tuple[str, ...]:
    """The words that are literals of a kind by themselves, but for digits."""
    return _SINGLE_WORDS[kind]


@lru_cache(maxsize=REMEMBERED)
def _numbers(words: Unit) -> tuple[LiteralReading, ...]:
    if len(words) == 1 and _PATTERNS["number"].fullmatch(words[0].replace(",", "")):
        return (LiteralReading(words[0].replace(",", ""), "number"),)
    value = _number(words)
    return () if value is None else (LiteralReading(str(value), "number"),)


def _number(words: Unit) -> int | None:
    """The value of number words: `two hundred and five`."""
    total, part, previous = 0, None, ""
    for word in words:
        if word in _SCALES:
            scale = _SCALES[word]
            if scale == _SCALES["hundred"]:
                part = (1 if part is None else part) * scale
            else:
                total, part = total + (1 if part is None else part) * scale, None
        elif word in _VALUES:
            is_unit_of_tens = previous in _TENS and 0 < _VALUES[word] < len(_SMALL) // 2
            if previous in _VALUES and not is_unit_of_tens:
                return None
            part = (part or 0) + _VALUES[word]
        elif word != "and" or previous not in _SCALES:
            return None
        previous = word
    is_whole = previous not in ("", "and") and words[0] not in _SCALES
    return total + (part or 0) if is_whole else None


@lru_cache(maxsize=REMEMBERED)
def _times(words: Unit) -> tuple[LiteralReading, ...]:
    if words in (("noon",), ("midnight",)):
        return (LiteralReading("12:00" if words == ("noon",) else "00:00", "time said"),)
    words, half = _half_of_day(words)
    clock = _clock(words)
    if clock is None or (half == "" and len(words) > 1 and not _is_clock_phrase(words)):
        return ()
    hour, minute = clock
    if hour > NOON or (hour == 0 and half == ""):
        return (LiteralReading(f"{hour:02}:{minute:02}", "time said"),) if not half else ()
    morning = LiteralReading(f"{hour % NOON:02}:{minute:02}", "time morning")
    evening = LiteralReading(f"{hour % NOON + NOON:02}:{minute:02}", "time evening")
    if half:
        chosen = morning if half == "am" else evening
        return (LiteralReading(chosen.value, "time said"),)
    return (morning, evening)


def _half_of_day(words: Unit) -> tuple[Unit, str]:
    """The words without those that say which half of the day, and which."""
    if words[-2:] in (("a", "m"), ("p", "m")):  # a.m., p.m.
        return words[:-2], f"{words[-2]}m"
    if words and words[-1] in _MORNING | _EVENING:
        half = "am" if words[-1] in _MORNING else "pm"
        rest = words[:-1]
        if rest[-2:] in (("in", "the"), ("at", "night")):
            rest = rest[:-2]
        elif rest[-1:] == ("at",):
            rest = rest[:-1]
        return rest, half
    if words and (match := _CLOCK.fullmatch(words[-1])) and match[3]:
        return (*words[:-1], words[-1].removesuffix(match[3])), match[3]
    return words, ""


def _is_clock_phrase(words: Unit) -> bool:
    return "past" in words or "to" in words or words[-1] in ("o'clock", "oclock") or len(words) == 2


def _clock(words: Unit) -> tuple[int, int] | None:
    """Hour and minute of `nine`, `9:30`, `nine thirty`, `half past nine`, `ten to nine`."""
    if words[-1:] in (("o'clock",), ("oclock",)):
        words = words[:-1]
    if len(words) == 1 and (match := _CLOCK.fullmatch(words[0])):
        hour, minute = int(match[1]), int(match[2] or 0)
        return (hour, minute) if hour < 2 * NOON and minute < MINUTES else None
    for word, sign in (("past", 1), ("to", -1)):
        if word in words[1:-1]:
            place = words.index(word, 1)
            minutes = _minutes(words[:place])
            hour_after = _number(words[place + 1 :])
            if minutes is None or hour_after is None or not 1 <= hour_after <= NOON:
                return None
            total = (hour_after * MINUTES + sign * minutes) % (NOON * MINUTES)
            return total // MINUTES or NOON, total % MINUTES
    hour_only = _number(words[:1])
    if hour_only is None or not 1 <= hour_only <= NOON:
        return None
    if len(words) == 1:
        return hour_only, 0
    minutes = _number(words[1:])
    is_minute = minutes is not None and NOON - 2 <= minutes < MINUTES
    return (hour_only, minutes) if is_minute and minutes is not None else None


def _minutes(words: Unit) -> int | None:
    named = {("half",): 30, ("quarter",): 15, ("a", "quarter"): 15}
    value = named.get(words, _number(words[: len(words) - (words[-1:] == ("minutes",))]))
    return value if value is not None and value < MINUTES else None
