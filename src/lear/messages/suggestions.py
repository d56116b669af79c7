"""Naming what the user probably meant."""

from collections.abc import Iterable
from difflib import get_close_matches

import msgspec


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or the list of what there is."""
    names = sorted(known)
    return nearest(name, names) or f"; there are {', '.join(names)}"


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?`, or nothing: for what there is too much of to be listed."""
    close = get_close_matches(name, sorted(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def explain(error: msgspec.ValidationError, *kinds: type[msgspec.Struct]) -> str:
    """What is wrong with settings, with the name that an unknown one may be a slip of."""
    message = str(error)
    if "unknown field" not in message:
        return message
    known = {field.name for kind in kinds for field in msgspec.structs.fields(kind)}
    return message + did_you_mean(message.split("`")[1], known)
