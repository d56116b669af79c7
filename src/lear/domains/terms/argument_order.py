"""The order of further arguments, as training reveals it.

Most languages write arguments as the sentence says them. That one stands before another whatever
the sentence says is believed only if rows show it: forms that differ from their sentences, and none
that has the two the other way round.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

MIN_AGAINST = 2
"""Rows in which two arguments stand in one order and are said in the other, for it to be fixed."""
MIN_AGAINST_IN_SUM, MIN_AGAINST_SHARE = 3, 0.1
"""The same for all arguments of a symbol together, for all orders that they show to be fixed."""
MAX_FREE_SHARE = 0.2
"""Pairs of arguments of a symbol that may stand in any order where all others are fixed."""


class Argument(NamedTuple):
    """A further argument, as far as order goes."""

    key: str
    place: float | None
    """Where the sentence says it, if that is known."""


Use = Sequence[Argument]
"""The further arguments of one use of a symbol, as the form has them."""


def argument_order(uses: Sequence[Use], others: Sequence[Use]) -> dict[str, tuple[str, ...]]:
    """Argument -> those that it must stand before; all others stand as the sentence says them.

    Args:
        uses: Of one symbol.
        others: Of all symbols, to go by where those of this one do not tell.
    """
    keys = {argument.key for use in uses for argument in use}
    own = _Orders(uses)
    pooled = _Orders([[a for a in use if a.key in keys] for use in others])
    are_all_fixed = own.are_all_fixed or pooled.are_all_fixed
    before: dict[str, set[str]] = {key: set() for key in sorted(keys)}
    for one, other in combinations(sorted(keys), 2):
        told = own if own.is_seen(one, other) else pooled
        for first, second in ((one, other), (other, one)):
            is_fixed = are_all_fixed or told.against[first, second] >= MIN_AGAINST
            if is_fixed and told.num[first, second] and not told.num[second, first]:
                before[first].add(second)
    reached = _closure(before)
    order = {
        key: tuple(sorted(other for other in behind if key not in reached[other]))
        for key, behind in reached.items()
    }
    return {key: behind for key, behind in order.items() if behind}


class _Orders:
    """How often one argument stands before another, and how often against the sentence."""

    def __init__(self, uses: Sequence[Use]) -> None:
        self.num: Counter[tuple[str, str]] = Counter()
        self.against: Counter[tuple[str, str]] = Counter()
        self.num_placed = 0
        for first, second in _pairs(uses):
            pair = first.key, second.key
            self.num[pair] += 1
            if first.place is not None and second.place is not None:
                self.num_placed += 1
                self.against[pair] += second.place < first.place

    def is_seen(self, one: str, other: str) -> bool:
        return bool(self.num[one, other] or self.num[other, one])

    @cached_property
    def are_all_fixed(self) -> bool:
        num_free = sum(n for (one, other), n in self.num.items() if (other, one) in self.num)
        fixed = sum(n for (one, other), n in self.against.items() if (other, one) not in self.num)
        return (
            fixed >= max(MIN_AGAINST_IN_SUM, MIN_AGAINST_SHARE * self.num_placed)
            and num_free <= MAX_FREE_SHARE * self.num.total()
        )


def _pairs(uses: Sequence[Use]) -> Iterator[tuple[Argument, Argument]]:
    for arguments in uses:
        for first, second in combinations(arguments, 2):
            if first.key != second.key:
                yield first, second


def _closure(before: dict[str, set[str]]) -> dict[str, set[str]]:
    """Key -> all that stand behind it, directly or by way of others."""
    reached = {}
    for start in before:
        seen: set[str] = set()
        stack = list(before[start])
        while stack:
            key = stack.pop()
            if key not in seen:
                seen.add(key)
                stack.extend(before.get(key, ()))
        reached[start] = seen
    return reached
