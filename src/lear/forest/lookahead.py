"""Which categories can stand next to which words: a filter that never loses a derivation.

A category that no rule can ever continue at its place, given the words before and after it, is not
worth building. For each category the tables hold every terminal (function word or category of a
unit) that can precede or follow it in any complete derivation of the grammar. The tables hold for
sentences whose units have the categories that they were made for; `covers` tells.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.grammar.reading import Skeleton, Words
from lear.grammar.rules import Grammar

Terminal = str | int
"""A function word, or the category of a unit."""
EDGE = ""
"""The terminal before the first token and after the last."""
Bits = NDArray[np.uint64]
"""Rows of bits, one for each terminal, 64 to a number."""


class Production(NamedTuple):
    """A rule at work: a category and what it consists of, words and categories."""

    result: int
    parts: tuple[Terminal, ...]


@dataclass(frozen=True)
class Lookahead:
    """The terminals before and after each category, as bits."""

    leaves: frozenset[int]
    """The categories that units may have."""
    bits: Mapping[Terminal, int]
    """The number of each terminal's bit."""
    before: Bits  # (categories, W)
    after: Bits

    @classmethod
    def of(cls, grammar: Grammar, leaves: Iterable[int], gaps: Iterable[Words]) -> "Lookahead":
        """The tables of a grammar whose units have the categories `leaves`."""
        leaf_set = set(leaves)
        productions = _closure(grammar, leaf_set, set(gaps))
        categories = {production.result for production in productions} | leaf_set
        complete = {c for c in categories if grammar.categories.is_complete(c)}
        first, last = _edges(productions, leaf_set, 0), _edges(productions, leaf_set, -1)
        after: dict[int, set[Terminal]] = {
            c: {EDGE} if c in complete else set() for c in categories
        }
        before: dict[int, set[Terminal]] = {
            c: {EDGE} if c in complete else set() for c in categories
        }
        _spread(productions, after, first, step=1)
        _spread(productions, before, last, step=-1)
        terminals = {t for group in (*after.values(), *before.values()) for t in group}
        bits = {terminal: number for number, terminal in enumerate(sorted(terminals, key=str))}

        def table(groups: Mapping[int, set[Terminal]]) -> Bits:
            flags = np.zeros((max(categories, default=0) + 1, len(bits)), dtype=bool)
            for category, group in groups.items():
                flags[category, [bits[terminal] for terminal in group]] = True
            return _packed(flags)

        return cls(frozenset(leaf_set), bits, table(before), table(after))

    @cached_property
    def masks(self) -> tuple[list[int], list[int]]:
        """What can be before each category, and after it, as bits of one number each."""
        return _as_numbers(self.before), _as_numbers(self.after)

    def covers(self, skeleton: Skeleton) -> bool:
        """Whether the tables hold for this sentence."""
        return all(leaf.category in self.leaves for leaf in skeleton.leaves)

    def places(self, skeletons: Sequence[Skeleton]) -> "Fits":
        """What can be a part of a whole at each place of some sentences."""
        num_rows = sum(len(skeleton.words) + 1 for skeleton in skeletons)
        ending = np.zeros((num_rows, len(self.bits) + 1), dtype=bool)  # the last: no terminal
        beginning = np.zeros_like(ending)
        words: list[tuple[int, int, int]] = []  # rows of both ends, and the bit of what is there
        edge, none = self.bits.get(EDGE, len(self.bits)), len(self.bits)
        row = 0
        for skeleton in skeletons:
            ending[row, edge] = True
            for place, word in enumerate(skeleton.words, row):
                if word is not None:
                    words.append((place, place + 1, self.bits.get(word, none)))
            for begin, end, category in skeleton.leaves:
                words.append((row + begin, row + end, self.bits.get(category, none)))
            row += len(skeleton.words)
            beginning[row, edge] = True
            row += 1
        first, last, bit = np.array(words, dtype=np.int64).reshape(-1, 3).T
        beginning[first, bit] = True
        ending[last, bit] = True
        return Fits(self, _packed(ending[:, :-1]), _packed(beginning[:, :-1]))


class Fits(NamedTuple):
    """Tells which categories can be parts of a whole, by the boundaries of some sentences."""

    lookahead: Lookahead
    ending: Bits  # (boundaries, W): what ends there
    beginning: Bits

    def masks(self, rows: slice) -> tuple[list[int], list[int]]:
        """What ends at some boundaries, and what begins there, as bits of one number each."""
        return _as_numbers(self.ending[rows]), _as_numbers(self.beginning[rows])

    def __call__(
        self, begin: NDArray[np.integer], end: NDArray[np.integer], category: NDArray[np.integer]
    ) -> NDArray[np.bool_]:
        """Whether categories can be, between two boundaries each, numbered over all sentences."""
        before, after = self.lookahead.before, self.lookahead.after
        known = category < len(before)
        category = np.where(known, category, 0)
        fits_before = (before[category] & self.ending[begin]).any(axis=1)
        fits_after = (after[category] & self.beginning[end]).any(axis=1)
        fits: NDArray[np.bool_] = known & fits_before & fits_after
        return fits


def _as_numbers(rows: Bits) -> list[int]:
    """Each row of bits as one number."""
    return [int.from_bytes(row.tobytes(), "little") for row in rows]


def _packed(flags: NDArray[np.bool_]) -> Bits:
    """Rows of flags (n, flags) -> the same as bits (n, W)."""
    width = max(1, -(-flags.shape[1] // 64)) * 8
    packed = np.zeros((len(flags), width), dtype=np.uint8)
    octets = np.packbits(flags, axis=1)
    packed[:, : octets.shape[1]] = octets
    return packed.view(np.uint64)


def _closure(grammar: Grammar, leaves: set[int], gaps: set[Words]) -> set[Production]:
    """Every production among the categories that can be built from the leaves."""
    shape = grammar.shape
    around = [
        (before, after)
        for before, after in product(gaps, repeat=2)
        if shape.allows_unary(len(before), len(after), is_trailing=True)  # it may be, somewhere
    ]
    between = [gap for gap in gaps if shape.allows_binary(len(gap))]
    categories, productions = set(leaves), set[Production]()
    while True:
        new = {
            _production(result, (*before, category, *after))
            for category, (before, after) in product(categories, around)
            for _, result in grammar.unary_applications(before, category, after)
        } | {
            _production(result, (left, *gap, right))
            for left, gap, right in product(categories, between, categories)
            for _, result in grammar.binary_applications(left, gap, right)
        }
        if new <= productions:
            return productions
        productions |= new
        categories |= {production.result for production in new}


def _production(result: int, parts: tuple[Terminal | None, ...]) -> Production:
    return Production(result, tuple(part for part in parts if part is not None))


def _edges(
    productions: set[Production], leaves: set[int], index: int
) -> dict[Terminal, set[Terminal]]:
    """What the first (0) or last (-1) terminal of each part can be."""
    edges: dict[Terminal, set[Terminal]] = {}
    for production in productions:
        edges.setdefault(production.result, set())
        for part in production.parts:
            edges.setdefault(part, {part} if isinstance(part, str) or part in leaves else set())
            if isinstance(part, str) or part in leaves:
                edges[part].add(part)
    for leaf in leaves:
        edges.setdefault(leaf, set()).add(leaf)
    grown = True
    while grown:
        grown = False
        for production in productions:
            new = edges[production.parts[index]] - edges[production.result]
            edges[production.result] |= new
            grown = grown or bool(new)
    return edges


def _spread(
    productions: set[Production],
    table: dict[int, set[Terminal]],
    edges: dict[Terminal, set[Terminal]],
    step: int,
) -> None:
    """Fill what comes after (step 1) or before (step -1) each category."""
    grown = True
    while grown:
        grown = False
        for production in productions:
            parts = production.parts[::step]
            for part, neighbour in zip(parts, (*parts[1:], None), strict=True):
                if isinstance(part, int):
                    reach = table[production.result] if neighbour is None else edges[neighbour]
                    new = reach - table[part]
                    table[part] |= new
                    grown = grown or bool(new)
