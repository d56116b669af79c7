"""Coverage: the share of rows whose meaning some derivation reaches exactly."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import msgspec

from lear.core.algebra import MeaningTable
from lear.domain.example import Example
from lear.domain.rewards import Target, logic_reward
from lear.errors import SearchLimitError
from lear.evaluation.category_promise import CategoryPromise
from lear.search.oracle import Oracle


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
