"""Categories: all that a grammar sees of a meaning, as a small set of numbered symbols.

Two meanings of one category accept the same operations, with results of one category (the domain
promises it, the tests check it). So search over categories is search over all legal derivations,
packed far tighter than by meaning, and independent of which nouns and verbs a sentence contains.
"""

from collections.abc import Iterable
from typing import NamedTuple

from lear.algebra import Meaning, MeaningTable
from lear.domain import Domain


class Step(NamedTuple):
    """One legal way to combine categories."""

    operation: str
    symbols: tuple[str, ...]
    """What the rule shows of each argument: the head's own category, others only as closed."""
    result: int


Attested = tuple[str, tuple[str, ...]]
"""An operation and what its rule shows of its arguments."""


class CategoryTable:
    """Numbers for the categories of a domain, found as they are met, each with one example."""

    def __init__(self, domain: Domain, only: Iterable[Attested] | None = None) -> None:
        """Every operation that types allow, or `only` those on the arguments listed."""
        self.domain = domain
        self._only = None if only is None else frozenset(only)
        self._meanings = MeaningTable(domain.algebra)
        self._numbers: dict[str, int] = {}
        self._examples: list[Meaning] = []
        self._steps: dict[tuple[int, ...], tuple[Step, ...]] = {}

    @property
    def num_categories(self) -> int:
        """How many there are so far."""
        return len(self._examples)

    def number(self, meaning: Meaning) -> int:
        """The category of a meaning, of whichever table."""
        name = self.domain.category(meaning)
        if name not in self._numbers:
            self._numbers[name] = len(self._examples)
            self._examples.append(self._meanings.intern(meaning))
        return self._numbers[name]

    def name(self, number: int) -> str:
        """The domain's name for a category."""
        return self.domain.category(self._examples[number])

    def closed(self, number: int) -> str:
        """What a grammar sees of an argument of this category."""
        return self.domain.closed(self._examples[number])

    def is_complete(self, number: int) -> bool:
        """Whether meanings of this category can be answers."""
        return self.domain.algebra.is_complete(self._examples[number])

    def steps(self, categories: tuple[int, ...]) -> tuple[Step, ...]:
        """Every operation that is legal on these categories."""
        known = self._steps.get(categories)
        if known is None:
            known = self._steps[categories] = self._legal_steps(categories)
        return known

    def _legal_steps(self, categories: tuple[int, ...]) -> tuple[Step, ...]:
        arguments = tuple(self._examples[category] for category in categories)
        steps = []
        for operation in self.domain.algebra.candidates(*arguments):
            result = self._meanings.apply(operation, arguments)
            symbols = rule_symbols(self.domain, operation.name, arguments)
            is_allowed = self._only is None or (operation.name, symbols) in self._only
            if result is not None and is_allowed:
                steps.append(Step(operation.name, symbols, self.number(result)))
        return tuple(steps)


def rule_symbols(domain: Domain, operation: str, arguments: tuple[Meaning, ...]) -> tuple[str, ...]:
    """What a rule of this operation shows of its arguments."""
    head = domain.heads.get(operation)
    see_head = domain.head or domain.category
    return tuple(
        see_head(argument) if index == head else domain.closed(argument)
        for index, argument in enumerate(arguments)
    )
