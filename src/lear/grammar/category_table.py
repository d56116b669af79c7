"""Categories: all that a grammar sees of a meaning, as a small set of numbers.

Two meanings of one category accept the same operations, with results of one category (the domain
promises it, the tests check it). So search over categories is search over all legal derivations,
packed far tighter than by meaning, and independent of which nouns and verbs a sentence contains.
"""

from collections.abc import Iterable
from typing import NamedTuple

from lear.core.algebra import Meaning, MeaningTable
from lear.domain.domain import Domain


class Combination(NamedTuple):
    """One legal way to combine categories."""

    operation: str
    symbols: tuple[str, ...]
    """What the rule shows of each argument."""
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
        self._attested: frozenset[AttestedOperation] | None = None
        self._is_preferred = domain.syntax.is_well_typed
        self._combinations: dict[tuple[int, ...], tuple[Combination, ...]] = {}
        self._symbols: dict[tuple[int, bool], str] = {}  # of a category, as a head or not

    def restricted(
        self, attested: Iterable[AttestedOperation] | None, *, by_types: bool = True
    ) -> "CategoryTable":
        """The same numbers, but other operations are legal.

        Args:
            attested: The only ones that are; None restricts nothing.
            by_types: Whether well-typed results are preferred, where the domain knows such.
        """
        if attested is None and by_types:
            return self
        table = CategoryTable(self.domain)
        table._meanings, table._numbers = self._meanings, self._numbers
        table._examples = self._examples
        table._attested = None if attested is None else frozenset(attested)
        table._is_preferred = self._is_preferred if by_types else None
        return table

    @property
    def num_categories(self) -> int:
        """How many there are so far."""
        return len(self._examples)

    def number(self, meaning: Meaning) -> int:
        """The category of a meaning, of whichever table."""
        name = self.domain.syntax.category(meaning)
        if name not in self._numbers:
            self._numbers[name] = len(self._examples)
            self._examples.append(self._meanings.intern(meaning))
        return self._numbers[name]

    def example(self, number: int) -> Meaning:
        """The first meaning of a category that was met."""
        return self._examples[number]

    def name(self, number: int) -> str:
        """The domain's name for a category."""
        return self.domain.syntax.category(self._examples[number])

    def argument_symbol(self, number: int) -> str:
        """What a rule shows of an argument of this category."""
        return self.domain.syntax.argument_symbol(self._examples[number])

    def is_complete(self, number: int) -> bool:
        """Whether meanings of this category can be answers."""
        return self.domain.language.algebra.is_complete(self._examples[number])

    def combinations(self, categories: tuple[int, ...]) -> tuple[Combination, ...]:
        """Every operation that is legal on these categories."""
        legal = self._combinations.get(categories)
        if legal is None:
            legal = self._combinations[categories] = self._legal(categories)
        return legal

    def _rule_symbols(self, operation: str, categories: tuple[int, ...]) -> tuple[str, ...]:
        """What a rule of an operation shows of its arguments."""
        head = self.domain.syntax.heads.get(operation)
        symbols = []
        for index, category in enumerate(categories):
            key = (category, index == head)
            symbol = self._symbols.get(key)
            if symbol is None:
                symbol = self.domain.syntax.symbol(self._examples[category], is_head=key[1])
                self._symbols[key] = symbol
            symbols.append(symbol)
        return tuple(symbols)

    def _legal(self, categories: tuple[int, ...]) -> tuple[Combination, ...]:
        arguments = tuple(self._examples[category] for category in categories)
        combinations = []
        preferred = []
        for operation in self.domain.language.algebra.candidates(*arguments):
            result = operation.function(*arguments)
            if result is None:  # most pairs of categories come to nothing
                continue
            symbols = self._rule_symbols(operation.name, categories)
            if self._attested is None or (operation.name, symbols) in self._attested:
                combinations.append(Combination(operation.name, symbols, self.number(result)))
                if self._is_preferred is not None and self._is_preferred(result):
                    preferred.append(combinations[-1])
        return tuple(preferred or combinations)
