"""Rules of the latent grammar: an operation and the yield that it is applied to.

A yield is the abstraction of the paper's Eq. 6: the function words of a node, and of each child
only a symbol. `take_agent` over `[Verb] by [NounPhrase]` is a rule.
"""

from collections.abc import Sequence
from typing import NamedTuple

from lear.domain.domain import Syntax


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
    def gaps(self) -> list[tuple[str, ...]]:
        """Its function words: before the first child, between children, after the last."""
        gaps: list[tuple[str, ...]] = [()]
        for part in self.parts:
            if is_symbol(part):
                gaps.append(())
            else:
                gaps[-1] += (word_of(part),)
        return gaps


def scored_as(syntax: Syntax, rule: Rule) -> Rule:
    """The rule that a rule is the same as to a model."""
    return rule if syntax.scored_as is None else Rule(*syntax.scored_as(rule))


def is_symbol(part: str) -> bool:
    """Whether a part of a yield stands for a child."""
    return part.startswith("[")


def word_of(part: str) -> str:
    """The function word of a part that is no symbol."""
    return part.removeprefix("\\")


def symbol_part(symbol: str) -> str:
    """A child's symbol as a part of a yield."""
    return f"[{symbol}]"


def word_part(word: str | None) -> str:
    """A word as a part of a yield; what could be taken for a symbol is escaped."""
    return f"\\{word}" if word and word[0] in "[\\" else word or ""


def make_rule(operation: str, symbols: Sequence[str], gaps: Sequence[Sequence[str | None]]) -> Rule:
    """The rule of a node: symbols of its children, and words before, between and after them."""
    parts = [word_part(word) for word in gaps[0]]
    for symbol, words in zip(symbols, gaps[1:], strict=True):
        parts.append(symbol_part(symbol))
        if words:
            parts.extend(map(word_part, words))
    return Rule(operation, tuple(parts))
