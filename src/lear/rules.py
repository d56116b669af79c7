"""Rules of the latent grammar: an operation and the yield that it was applied to.

A yield is the abstraction of the paper's Eq. 6: the function words of a node, and of each child
only a symbol. `take_agent` over `[Verb] by [NounPhrase]` is a rule.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lear.algebra import Meaning
from lear.categories import rule_symbols
from lear.chart import Edge, Item
from lear.derivation import Derivation
from lear.domain import Domain
from lear.forest import Forest


class Rule(NamedTuple):
    """An operation over a yield; the symbols of children stand in brackets."""

    operation: str
    parts: tuple[str, ...]

    def __str__(self) -> str:
        return f"{' '.join(self.parts)}  =>  {self.operation}"

    @property
    def symbols(self) -> tuple[str, ...]:
        """What it shows of its arguments."""
        return tuple(part[1:-1] for part in self.parts if is_symbol(part))

    @property
    def words(self) -> tuple[str, ...]:
        """The function words of its yield."""
        return tuple(word_of(part) for part in self.parts if not is_symbol(part))


def is_symbol(part: str) -> bool:
    """Whether a part of a yield stands for a child."""
    return part.startswith("[")


def word_of(part: str) -> str:
    """The function word of a part that is no symbol."""
    return part.removeprefix("\\")


def _part(word: str | None) -> str:
    """A word as a part of a yield; what could be taken for a symbol is escaped."""
    return f"\\{word}" if word and word[0] in "[\\" else word or ""


def make_rule(operation: str, symbols: Sequence[str], gaps: Sequence[Sequence[str | None]]) -> Rule:
    """The rule of a node: symbols of its children, and words before, between and after them."""
    parts = [_part(word) for word in gaps[0]]
    for symbol, words in zip(symbols, gaps[1:], strict=True):
        parts.extend((f"[{symbol}]", *map(_part, words)))
    return Rule(operation, tuple(parts))


def rule_of(
    domain: Domain, item: Item[Meaning], edge: Edge[Meaning], tokens: tuple[str, ...]
) -> Rule:
    """The rule that an edge of a chart of meanings uses."""
    symbols = rule_symbols(domain, edge.label, tuple(child.value for child in edge.children))
    borders = [item.begin, *(b for c in edge.children for b in (c.begin, c.end)), item.end]
    gaps = [tokens[b:e] for b, e in zip(borders[::2], borders[1::2], strict=True)]
    return make_rule(edge.label, symbols, gaps)


def rules_in(domain: Domain, forest: Forest[Meaning], tokens: tuple[str, ...]) -> Iterator[Rule]:
    """The rule of every edge of a forest."""
    for item in forest.items():
        for edge in item.edges:
            if edge.children:
                yield rule_of(domain, item, edge, tokens)


@dataclass
class RuleCounts:
    """How often each rule occurs in forests that leave no choice."""

    domain: Domain
    counts: Counter[Rule] = field(default_factory=Counter)

    def add(self, forest: Forest[Meaning], tokens: tuple[str, ...]) -> None:
        """Count the rules of a forest with exactly one derivation; others teach nothing."""
        if forest.count() == 1:
            self.counts.update(rules_in(self.domain, forest, tokens))

    def best(self, forest: Forest[Meaning], tokens: tuple[str, ...]) -> Derivation:
        """The derivation whose rules are most frequent."""
        return forest.best(lambda item, edge: self.score(item, edge, tokens))

    def score(self, item: Item[Meaning], edge: Edge[Meaning], tokens: tuple[str, ...]) -> float:
        """The log of a rule's count, plus one so that a rule never seen is only unlikely."""
        if not edge.children:
            return 0.0
        return math.log1p(self.counts[rule_of(self.domain, item, edge, tokens)])
