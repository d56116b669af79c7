"""Mistakes of lear's own, or of a domain, as logs tell of them: without what clients wrote."""

import re
from collections.abc import Iterable
from pathlib import Path
from traceback import extract_tb

import msgspec

MAX_TEXT = 300
"""Characters of a message."""
BEGINNING = 3
"""Words that begin alike are taken for one: `slept` may have become `sleep`."""
_WORD = re.compile(r"\w+")


class Mistake(msgspec.Struct, frozen=True, array_like=True):
    """What went wrong, for who can mend it."""

    kind: str
    """The type of the exception."""
    place: str
    """Where it was raised: file, line and function."""
    text: str
    """Its message; dots stand for words that may be a client's."""


def mistake_of(error: BaseException, written: Iterable[str]) -> Mistake:
    """What there is to say of an exception.

    Args:
        error: The exception; what it came of is its place, where it says so.
        written: What a client wrote.
    """
    message = (str(error).splitlines() or [""])[0]
    begins = {word[:BEGINNING] for text in written for word in _words(text)}

    def shown(match: re.Match[str]) -> str:
        return "…" if any(word[:BEGINNING] in begins for word in _words(match[0])) else match[0]

    return Mistake(type(error).__name__, place_of(error), _WORD.sub(shown, message)[:MAX_TEXT])


def place_of(error: BaseException) -> str:
    """Where an exception was raised."""
    frames = extract_tb((error.__cause__ or error).__traceback__)
    if not frames:
        return ""
    path = Path(frames[-1].filename)
    return f"{path.parent.name}/{path.name}:{frames[-1].lineno} in {frames[-1].name}"


def _words(text: str) -> Iterable[str]:
    return re.findall(r"[^\W_]+", text.casefold())
