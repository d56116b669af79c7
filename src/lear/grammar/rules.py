"""Rules of the latent grammar: an operation and the yield that it is applied to.

A yield is the abstraction of the paper's Eq. 6: the function words of a node, and of each child
only a symbol. `take_agent` over `[Verb] by [NounPhrase]` is a rule. A `Grammar` numbers rules and
knows what can be built of constituents and the words beside them.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from lear.domain import Syntax
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import Words


class Rule(NamedTuple):
    """An operation over a yield; the symbols of children stand in brackets."""

    operation: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.parts)}  =>  {self.operation}"

    @property
    def symbols(self) -> tuple[str, ...]:
        """Return what it shows of its arguments."""
        return tuple(part[1:-1] for part in self.parts if is_symbol(part))

    @property
    def gaps(self) -> list[tuple[str, ...]]:
        """Return its function words: before the first child, between children, after the last."""
        gaps: list[tuple[str, ...]] = [()]
        for part in self.parts:
            if is_symbol(part):
                gaps.append(())
            else:
                gaps[-1] += (word_of(part),)
        return gaps


def scored_as(syntax: Syntax, rule: Rule) -> Rule:
    """Return the rule that a rule is the same as to a model."""
    return rule if syntax.scored_as is None else Rule(*syntax.scored_as(rule))


def is_symbol(part: str) -> bool:
    """Return whether a part of a yield stands for a child."""
    return part.startswith("[")


def word_of(part: str) -> str:
    """Return the function word of a part that is no symbol."""
    return part.removeprefix("\\")


def symbol_part(symbol: str) -> str:
    """Return a child's symbol as a part of a yield."""
    return f"[{symbol}]"


def word_part(word: str | None) -> str:
    """Return a word as a part of a yield; what could be taken for a symbol is escaped."""
    return f"\\{word}" if word and word[0] in "[\\" else word or ""


def make_rule(operation: str, symbols: Sequence[str], gaps: Sequence[Sequence[str | None]]) -> Rule:
    """Return a node's rule: symbols of its children, and words before, between, after them."""
    parts = [word_part(word) for word in gaps[0]]
    for symbol, words in zip(symbols, gaps[1:], strict=True):
        parts.append(symbol_part(symbol))
        if words:
            parts.extend(map(word_part, words))
    return Rule(operation, tuple(parts))


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
        """Return the number of a rule."""
        if rule not in self._numbers:
            self._numbers[rule] = len(self.rules)
            self.rules.append(rule)
            self.scored.append(self.scored_as(rule))
        return self._numbers[rule]

    def scored_as(self, rule: Rule) -> Rule:
        """Return the rule that a rule is the same as to a model."""
        return scored_as(self.categories.domain.syntax, rule)

    def has(self, rule: Rule) -> bool:
        """Return whether there is such a rule, if it is legal."""
        return self.only is None or self.scored_as(rule) in self.only

    def unary_applications(
        self, before: Words, category: int, after: Words
    ) -> tuple[Application, ...]:
        """Return what can be built of one constituent with words around it."""
        return self._apply((before, category, after), (category,), (before, after))

    def binary_applications(self, left: int, between: Words, right: int) -> tuple[Application, ...]:
        """Return what can be built of two constituents with words between them."""
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
