"""Coverage: the share of rows whose gold meaning some derivation reaches exactly.

Beside it, two things that a domain must keep to: every form prints back as it was read, and
meanings of one category accept the same operations. Search over categories tries one meaning of
each; where another one behaves differently, it finds what cannot be composed, or misses what can.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple

import msgspec

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.domain import Domain, Target, logic_reward
from lear.errors import SearchLimitError, named_row
from lear.forest.chart import Item
from lear.forest.oracle import Oracle

MAX_OF_ONE_KIND = 3
"""The number of meanings of a category that are kept for each operation or type that makes them."""
MAX_CHECKS = 50_000
"""The number of combinations that are compared at most."""
MAX_SHOWN = 100
"""The number of characters of a meaning in a message."""


class _Comparison(NamedTuple):
    """Two meanings of one category, as arguments beside the same others."""

    category: str
    first: Meaning
    second: Meaning
    first_arguments: tuple[Meaning, ...]
    second_arguments: tuple[Meaning, ...]


class CategoryPromise:
    """A test that meanings of one category accept the same operations, on meanings of rows."""

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

    def broken(self) -> list[str]:
        """Say which operations treat meanings of a category differently, each one once."""
        found: dict[tuple[str, str], str] = {}
        for category, first, second, *arguments in islice(self._comparisons(), MAX_CHECKS):
            one, two = map(self._results, arguments)
            for operation in {**one, **two}:
                if one.get(operation) != two.get(operation):
                    how = _difference(one.get(operation), two.get(operation), len(arguments[0]))
                    text = (
                        f"category {category!r} promises too much: {operation} {how}: "
                        f"{_shown(first)} and {_shown(second)}"
                    )
                    found.setdefault((category, operation), text)
        return list(found.values())

    def _comparisons(self) -> Iterator[_Comparison]:
        """Compare each meaning with the first of its category, alone and beside others."""
        meanings = {
            category: [meaning for kept in kinds.values() for meaning in kept]
            for category, kinds in self._kept.items()
        }
        others = [group[0] for group in meanings.values()]
        for category, (first, *rest) in meanings.items():
            for second in rest:
                yield _Comparison(category, first, second, (first,), (second,))
                for other in others:
                    yield _Comparison(category, first, second, (first, other), (second, other))
                    yield _Comparison(category, first, second, (other, first), (other, second))

    def _results(self, arguments: tuple[Meaning, ...]) -> dict[str, str]:
        """Return the category of the result of each operation that is defined."""
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
    derivations: Counter[int] = field(default_factory=Counter)
    """The number of derivations of rows in reach -> how many rows have it."""
    seconds: float = 0.0
    """The time of the search."""

    def add(self, outcome: Reached | Unreached) -> None:
        """Count one row."""
        self.n += 1
        if isinstance(outcome, Reached):
            self.derivations[outcome.num_derivations] += 1

    @classmethod
    def total(cls, tallies: Iterable["Tally"]) -> "Tally":
        """Add up several tallies."""
        result = cls()
        for tally in tallies:
            result.n += tally.n
            result.derivations += tally.derivations
            result.seconds += tally.seconds
        return result

    @property
    def covered(self) -> int:
        """The number of rows in reach."""
        return self.derivations.total()

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
    """Yield the outcome of each row, in order; the error of a form that cannot be read names it.

    With `nearest`, the nearest form in reach is searched for too, which takes long.
    """
    for example in examples:
        forest = None
        try:
            forest = oracle.gold_forest(example, overlook=True)
            reason = "" if forest is not None else why_unreached(oracle, example.tokens)
        except SearchLimitError as error:
            reason = str(error)
        if forest is None:
            yield _unreached(oracle, example, reason, nearest=nearest)
            continue
        if promise is not None:
            promise.add(forest.items())
        yield Reached(example, forest.count())


def why_unreached(oracle: Oracle, tokens: tuple[str, ...]) -> str:
    """Name the words that stand for nothing, if there are any."""
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
    form, reward = None, 0.0
    if closest is not None:
        form = domain.language.render(closest)
        reward = logic_reward(domain.metrics, closest, Target.of(domain.metrics, gold))
    return Unreached(
        example.source, example.group, example.sentence, example.form, reason, form, reward
    )


class Altered(NamedTuple):
    """A row whose form prints back differently."""

    example: Example
    printed: str
    is_same_meaning: bool
    """True if the printed form still means the same."""


def altered(domain: Domain, examples: Iterable[Example]) -> Iterator[Altered]:
    """Yield the rows whose form prints back differently."""
    for example in examples:
        table = MeaningTable(domain.language.algebra)
        meaning = domain.language.read_gold(example, table)
        with named_row(example.source):
            printed = domain.language.render(meaning)
            if printed == example.form:
                continue
            again = domain.language.read(printed, example.tokens, table)
        yield Altered(example, printed, again is meaning)
