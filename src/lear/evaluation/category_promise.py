"""Whether a domain keeps its promise: meanings of one category accept the same operations.

Search over categories tries one meaning of each. Where another one behaves otherwise, search finds
what cannot be composed, or misses what can. The promise is tested on meanings that derivations of
rows have, combined with each other.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lear.core.algebra import Meaning
from lear.domain.domain import Domain
from lear.search.chart import Item

MAX_OF_ONE_KIND = 3
"""Meanings of one category that are kept of each kind: made by one operation, or of one type."""
MAX_CHECKS = 50_000
"""How many combinations are looked at."""
MAX_SHOWN = 100
"""Characters of a meaning in a message."""


class BrokenPromise(NamedTuple):
    """Two meanings of one category that an operation treats differently."""

    category: str
    operation: str
    first: str
    second: str
    difference: str

    def __str__(self) -> str:
        return (
            f"category {self.category!r} promises too much: {self.operation} {self.difference}: "
            f"{self.first} and {self.second}"
        )


class CategoryPromise:
    """Meanings of each category, collected as rows are searched."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._kept: dict[str, dict[object, list[Meaning]]] = {}

    def add(self, items: Iterable[Item[Meaning]]) -> None:
        """Keep some of the meanings that were built."""
        for item in items:
            label = item.edges[0].label
            kind = label if isinstance(label, str) else label.type
            kinds = self._kept.setdefault(self.domain.syntax.category(item.value), {})
            kept = kinds.setdefault(kind, [])
            if len(kept) < MAX_OF_ONE_KIND:
                kept.append(item.value)

    def broken(self) -> list[BrokenPromise]:
        """What does not hold; each operation of a category is named once."""
        found: dict[tuple[str, str], BrokenPromise] = {}
        for number, promise in enumerate(self._checks()):
            if promise is not None:
                found.setdefault((promise.category, promise.operation), promise)
            if number >= MAX_CHECKS:
                break
        return list(found.values())

    def _checks(self) -> Iterator[BrokenPromise | None]:
        """Compare each meaning with the first of its category, alone and beside others."""
        meanings = {
            category: [meaning for kept in kinds.values() for meaning in kept]
            for category, kinds in self._kept.items()
        }
        firsts = [group[0] for group in meanings.values()]
        for category, (first, *others) in meanings.items():
            for other in others:
                yield from self._compare(category, first, other, (first,), (other,))
                for beside in firsts:
                    left = ((first, beside), (other, beside))
                    right = ((beside, first), (beside, other))
                    for arguments in (left, right):
                        yield from self._compare(category, first, other, *arguments)

    def _compare(
        self,
        category: str,
        first: Meaning,
        second: Meaning,
        first_arguments: tuple[Meaning, ...],
        second_arguments: tuple[Meaning, ...],
    ) -> Iterator[BrokenPromise | None]:
        one, two = self._behaviour(first_arguments), self._behaviour(second_arguments)
        yield None
        for operation in {**one, **two}:
            if one.get(operation) != two.get(operation):
                yield BrokenPromise(
                    category,
                    operation,
                    _shown(first),
                    _shown(second),
                    _difference(one.get(operation), two.get(operation), len(first_arguments)),
                )

    def _behaviour(self, arguments: tuple[Meaning, ...]) -> dict[str, str]:
        """Operation -> the category of its result, for those that are defined."""
        results = {
            operation.name: operation.function(*arguments)
            for operation in self.domain.language.algebra.candidates(*arguments)
        }
        return {
            name: self.domain.syntax.category(result)
            for name, result in results.items()
            if result is not None
        }


def _difference(first: str | None, second: str | None, arity: int) -> str:
    beside = " beside one and the same meaning" if arity > 1 else ""
    if first is None or second is None:
        defined = "the second" if first is None else "the first"
        return f"is defined on {defined} only of two meanings{beside}"
    return f"gives {first!r} and {second!r} for two meanings{beside}"


def _shown(meaning: Meaning) -> str:
    text = repr(meaning)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
