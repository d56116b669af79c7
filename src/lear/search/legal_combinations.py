"""Which operations are legal on categories, as tables of numbers: found out when first asked for.

A group is all that is legal on one category, or on two; group `NOTHING` is empty.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.core.algebra import Meaning
from lear.grammar.category_table import CategoryTable
from lear.grammar.rules import symbol_part
from lear.search.growing_array import GrowingArray, GrowingGrid
from lear.search.legal_table import NO_GROUP, LegalTable
from lear.search.rule_numbers import RuleNumbers
from lear.search.sentence_grid import Ints

UNKNOWN, NOTHING = 0, 1
"""In place of a group: nothing was asked yet; nothing is legal."""


class LegalOn(NamedTuple):
    """What is legal on some arguments: how much on each, and all of it, one after the other."""

    sizes: Ints
    operation: Ints
    result: Ints


class LegalCombinations:
    """Combinations as columns; `begin` and `size` say where those of a group are."""

    def __init__(
        self, categories: CategoryTable, numbers: RuleNumbers, table: LegalTable | None = None
    ) -> None:
        """Nothing asked yet; with a table, what is in it need not be found out."""
        self._table = table
        self._categories = categories
        self._numbers = numbers
        self._joints_of = categories.domain.syntax.joints or any_joint
        self._joints: dict[int, tuple[int, int]] = {}
        self._of_one = GrowingArray(np.int32)  # groups by category
        self._of_two = GrowingGrid()  # groups by places of left and right category
        self._places = GrowingArray(np.int64)
        self._symbols = GrowingGrid()  # by category, and whether it is of a head: parts, from 1 on
        self.begin, self.size = GrowingArray(np.int64), GrowingArray(np.int64)
        for column in (self.begin, self.size):
            column.reach(NOTHING + 1)
        self.operation, self.result = GrowingArray(np.int64), GrowingArray(np.int64)
        self.first, self.last = GrowingArray(np.int64), GrowingArray(np.int64)
        """What a rule shows of the first argument and of the last, as numbers of parts."""
        if table is not None:
            self._begin_with(table)

    def _begin_with(self, table: LegalTable) -> None:
        """Know what a table says of its open categories, which must have its numbers."""
        num_open = table.num_open
        self._places.extend(np.arange(num_open))
        self._of_two.reach(num_open, num_open)
        self._of_two.cells[:num_open, :num_open] = NOTHING
        self._of_two.cells[table.legal_pairs()] = UNKNOWN
        by_name = self._categories.domain.language.algebra.by_name
        self._operations = np.array([self._numbers.operation(name) for name in by_name])

    @property
    def num_groups(self) -> int:
        """How many there are so far."""
        return self.size.size

    def of_one(self, category: Ints) -> NDArray[np.int32]:
        """What is legal on categories: groups."""
        self._of_one.reach(self._categories.num_categories)
        groups: NDArray[np.int32] = self._of_one.values[category]
        (new,) = np.nonzero(groups == UNKNOWN)
        if len(new):
            # `np.unique` would load numpy.ma, which takes as long as parsing a sentence.
            numbers = np.array(list(dict.fromkeys(category[new].tolist())))
            self._of_one.values[numbers] = self._find(numbers)
            groups = self._of_one.values[category]
        return groups

    def of_two(self, left: Ints, right: Ints) -> Ints:
        """What is legal on pairs of categories: groups."""
        count, known = self._categories.num_categories, self._places.size
        if known < count:
            places = int(self._places.values.max(initial=-1)) + 1 + np.arange(count - known)
            self._places.extend(places)
            self._of_two.reach(int(places[-1]) + 1, int(places[-1]) + 1)
        cell = self._places.values[left], self._places.values[right]
        groups: Ints = self._of_two.cells[cell]
        (new,) = np.nonzero(groups == UNKNOWN)
        if len(new):
            lefts, rights = distinct(left[new], right[new])
            places = self._places.values
            self._of_two.put(places[lefts], places[rights], self._find(lefts, rights))
            groups = self._of_two.cells[cell]
        return groups

    def _find(self, *arguments: Ints) -> Ints:
        """What is legal on new arguments, one or two: groups."""
        groups = np.full(len(arguments[0]), NOTHING)
        is_stored = np.zeros(len(groups), dtype=bool)
        if self._table is not None:
            num_stored = self._table.num_open
            is_stored = np.logical_and.reduce([number < num_stored for number in arguments])
            chosen = [categories[is_stored] for categories in arguments]
            groups[is_stored] = self._add(chosen, self._stored_on(self._table, chosen))
        (other,) = np.nonzero(~is_stored)
        if len(arguments) == 2:
            other = other[self._may_join(arguments[0][other], arguments[1][other])]
        if len(other):
            chosen = [categories[other] for categories in arguments]
            groups[other] = self._add(chosen, self._legal_on(chosen))
        return groups

    def _stored_on(self, table: LegalTable, arguments: Sequence[Ints]) -> LegalOn:
        """What a table says is legal."""
        groups = table.find(*arguments)
        sizes = np.zeros(len(groups), dtype=np.int64)
        (legal,) = np.nonzero(groups != NO_GROUP)
        which, operation, result = table.combinations(groups[legal])
        sizes[legal] = np.bincount(which, minlength=len(legal))
        return LegalOn(sizes, self._operations[operation], result)

    def _may_join(self, left: Ints, right: Ints) -> NDArray[np.bool_]:
        """Which pairs the domain does not rule out at once."""
        for number in {*left.tolist(), *right.tolist()} - self._joints.keys():
            self._joints[number] = self._joints_of(self._categories.example(number))
        joints = self._joints
        pairs = zip(left.tolist(), right.tolist(), strict=True)
        return np.array([joints[a][0] & joints[b][1] != 0 for a, b in pairs], dtype=bool)

    def _legal_on(self, arguments: Sequence[Ints]) -> LegalOn:
        """What the domain says is legal."""
        combinations = self._categories.find_combinations
        found = [combinations(c) for c in zip(*(a.tolist() for a in arguments), strict=True)]
        number = self._numbers.operation
        pairs = [(number(operation), result) for group in found for operation, result in group]
        sizes = np.array(list(map(len, found)), dtype=np.int64)
        return LegalOn(sizes, *np.array(pairs, dtype=np.int64).reshape(-1, 2).T)

    def _add(self, arguments: Sequence[Ints], legal_on: LegalOn) -> Ints:
        """Keep what is legal on arguments: groups."""
        sizes, operation, result = legal_on
        (legal,) = np.nonzero(sizes)
        groups = np.full(len(sizes), NOTHING)
        groups[legal] = self.num_groups + np.arange(len(legal))
        self.begin.extend(self.result.size + np.cumsum(sizes[legal]) - sizes[legal])
        self.size.extend(sizes[legal])
        self.operation.extend(operation)
        self.result.extend(result)
        heads = self._heads(operation)
        for column, place in ((self.first, 0), (self.last, len(arguments) - 1)):
            column.extend(self._parts(np.repeat(arguments[place], sizes), heads == place))
        return groups

    def _heads(self, operation: Ints) -> Ints:
        """Which argument is the head of each operation; -1 if none is."""
        heads = self._categories.domain.syntax.heads
        return np.array([heads.get(name, -1) for name in self._numbers.operations])[operation]

    def _parts(self, category: Ints, is_head: NDArray[np.bool_]) -> Ints:
        """What rules show of arguments: numbers of parts."""
        self._symbols.reach(self._categories.num_categories, 2)
        flags = is_head.astype(np.int64)
        (new,) = np.nonzero(self._symbols.cells[category, flags] == UNKNOWN)
        for number, flag in set(zip(category[new].tolist(), flags[new].tolist(), strict=True)):
            part = symbol_part(self._categories.symbol(number, is_head=bool(flag)))
            self._symbols.put(number, flag, 1 + self._numbers.part(part))
        return self._symbols.cells[category, flags].astype(np.int64) - 1


def distinct(first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The different pairs of numbers, in the order in which they come first."""
    codes = first.astype(np.int64) * (int(second.max()) + 1) + second
    _, places = np.unique(codes, return_index=True)
    places.sort()
    return first[places], second[places]


def any_joint(meaning: Meaning) -> tuple[int, int]:
    """Where a domain does not tell what can be joined: everything with everything."""
    del meaning
    return 1, 1
