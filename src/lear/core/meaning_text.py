"""Any meaning as text for people, complete or not: its type, and what its fields hold."""

from collections.abc import Iterator, Sequence

import msgspec

from lear.core.algebra import Meaning

MAX_CHARACTERS = 400
"""Longer texts are cut off: trees of hundreds of nodes would repeat most of a sentence in each."""


def meaning_text(meaning: Meaning) -> str:
    """A meaning such as `Entity(position=1, lemma=dog)`; fields with default values are left out.

    No more of it is looked at than is shown, and nothing recurses.
    """
    shown: list[str] = []
    size = 0
    for piece in _pieces(meaning):
        shown.append(piece)
        size += len(piece)
        if size > MAX_CHARACTERS:
            break
    return shortened("".join(shown))


def shortened(text: str) -> str:
    """A text, cut off where it is too long."""
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def _pieces(meaning: Meaning) -> Iterator[str]:
    """The text from left to right."""
    stack: list[object] = [meaning]
    while stack:
        value = stack.pop()
        if isinstance(value, msgspec.Struct):
            stack += reversed([type(value).__name__, *_in_brackets(_fields(value))])
        elif isinstance(value, tuple | list | frozenset):
            stack += reversed(_in_brackets([[part] for part in value]))
        else:
            yield str(value)


def _fields(value: msgspec.Struct) -> list[Sequence[object]]:
    """Name and value of each field that says something."""
    return [
        (f"{field.name}=", held)
        for field in msgspec.structs.fields(type(value))
        if (held := getattr(value, field.name)) != field.default
    ]


def _in_brackets(groups: Sequence[Sequence[object]]) -> list[object]:
    inside = [part for group in groups for part in (", ", *group)]
    return ["(", *inside[1:], ")"]
