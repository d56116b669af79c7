"""Sentences as tokens: lower case, commas kept, other punctuation left out, clock times whole."""

import re

from lear.core.plain_text import lower, plain, words_and_marks

_CLOCK_COLON = re.compile(r"(?<=\d):(?=\d)")
_THOUSANDS_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_STAND_IN = "\ue000"
"""Stands for the colon of a clock time, which is no punctuation. Plain text has no such letter."""


def tokenize(text: str) -> tuple[str, ...]:
    """`Wake Ann at 9:30, please!` -> wake ann at 9:30 , please; `1,500` -> 1500."""
    whole_numbers = _THOUSANDS_COMMA.sub("", plain(text.replace(_STAND_IN, " ")))
    plainer = _CLOCK_COLON.sub(_STAND_IN, lower(whole_numbers))
    words = words_and_marks(plainer.rstrip(" .!?,"), marks=",")
    return tuple(word.replace(_STAND_IN, ":") for word in words)
