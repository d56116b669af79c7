"""What a meaning consists of and how it is shown, whatever its type: no domain has to say it.

The fields of a meaning hold plain values, meanings, and tuples of both. Nothing here recurses.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

import msgspec

from lear.algebra.algebra import Meaning, MeaningTable, unhashable_field
from lear.algebra.derivations import fold, post_order

T = TypeVar("T")


def children(meaning: Meaning) -> list[Meaning]:
    """Return the meanings directly inside a meaning, in the order of its fields."""
    return [value for value in _values(meaning) if isinstance(value, Meaning)]


def parts(meaning: Meaning) -> set[Meaning]:
    """Return every meaning inside a meaning, itself included."""
    inside = {meaning}
    stack = [meaning]
    while stack:
        new = [child for child in children(stack.pop()) if child not in inside]
        inside.update(new)
        stack.extend(new)
    return inside


def own_values(meaning: Meaning) -> list[Hashable]:
    """Return the strings and numbers in a meaning's fields, but not in the meanings inside it."""
    return [
        value
        for value in _values(meaning)
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]


def plain_values(meaning: Meaning) -> frozenset[Hashable]:
    """Return the strings and numbers inside a meaning."""
    return frozenset(value for part in parts(meaning) for value in own_values(part))


def structure(meaning: Meaning) -> Hashable:
    """Return a meaning as nested tuples: equal for equal meanings, also of different tables."""

    def node(part: Meaning, inner: tuple[Hashable, ...]) -> Hashable:
        return (type(part).__name__, *_fields_with(part, inner).values())

    return _folded(meaning, node)


def intern_all(meaning: Meaning, table: MeaningTable) -> Meaning:
    """Return a table's one object that is equal to a meaning whose parts need not be interned."""

    def node(part: Meaning, inner: tuple[Meaning, ...]) -> Meaning:
        return table.intern(type(part)(**_fields_with(part, inner)))

    return _folded(meaning, node)


def _folded(meaning: Meaning, node: Callable[[Meaning, tuple[T, ...]], T]) -> T:
    """Return the value of a meaning, made of the values of the meanings inside it."""
    return fold(
        post_order(meaning, children),
        arity=lambda part: len(children(part)),
        leaf=lambda part: node(part, ()),
        node=node,
    )


def _fields_with(part: Meaning, inner: Sequence[Hashable]) -> dict[str, Hashable]:
    """Return the fields of a meaning by name, with others in place of the meanings inside it."""
    remaining = iter(inner)

    def shown(value: object) -> Hashable:
        if isinstance(value, Meaning):
            return next(remaining)
        if isinstance(value, tuple):
            return tuple(map(shown, value))
        if not isinstance(value, Hashable):
            raise unhashable_field(part)
        return value

    return {name: shown(getattr(part, name)) for name in part.__struct_fields__}


def substructures(meaning: Meaning) -> frozenset[Hashable]:
    """Return the structures of all parts of a meaning: it is right as far as its parts are."""
    return frozenset(map(structure, parts(meaning)))


def _values(meaning: Meaning) -> Iterator[object]:
    """Give the values of a meaning's fields, in order; of a tuple, its own values."""
    stack: list[object] = [getattr(meaning, name) for name in meaning.__struct_fields__][::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack.extend(reversed(value))
        else:
            yield value


MAX_CHARACTERS = 400
"""Longer texts are cut off: trees of hundreds of nodes would repeat most of a sentence in each."""


def meaning_text(meaning: Meaning) -> str:
    """Return text such as `Entity(position=1, lemma=dog)`, without fields that have default values.

    No more of the meaning is looked at than is shown.
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
    """Return a text, cut off where it is too long."""
    return text if len(text) <= MAX_CHARACTERS else text[: MAX_CHARACTERS - 1] + "…"


def _pieces(meaning: Meaning) -> Iterator[str]:
    """Give the text from left to right."""
    stack: list[object] = [meaning]
    while stack:
        value = stack.pop()
        if isinstance(value, msgspec.Struct):
            fields = [
                (f"{field.name}=", held)
                for field in msgspec.structs.fields(type(value))
                if (held := getattr(value, field.name)) != field.default
            ]
            stack += reversed([type(value).__name__, *_in_brackets(fields)])
        elif isinstance(value, tuple | list | frozenset):
            stack += reversed(_in_brackets([[part] for part in value]))
        else:
            yield str(value)


def _in_brackets(groups: Sequence[Sequence[object]]) -> list[object]:
    inside = [part for group in groups for part in (", ", *group)]
    return ["(", *inside[1:], ")"]
