"""Sentences as tokens, in the spelling of COGS.

The files of the benchmark are tokens already: this leaves their sentences as they are.
"""

import re
from itertools import groupby

from lear.core.plain_text import is_shouted, lower, plain, words_and_marks

ENDS = ".?!"
DETERMINERS = ("a", "the")
_SPELT = {"a": "a", "an": "a", "the": "the", "tv": "TV"}  # COGS writes "a envelope"
_ANY_CASE = re.compile(rf"(?<!\w)(?:{'|'.join(_SPELT)})(?!\w)", re.IGNORECASE)
_QUESTION_WORDS = frozenset(
    ("who", "whom", "whose", "what", "which", "where", "when", "why", "how")
)


def tokenize(text: str) -> tuple[str, ...]:
    """`the girl slept` -> The girl slept . (a lone word has no full stop)."""
    # Each sentence ends once, however many marks it ends with.
    found = words_and_ends(text)
    sentences = [list(part) for is_end, part in groupby(found, ENDS.__contains__) if not is_end]
    if not sentences:
        return ()
    tokens = [_spelt(word) for words in sentences for word in (*words, ".")]
    if len(tokens) == 2:
        return (tokens[0],)
    if tokens[0] in DETERMINERS:
        tokens[0] = tokens[0].capitalize()
    # COGS asks nothing. With a full stop, "Who slept?" would be about somebody called Who.
    if tokens[0].lower() in _QUESTION_WORDS:
        tokens[-1] = "?"
    return tuple(tokens)


def words_and_ends(text: str) -> list[str]:
    """The words of a text and the marks that sentences end with, not in capitals throughout."""
    plain_text = plain(text)
    if is_shouted(_ANY_CASE.sub("", plain_text)):
        plain_text = lower(plain_text)
    return list(words_and_marks(plain_text, marks=ENDS))


def _spelt(word: str) -> str:
    return _SPELT.get(word.lower(), word)
