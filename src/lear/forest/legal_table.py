"""What is legal among the categories of a model, worked out once and stored with it.

Only what the model and its domain say goes into it, no sentence: the categories of the lexicon's
units, and all that can be built of them. A category whose symbols the model does not know is the
end of it: no training derivation has one, so what can be built of it is found out when a sentence
needs it. So the table is small, and says of every pair of its open categories what is legal on it,
or that nothing is.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lear.domain import Domain
from lear.forest.arrays import Ints, spread
from lear.grammar.categories import CategoryTable, Origin

NO_GROUP = -1
NO_FINGERPRINT = ""
MAX_NUMBERS = 1 << 16
"""Categories and groups have numbers of 16 bits."""


@dataclass(frozen=True)
class LegalTable:
    """Categories are numbered: first the open ones, of which others are built, then the rest.

    Pairs are in the order of their left parts, then of their right ones. Many pairs allow the same
    operations with the same results; these are one group.
    """

    names: tuple[str, ...]
    """The domain's names of the categories."""
    is_complete: NDArray[np.bool_]
    """Of each category: whether its meanings can be answers."""
    argument_symbol: NDArray[np.uint16]
    """Of each open category: its symbol in rules, by its place in the model's vocabulary; beyond
    the last if the model does not know it."""
    head_symbol: NDArray[np.uint16]
    """The same where it is the head of its rule."""
    num_partners: NDArray[np.uint32]
    """Of each open category: how many pairs it is the left part of, itself alone included."""
    partner: NDArray[np.uint16]
    """Of each pair: its right part; the number of open categories if there is none."""
    group: NDArray[np.uint16]
    """Of each pair: its group."""
    size: NDArray[np.uint16]
    """Of each group: how many combinations it has."""
    operation: NDArray[np.uint16]
    """Of each combination, group by group: its operation, by its place in the algebra."""
    result: NDArray[np.uint16]
    """And the category that it gives."""
    code: str = NO_FINGERPRINT
    """Fingerprint of the code that it was worked out with, if there is one."""

    @property
    def num_open(self) -> int:
        """How many categories something can be built of."""
        return len(self.num_partners)

    def find(self, left: Ints, right: Ints | None = None) -> Ints:
        """The groups of pairs of categories, or of single ones; `NO_GROUP` if nothing is legal."""
        last = self.num_open if right is None else right
        keys = left * (self.num_open + 1) + last
        if not len(self._keys):
            return np.full(len(keys), NO_GROUP)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        is_legal = (self._keys[found] == keys) & (left < self.num_open)
        if right is not None:
            is_legal &= right < self.num_open
        groups: Ints = np.where(is_legal, self.group[found].astype(np.int64), NO_GROUP)
        return groups

    def combinations(self, groups: Ints) -> tuple[Ints, Ints, Ints]:
        """All that groups allow: the place of the group, operation and result of each."""
        which, offset = spread(self.size[groups].astype(np.int64))
        place = self._begin[groups][which] + offset
        return which, self.operation[place].astype(np.int64), self.result[place].astype(np.int64)

    def legal_pairs(self) -> tuple[Ints, Ints]:
        """Both parts of all legal pairs."""
        (pairs,) = np.nonzero(self.partner < self.num_open)
        return self._left[pairs], self.partner[pairs]

    def examples_of_groups(self) -> dict[tuple[int, ...], int]:
        """For each group one pair that has it -> its number."""
        pair_of = dict(zip(self.group.tolist(), range(len(self.group)), strict=True))
        left, right = self._left.tolist(), self.partner.tolist()
        return {
            (left[n],) if right[n] == self.num_open else (left[n], right[n]): group
            for group, n in pair_of.items()
        }

    def origin(self, category: int) -> tuple[int, tuple[int, ...]] | None:
        """A way to build a category of others that come before it: operation and parts."""
        operation, left, right = self._origins[category].tolist()
        if operation < 0:
            return None
        return operation, (left,) if right == self.num_open else (left, right)

    def fault(self, num_operations: int) -> str | None:
        """What is wrong with a table that was read from a file, if anything is."""
        count, num_open = len(self.names), self.num_open
        if len(set(self.names)) != count or not num_open <= count < MAX_NUMBERS:
            return "its categories have no names, or the same"
        if len(self.is_complete) != count:
            return "its categories do not fit each other"
        if not len(self.argument_symbol) == len(self.head_symbol) == num_open:
            return "its symbols do not fit its categories"
        if self.num_partners.sum() != len(self.partner) or (self.partner > num_open).any():
            return "its pairs do not fit its categories"
        if len(self.group) != len(self.partner) or (np.diff(self._keys) <= 0).any():
            return "its pairs are not in order"
        if (self.group >= len(self.size)).any():
            return "its groups do not fit its pairs"
        if not self.size.sum() == len(self.operation) == len(self.result):
            return "its combinations do not fit its groups"
        if (self.operation >= num_operations).any() or (self.result >= count).any():
            return "its combinations name operations or categories that are none"
        return None

    @cached_property
    def _origins(self) -> Ints:
        """Of each category: operation, left and right part of one way to it; else -1."""
        pair, operation, result = self.combinations(self.group.astype(np.int64))
        left, right = self._left[pair], self.partner[pair].astype(np.int64)
        is_before = (left < result) & ((right < result) | (right == self.num_open))
        origins = np.full((len(self.names), 3), -1)
        ways = np.stack((operation, left, right), axis=1)
        # Of several ways the first is written last, and stays: its parts are the simplest.
        origins[result[is_before][::-1]] = ways[is_before][::-1]
        return origins

    @cached_property
    def _begin(self) -> Ints:
        """Of each group: where its combinations begin."""
        return np.cumsum(self.size, dtype=np.int64) - self.size

    @cached_property
    def _left(self) -> Ints:
        """Of each pair: its left part."""
        return np.repeat(np.arange(self.num_open), self.num_partners)

    @cached_property
    def _keys(self) -> Ints:
        """Of each pair: a number that tells both parts, in rising order."""
        return self._left * (self.num_open + 1) + self.partner


def categories_of(
    domain: Domain, table: LegalTable | None, symbols: Sequence[str]
) -> CategoryTable:
    """The categories of a domain; those of a table, made for these symbols, have its numbers."""
    categories = CategoryTable(domain)
    if table is None:
        return categories
    operations = tuple(domain.language.algebra.by_name)

    def origin(number: int) -> Origin | None:
        found = table.origin(number)
        return None if found is None else (operations[found[0]], found[1])

    as_argument, as_head = (
        {category: symbols[n] for category, n in enumerate(column.tolist()) if n < len(symbols)}
        for column in (table.argument_symbol, table.head_symbol)
    )
    categories.begin_with(table.names, table.is_complete.tolist(), (as_argument, as_head), origin)
    return categories
