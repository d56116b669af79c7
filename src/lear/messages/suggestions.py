"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches

import msgspec


def did_you_mean(name: str, choices: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or the list of choices if none is similar."""
    names = sorted(choices)
    return nearest(name, names) or f"; there are {', '.join(names)}"


def nearest(name: str, choices: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing if no choice is similar: for choices too many to list."""
    close = get_close_matches(name, sorted(choices), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def explain(error: msgspec.ValidationError, *kinds: type[msgspec.Struct]) -> str:
    """The message of an error in settings, with a suggestion for an unknown setting."""
    message = str(error)
    if "unknown field" not in message:
        return message
    settings = {field.name for kind in kinds for field in msgspec.structs.fields(kind)}
    return message + did_you_mean(message.split("`")[1], settings)
