"""What a meaning consists of, whatever its type: a domain gets these for nothing.

The fields of a meaning hold plain values, meanings, and tuples of both.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from lear.core.algebra import Meaning, MeaningTable, unhashable_field
from lear.core.derivation import fold, post_order

T = TypeVar("T")


def children(meaning: Meaning) -> list[Meaning]:
    """The meanings directly inside a meaning, in the order of its fields."""
    return [value for value in _values(meaning) if isinstance(value, Meaning)]


def parts(meaning: Meaning) -> set[Meaning]:
    """Every meaning inside a meaning, itself included."""
    inside = {meaning}
    stack = [meaning]
    while stack:
        new = [child for child in children(stack.pop()) if child not in inside]
        inside.update(new)
        stack.extend(new)
    return inside


def own_values(meaning: Meaning) -> list[Hashable]:
    """The strings and numbers in the fields of a meaning, but not in the meanings inside it."""
    return [
        value
        for value in _values(meaning)
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    ]


def plain_values(meaning: Meaning) -> frozenset[Hashable]:
    """The strings and numbers inside a meaning."""
    return frozenset(value for part in parts(meaning) for value in own_values(part))


def structure(meaning: Meaning) -> Hashable:
    """A meaning as nested tuples: equal for equal meanings, also of different tables."""

    def node(part: Meaning, inner: tuple[Hashable, ...]) -> Hashable:
        return (type(part).__name__, *_fields_with(part, inner).values())

    return _folded(meaning, node)


def intern_all(meaning: Meaning, table: MeaningTable) -> Meaning:
    """The one object of a table that is equal to this meaning, whose parts need not be interned."""

    def node(part: Meaning, inner: tuple[Meaning, ...]) -> Meaning:
        return table.intern(type(part)(**_fields_with(part, inner)))

    return _folded(meaning, node)


def _folded(meaning: Meaning, node: Callable[[Meaning, tuple[T, ...]], T]) -> T:
    """The value of a meaning, made of the values of the meanings inside it."""
    return fold(
        post_order(meaning, children),
        arity=lambda part: len(children(part)),
        leaf=lambda part: node(part, ()),
        node=node,
    )


def _fields_with(part: Meaning, inner: Sequence[Hashable]) -> dict[str, Hashable]:
    """The fields of a meaning by name, with others in place of the meanings inside it."""
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
    """The structures of all parts of a meaning: it is right as far as its parts are."""
    return frozenset(map(structure, parts(meaning)))


def _values(meaning: Meaning) -> Iterator[object]:
    """The values of a meaning's fields, in order; of a tuple, its own values."""
    stack: list[object] = [getattr(meaning, name) for name in meaning.__struct_fields__][::-1]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack.extend(reversed(value))
        else:
            yield value
