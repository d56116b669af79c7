"""States of the beginnings of yields, as many as a bound allows.

A state is a long row of numbers: without a bound these would be most of what a parser remembers.
They are needed only while rules are met for the first time, so all are forgotten together when
there are too many, and those that are asked for again are composed again.
"""

import numpy as np

from lear.model.layers import Floats
from lear.search.growing_array import GrowingArray
from lear.search.rule_numbers import Ints, RuleNumbers

MAX_BYTES = 4_000_000
"""What all rows take together, as far as the prefixes that are asked for at once allow it."""


class PrefixStates:
    """Tables with a row for each prefix whose state is known; row 0 is of the empty prefix.

    Their columns are the memory of a prefix, its odds of the gates as a left child, and the sum of
    the scores of its nodes, all of them open. Each has the numbers of all K members.
    """

    def __init__(self, numbers: RuleNumbers, like: Floats, hidden: int, max_bytes: int) -> None:
        """No states yet.

        Args:
            numbers: Give prefixes their numbers.
            like: An array with a row for each member, of the precision that states have.
            hidden: The width of a state.
            max_bytes: When states take more, they are forgotten.
        """
        self._numbers = numbers
        members, dtype = len(like), like.dtype
        self._c = GrowingArray(dtype, (members, hidden))
        self._odds = GrowingArray(dtype, (5, members, hidden))
        self._opened = GrowingArray(dtype, (members,))
        self._max_rows = max_bytes // ((6 * hidden + 1) * members * dtype.itemsize)
        self._rows = GrowingArray(np.int64)  # of each prefix; 0 where none is known
        # Of each prefix, as far as was asked, what its number stands for.
        self._shorter, self._last = GrowingArray(np.int64), GrowingArray(np.int64)
        self._sizes = GrowingArray(np.int64)
        self._forget()

    @property
    def size(self) -> int:
        """How many states are known."""
        return self._opened.size - 1

    @property
    def c(self) -> Floats:
        """Memories, by row."""
        return self._c.values

    @property
    def odds(self) -> Floats:
        """Odds of the gates, by row."""
        return self._odds.values

    @property
    def opened(self) -> Floats:
        """Sums of scores, by row."""
        return self._opened.values

    def rows(self, prefixes: Ints) -> Ints:
        """The rows of prefixes; 0 for those whose state is not known."""
        rows: Ints = self._rows.values[prefixes]
        return rows

    def missing(self, prefixes: Ints) -> Ints:
        """What must be composed before all these prefixes have a row, in order of their numbers.

        A prefix has a higher number than those that it begins with. May forget what is known.
        """
        self._take_numbers()
        is_needed = np.zeros(self._rows.size, dtype=bool)
        while prefixes.any():
            is_needed[prefixes] = True
            prefixes = self._shorter.values[prefixes]
        is_needed[0] = False
        is_new = is_needed & (self._rows.values == 0)
        if self._opened.size + np.count_nonzero(is_new) > self._max_rows:
            self._forget()
            is_new = is_needed
        return np.flatnonzero(is_new)

    def parts(self, prefixes: Ints) -> tuple[Ints, Ints, Ints]:
        """Of prefixes: those without the last part, this part, and how many parts there are."""
        columns = (self._shorter, self._last, self._sizes)
        shorter, last, sizes = (column.values[prefixes] for column in columns)
        return shorter, last, sizes

    def add(self, prefixes: Ints, c: Floats, odds: Floats, opened: Floats) -> None:
        """Take the states of prefixes."""
        begin = self._opened.size
        for table, values in ((self._c, c), (self._odds, odds)):
            table.reach(begin + len(prefixes))
            table.values[begin : begin + len(prefixes)] = values
        # Last of all, so that nothing is taken for known if this is interrupted.
        self._opened.extend(opened)
        self._rows.values[prefixes] = begin + np.arange(len(prefixes))

    def _take_numbers(self) -> None:
        """Take the prefixes that were numbered since the last time."""
        begin, numbers = self._rows.size, self._numbers
        if begin < len(numbers.last):
            self._shorter.extend(numbers.shorter[begin:])
            self._last.extend(numbers.last[begin:])
            self._sizes.extend(numbers.sizes[begin:])
            self._rows.reach(len(numbers.last))

    def _forget(self) -> None:
        """Begin with the empty prefix alone; the memory of the tables is used again."""
        self._rows.values[:] = 0
        for table in (self._c, self._odds, self._opened):
            table.clear()
            table.reach(1)
