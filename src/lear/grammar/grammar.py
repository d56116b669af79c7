"""Numbered rules over categories: what can be built of constituents and the words beside them."""

from collections.abc import Iterable

from lear.grammar.category_table import CategoryTable
from lear.grammar.rules import Rule, make_rule, scored_as
from lear.grammar.sentence_reading import Words

Application = tuple[int, int]
"""The number of a rule, and the category of its result."""


class Grammar:
    """All legal rules, numbered as they are met, or only some of them."""

    def __init__(self, categories: CategoryTable, only: Iterable[Rule] | None = None) -> None:
        self.categories = categories
        self.shape = categories.domain.syntax.shape
        self.rules: list[Rule] = []
        self.scored: list[Rule] = []
        """For each rule the one whose score it has."""
        self._numbers: dict[Rule, int] = {}
        self.only = None if only is None else frozenset(only)
        """What the rules are scored as that there are; None if all legal ones are."""
        self._applications: dict[tuple[object, ...], tuple[Application, ...]] = {}

    def number(self, rule: Rule) -> int:
        """The number of a rule."""
        if rule not in self._numbers:
            self._numbers[rule] = len(self.rules)
            self.rules.append(rule)
            self.scored.append(self.scored_as(rule))
        return self._numbers[rule]

    def scored_as(self, rule: Rule) -> Rule:
        """The rule that a rule is the same as to a model."""
        return scored_as(self.categories.domain.syntax, rule)

    def has(self, rule: Rule) -> bool:
        """Whether there is such a rule, if it is legal."""
        return self.only is None or self.scored_as(rule) in self.only

    def unary_applications(
        self, before: Words, category: int, after: Words
    ) -> tuple[Application, ...]:
        """What can be built of one constituent with words around it."""
        return self._apply((before, category, after), (category,), (before, after))

    def binary_applications(self, left: int, between: Words, right: int) -> tuple[Application, ...]:
        """What can be built of two constituents with words between them."""
        return self._apply((left, between, right), (left, right), ((), between, ()))

    def _apply(
        self, key: tuple[object, ...], categories: tuple[int, ...], gaps: tuple[Words, ...]
    ) -> tuple[Application, ...]:
        applications = self._applications.get(key)
        if applications is None:
            symbols = self.categories.rule_symbols
            rules = (
                (make_rule(operation, symbols(operation, categories), gaps), result)
                for operation, result in self.categories.combinations(categories)
            )
            applications = self._applications[key] = tuple(
                (self.number(rule), result) for rule, result in rules if self.has(rule)
            )
        return applications
