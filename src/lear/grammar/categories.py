"""Categories: all that a grammar sees of a meaning, as a small set of numbers.

Two meanings of one category accept the same operations, with results of one category (the domain
promises it, the tests check it). So search over categories is search over all legal derivations,
packed far tighter than by meaning, and independent of which nouns and verbs a sentence contains.
"""

from collections.abc import Iterable
from typing import NamedTuple

from lear.algebra.algebra import Meaning, MeaningTable
from lear.domain import Domain


class Combination(NamedTuple):
    """One legal way to combine categories."""

    operation: str
    result: int


AttestedOperation = tuple[str, tuple[str, ...]]
"""An operation, and what its rule shows of its arguments."""


class CategoryTable:
    """Numbers for the categories of a domain, given as they are met, each with one example."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self._meanings = MeaningTable(domain.language.algebra)
        self._numbers: dict[str, int] = {}
        self._examples: list[Meaning] = []
        self._complete: list[bool | None] = []  # of these; None: not asked yet
        self._attested: frozenset[AttestedOperation] | None = None
        self._is_preferred = domain.syntax.is_well_typed
        self._combinations: dict[tuple[int, ...], tuple[Combination, ...]] = {}
        self._rule_symbols: dict[tuple[str, tuple[int, ...]], tuple[str, ...]] = {}
        self._symbols: tuple[dict[int, str], dict[int, str]] = {}, {}  # as an argument, as a head

    def restricted(
        self, attested: Iterable[AttestedOperation] | None, *, by_types: bool = True
    ) -> "CategoryTable":
        """Return a table with the same numbers, in which other operations are legal.

        Args:
            attested: The only ones that are; None restricts nothing.
            by_types: Prefers well-typed results, where the domain knows such.
        """
        if attested is None and by_types:
            return self
        table = CategoryTable(self.domain)
        table._meanings, table._numbers = self._meanings, self._numbers
        table._examples, table._complete = self._examples, self._complete
        table._symbols = self._symbols
        table._attested = None if attested is None else frozenset(attested)
        table._is_preferred = self._is_preferred if by_types else None
        return table

    @property
    def num_categories(self) -> int:
        """Return how many there are so far."""
        return len(self._examples)

    def number(self, meaning: Meaning) -> int:
        """Return the category of a meaning, of whichever table."""
        name = self.domain.syntax.category(meaning)
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._examples)
            self._examples.append(self._meanings.intern(meaning))
            self._complete.append(None)
        return number

    def example(self, number: int) -> Meaning:
        """Return a meaning of a category: the first that was met."""
        return self._examples[number]

    def name(self, number: int) -> str:
        """Return the domain's name for a category."""
        return self.domain.syntax.category(self.example(number))

    def argument_symbol(self, number: int) -> str:
        """Return what a rule shows of an argument of this category."""
        return self.domain.syntax.argument_symbol(self.example(number))

    def is_complete(self, number: int) -> bool:
        """Return whether meanings of this category can be answers."""
        known = self._complete[number]
        if known is None:
            known = self.domain.language.algebra.is_complete(self.example(number))
            self._complete[number] = known
        return known

    def combinations(self, categories: tuple[int, ...]) -> tuple[Combination, ...]:
        """Return every operation that is legal on these categories."""
        legal = self._combinations.get(categories)
        if legal is None:
            legal = self._combinations[categories] = self.find_combinations(categories)
        return legal

    def rule_symbols(self, operation: str, categories: tuple[int, ...]) -> tuple[str, ...]:
        """Return what a rule of an operation shows of its arguments."""
        symbols = self._rule_symbols.get((operation, categories))
        if symbols is None:
            head = self.domain.syntax.heads.get(operation)
            symbols = tuple(self.symbol(c, is_head=n == head) for n, c in enumerate(categories))
            self._rule_symbols[operation, categories] = symbols
        return symbols

    def symbol(self, number: int, *, is_head: bool) -> str:
        """Return what a rule shows of a head, or of another argument, of this category."""
        known = self._symbols[is_head]
        if number not in known:
            known[number] = self.domain.syntax.symbol(self.example(number), is_head=is_head)
        return known[number]

    def find_combinations(self, categories: tuple[int, ...]) -> tuple[Combination, ...]:
        """Find out what `combinations` tells, for callers that remember it themselves."""
        arguments = [self.example(category) for category in categories]
        attested = self._attested
        combinations = []
        preferred = []
        for operation in self.domain.language.algebra.candidates(*arguments):
            result = operation.function(*arguments)
            if result is None:  # most pairs of categories come to nothing
                continue
            name = operation.name
            if attested is None or (name, self.rule_symbols(name, categories)) in attested:
                combinations.append(Combination(name, self.number(result)))
                if self._is_preferred is not None and self._is_preferred(result):
                    preferred.append(combinations[-1])
        return tuple(preferred or combinations)
