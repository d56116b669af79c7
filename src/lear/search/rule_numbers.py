"""Rules by number: what scores many rules at once keeps tables by these, not by words.

A yield is a prefix and its last part. A prefix is a shorter one with one part more, so yields that
begin alike share what was found out about their beginnings. Prefix 0 is the empty one.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.grammar.rules import Rule

Ints = NDArray[np.integer]
Parts = tuple[str, ...]
NumberedRule = tuple[int, int, int]
"""The numbers of operation, prefix and last part."""


class NumberedRules(NamedTuple):
    """Many rules, as columns of numbers."""

    operation: Ints
    prefix: Ints
    last: Ints

    def where(self, keep: Ints | slice) -> "NumberedRules":
        """Some of them."""
        return NumberedRules(*(column[keep] for column in self))


class RuleNumbers:
    """Gives operations, parts and prefixes of yields their numbers, as they are met."""

    def __init__(self, operations: Iterable[str] = ()) -> None:
        """Numbers that begin with those of some operations, in their order."""
        self.operations = list(operations)
        self.parts: list[str] = []
        self.shorter: list[int] = [0]
        """Of each prefix, the one without its last part."""
        self.last: list[int] = [-1]
        """Of each prefix, its last part."""
        self.sizes: list[int] = [0]
        """Of each prefix, how many parts it has."""
        self._operation_numbers = {name: number for number, name in enumerate(self.operations)}
        self._part_numbers: dict[str, int] = {}
        self._prefix_numbers: dict[Parts, int] = {(): 0}

    def operation(self, name: str) -> int:
        """The number of an operation."""
        return _numbered(name, self._operation_numbers, self.operations)

    def part(self, part: str) -> int:
        """The number of a word or of a symbol in brackets."""
        return _numbered(part, self._part_numbers, self.parts)

    def prefix(self, parts: Parts) -> int:
        """The number of the beginning of a yield."""
        number = self._prefix_numbers.get(parts)
        if number is None:
            shorter, last = self.prefix(parts[:-1]), self.part(parts[-1])
            number = self._prefix_numbers[parts] = len(self.last)
            self.shorter.append(shorter)
            self.last.append(last)
            self.sizes.append(len(parts))
        return number

    def number(self, rule: Rule) -> NumberedRule:
        """A rule in numbers."""
        prefix, last = self.prefix(rule.parts[:-1]), self.part(rule.parts[-1])
        return self.operation(rule.operation), prefix, last

    def columns(self, rules: Iterable[Rule]) -> NumberedRules:
        """Many rules in numbers."""
        numbers = [self.number(rule) for rule in rules]
        return NumberedRules(*np.array(numbers, dtype=np.int64).reshape(-1, 3).T)

    def rule(self, operation: int, prefix: int, last: int) -> Rule:
        """The rule that has these numbers."""
        parts = [self.parts[last]]
        while prefix:
            parts.append(self.parts[self.last[prefix]])
            prefix = self.shorter[prefix]
        return Rule(self.operations[operation], tuple(reversed(parts)))


def _numbered(name: str, numbers: dict[str, int], names: list[str]) -> int:
    number = numbers.get(name)
    if number is None:
        number = numbers[name] = len(names)
        names.append(name)
    return number
