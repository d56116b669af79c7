"""Working out the legal table of a model: all that can be built from the units of its lexicon."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lear.forest.legal_table import MAX_NUMBERS, LegalTable
from lear.forest.scored_grammar import any_joint
from lear.grammar.categories import CategoryTable, Combination

MAX_TRIED = 1_000_000
"""A larger grammar has no table: it would take minutes to make, and be larger than the model."""


class LegalClosure:
    """The categories that can be built of some, and what is legal on them."""

    def __init__(
        self, categories: CategoryTable, leaves: Iterable[int], symbols: Sequence[str]
    ) -> None:
        """Begin with leaves; whatever can be built of what has one of these symbols follows."""
        self._categories = categories
        self._symbols = {symbol: number for number, symbol in enumerate(symbols)}
        self._joints = categories.domain.syntax.joints or any_joint
        self._met: set[int] = set()
        self._open: dict[int, tuple[int, int]] = {}  # with their joints
        self._pairs: dict[int, dict[int | None, tuple[Combination, ...]]] = {}
        self._waiting: deque[int] = deque()
        for leaf in leaves:
            self._meet(leaf)

    def table(self) -> LegalTable | None:
        """All of it; None if that is too much to be worked out."""
        for num_tried, (left, right) in enumerate(self._new_pairs()):
            arguments = (left,) if right is None else (left, right)
            legal = self._categories.combinations(arguments)
            if num_tried > MAX_TRIED or len(self._met) >= MAX_NUMBERS:
                return None
            if legal:
                self._pairs[left][right] = legal
                for _, result in legal:
                    self._meet(result)
        return self._as_table()

    def _meet(self, category: int) -> None:
        if category not in self._met:
            self._met.add(category)
            self._waiting.append(category)

    def _symbol(self, category: int, *, is_head: bool) -> int:
        """Its number; one beyond the last if the model does not know it."""
        symbol = self._categories.symbol(category, is_head=is_head)
        return self._symbols.get(symbol, len(self._symbols))

    def _new_pairs(self) -> Iterator[tuple[int, int | None]]:
        """Every pair of open categories that might be joined, and every one by itself."""
        unknown = len(self._symbols)
        while self._waiting:
            # First come, first served: so what comes early is built of few parts.
            new = self._waiting.popleft()
            if all(self._symbol(new, is_head=flag) == unknown for flag in (False, True)):
                continue
            on_left, on_right = self._joints(self._categories.example(new))
            self._open[new], self._pairs[new] = (on_left, on_right), {}
            yield new, None
            for other, (other_left, other_right) in list(self._open.items()):
                if on_left & other_right:
                    yield new, other
                if other_left & on_right and other != new:
                    yield other, new

    def _as_table(self) -> LegalTable | None:
        number = {op: n for n, op in enumerate(self._categories.domain.language.algebra.by_name)}
        closed = sorted(self._met - self._open.keys())
        ordered = (*self._open, *closed)
        place: dict[int | None, int] = {category: n for n, category in enumerate(ordered)}
        place[None] = len(self._open)
        groups: dict[tuple[Combination, ...], int] = {}
        pairs = [
            (place[right], groups.setdefault(legal, len(groups)))
            for left in self._open
            for right, legal in sorted(self._pairs[left].items(), key=lambda pair: place[pair[0]])
        ]
        if len(groups) >= MAX_NUMBERS:
            return None
        partner, group = np.array(pairs, dtype=np.uint16).reshape(-1, 2).T
        combinations = [combination for legal in groups for combination in legal]
        is_complete, name = self._categories.is_complete, self._categories.name
        as_argument, as_head = (
            [self._symbol(category, is_head=flag) for category in self._open]
            for flag in (False, True)
        )
        return LegalTable(
            names=tuple(map(name, ordered)),
            is_complete=np.array(list(map(is_complete, ordered)), dtype=bool),
            argument_symbol=np.array(as_argument, dtype=np.uint16),
            head_symbol=np.array(as_head, dtype=np.uint16),
            num_partners=np.array(list(map(len, self._pairs.values())), dtype=np.uint32),
            partner=np.ascontiguousarray(partner),
            group=np.ascontiguousarray(group),
            size=np.array(list(map(len, groups)), dtype=np.uint16),
            operation=np.array([number[op] for op, _ in combinations], dtype=np.uint16),
            result=np.array([place[result] for _, result in combinations], dtype=np.uint16),
        )
