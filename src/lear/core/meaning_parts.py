"""What a meaning consists of, whatever its type: a domain gets these for nothing.

The fields of a meaning hold plain values, meanings, and tuples of both.
"""

from collections.abc import Hashable, Iterator

from lear.core.algebra import Meaning
from lear.core.derivation import fold, post_order


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
        remaining = iter(inner)

        def shown(value: object) -> Hashable:
            if isinstance(value, Meaning):
                return next(remaining)
            if isinstance(value, tuple):
                return tuple(map(shown, value))
            assert isinstance(value, Hashable)
            return value

        fields = (getattr(part, name) for name in part.__struct_fields__)
        return (type(part).__name__, *map(shown, fields))

    return fold(
        post_order(meaning, children),
        arity=lambda part: len(children(part)),
        leaf=lambda part: node(part, ()),
        node=node,
    )


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
