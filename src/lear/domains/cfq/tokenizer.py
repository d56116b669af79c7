"""Questions as tokens: words, commas, and the units `'s` and `,and`."""

import re

from lear.core.plain_text import lower, plain, words_and_marks

_NATIONALITIES = (
    "American", "British", "Canadian", "Chinese", "Dutch", "French", "German", "Italian",
    "Japanese", "Mexican", "Spanish", "Swedish",
)  # fmt: skip
_WRITTEN = {word.lower(): word for word in _NATIONALITIES} | {"an": "a"}  # CFQ writes "a actor"
_ENTITY = re.compile(r"m[0-9]+")
_POSSESSIVE_APART = re.compile(r"' s(?!\w)")


def tokenize(text: str) -> tuple[str, ...]:
    """The tokens of a question, with or without spaces around its marks (`M0 ' s editor`)."""
    question = _POSSESSIVE_APART.sub("'s", lower(plain(text)).replace("-", " "))
    tokens: list[str] = []
    for word in words_and_marks(question, marks=","):
        before = tokens[-1] if tokens else ","
        if word == "and" and tokens and before == ",":
            tokens[-1] = ",and"  # before the last item of a list
        elif word != "," or before != ",":
            tokens.append(_spelt(word))
    if tokens and tokens[-1] == ",":
        tokens.pop()
    if tokens and tokens[0].isascii():
        tokens[0] = tokens[0][0].upper() + tokens[0][1:]
    return tuple(tokens)


def _spelt(word: str) -> str:
    is_entity = word.startswith("m") and _ENTITY.fullmatch(word)
    return word.upper() if is_entity else _WRITTEN.get(word, word)


def num_words(text: str) -> int:
    """The length of a question as CFQ's preprocessing counts it: every mark is a word."""
    return len(re.findall(r"[^\W_]+|[^\w\s]|_", text))
