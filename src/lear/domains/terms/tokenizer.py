"""Sentences as tokens: lower case, commas kept, other punctuation left out, clock times whole.

Where another sentence begins is a full stop, which rows of training may have.
"""

import re

from lear.lexicon import plain_text
from lear.lexicon.lexicon import Lexicon
from lear.lexicon.plain_text import lower, plain, sentences, words_and_marks

_CLOCK_COLON = re.compile(r"(?<=\d):(?=\d)")
_THOUSANDS_COMMA = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
END = "."
_STAND_IN = "\ue000"
"""Stands for the colon of a clock time, which is no punctuation. Plain text has no such letter."""


def tokenize(text: str) -> tuple[str, ...]:
    """`Wake Ann at 9:30, please!` -> wake ann at 9:30 , please; `1,500` -> 1500."""
    whole_numbers = _THOUSANDS_COMMA.sub("", plain(text.replace(_STAND_IN, " ")))
    plainer = _CLOCK_COLON.sub(_STAND_IN, lower(whole_numbers))
    words: list[str] = []
    for sentence in sentences(plainer.rstrip(" .!?,")):
        found = words_and_marks(sentence, marks=",")
        words += [END, *found] if words and found else found
    return tuple(word.replace(_STAND_IN, ":") for word in words)


def second_sentence(text: str, lexicon: Lexicon) -> str:
    """What follows the first sentence; nothing is said of it where training has several, too."""
    has_ends = END in lexicon.function_words or (END,) in lexicon.units
    return "" if has_ends else plain_text.second_sentence(text, ".?!;")
