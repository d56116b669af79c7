"""Whether a domain keeps its promise: meanings of one category accept the same operations.

Search over categories tries one meaning of each. Where another one behaves otherwise, search finds
what cannot be composed, or misses what can. The promise is tested on meanings that derivations of
rows have, combined with each other.

Coverage: the share of rows whose meaning some derivation reaches exactly.

Round trip: whether every form of a benchmark is read and printed back.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import msgspec

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Domain, Target, logic_reward
from lear.errors import SearchLimitError, named_row
from lear.forest.chart import Item
from lear.forest.oracle import Oracle

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


@dataclass(frozen=True, slots=True)
class Reached:
    """A row whose gold meaning has this many derivations."""

    example: Example
    num_derivations: int


class Unreached(msgspec.Struct, frozen=True):
    """A row out of reach: one line of the JSONL that `lear coverage --unreachable` writes."""

    source: str
    category: str
    sentence: str
    form: str
    reason: str
    nearest: str | None
    """The form in reach that agrees best with gold; None if none is in reach or was found."""
    nearest_reward: float
    """Their logic-based reward; 0 without a nearest form."""


@dataclass
class Tally:
    """Rows counted under one heading."""

    n: int = 0
    covered: int = 0
    derivations: Counter[int] = field(default_factory=Counter)
    """Number of derivations -> how many rows have it."""

    def add(self, outcome: Reached | Unreached) -> None:
        """Count one row."""
        self.n += 1
        if isinstance(outcome, Reached):
            self.covered += 1
            self.derivations[outcome.num_derivations] += 1

    @classmethod
    def total(cls, tallies: Iterable["Tally"]) -> "Tally":
        """All rows of several tallies."""
        result = cls()
        for tally in tallies:
            result.n += tally.n
            result.covered += tally.covered
            result.derivations += tally.derivations
        return result

    @property
    def coverage(self) -> float:
        """The share of rows in reach; 0 without rows."""
        return self.covered / self.n if self.n else 0.0

    @property
    def median_derivations(self) -> int:
        """The (upper) median number of derivations of a row in reach; 0 if none is."""
        return sorted(self.derivations.elements())[self.covered // 2] if self.covered else 0

    @property
    def most_derivations(self) -> int:
        """The largest number of derivations of a row; 0 if none is in reach."""
        return max(self.derivations, default=0)


def coverage(
    oracle: Oracle,
    examples: Iterable[Example],
    *,
    nearest: bool = False,
    promise: CategoryPromise | None = None,
) -> Iterator[Reached | Unreached]:
    """The outcome of each row, in order; a form that cannot be read stops with its row named.

    Args:
        oracle: What to search with.
        examples: The rows.
        nearest: For rows out of reach, also look for the nearest form in reach: that takes long.
        promise: Is shown the meanings that derivations have.
    """
    for example in examples:
        try:
            forest = oracle.gold_forest(example, overlook=True)
        except SearchLimitError as error:
            yield _unreached(oracle, example, str(error), nearest=nearest)
            continue
        if forest is not None:
            if promise is not None:
                promise.add(forest.items())
            yield Reached(example, forest.count())
        else:
            reason = why_unreached(oracle, example.tokens)
            yield _unreached(oracle, example, reason, nearest=nearest)


def why_unreached(oracle: Oracle, tokens: tuple[str, ...]) -> str:
    """Words that stand for nothing, if there are any."""
    words = oracle.reader.read(tokens).meaningless_words
    return f"words without a meaning: {' '.join(words)}" if words else "no derivation"


def _unreached(oracle: Oracle, example: Example, reason: str, *, nearest: bool) -> Unreached:
    domain = oracle.domain
    table = MeaningTable(domain.language.algebra)
    gold = domain.language.read_gold(example, table)
    closest = None
    try:
        closest = oracle.nearest(example.tokens, gold, table) if nearest else None
    except SearchLimitError as error:
        reason = f"{reason}; nearest form: {error}"
    return Unreached(
        source=example.source,
        category=example.group,
        sentence=example.sentence,
        form=example.form,
        reason=reason,
        nearest=None if closest is None else domain.language.render(closest),
        nearest_reward=(
            0.0
            if closest is None
            else logic_reward(domain.metrics, closest, Target.of(domain.metrics, gold))
        ),
    )


class Altered(NamedTuple):
    """A row whose form prints back with other letters."""

    example: Example
    printed: str
    is_same_meaning: bool
    """Whether what was printed still means the same."""


def altered(domain: Domain, examples: Iterable[Example]) -> Iterator[Altered]:
    """The rows whose form prints back differently, with what it printed."""
    for example in examples:
        table = MeaningTable(domain.language.algebra)
        meaning = domain.language.read_gold(example, table)
        with named_row(example.source):
            printed = domain.language.render(meaning)
            is_same = printed == example.form
            again = meaning if is_same else domain.language.read(printed, example.tokens, table)
        if not is_same:
            yield Altered(example, printed, again is meaning)
