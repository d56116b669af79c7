"""Which categories can stand next to which words: a filter that never loses a derivation.

A category that no rule can ever continue at its place, given the words before and after it, is not
worth building. For each category the tables hold every terminal (function word or category of a
unit) that can precede or follow it in any complete derivation of the grammar. The tables hold for
sentences whose units have the categories that they were made for; `covers` tells.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

from lear.grammar.grammar import Grammar
from lear.grammar.sentence_reading import Skeleton, Words

Terminal = str | int
"""A function word, or the category of a unit."""
EDGE = ""
"""The terminal before the first token and after the last."""


class Production(NamedTuple):
    """A rule at work: a category and what it consists of, words and categories."""

    result: int
    parts: tuple[Terminal, ...]


@dataclass(frozen=True)
class Lookahead:
    """Bit masks of the terminals before and after each category."""

    leaves: frozenset[int]
    """The categories that units may have."""
    bits: Mapping[Terminal, int]
    before: Mapping[int, int]
    after: Mapping[int, int]

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
        bits = {terminal: 1 << index for index, terminal in enumerate(sorted(terminals, key=str))}

        def masks(table: Mapping[int, set[Terminal]]) -> dict[int, int]:
            mask_of = {c: sum(bits[t] for t in terminals) for c, terminals in table.items()}
            return defaultdict(int, mask_of)

        return cls(frozenset(leaf_set), defaultdict(int, bits), masks(before), masks(after))

    def covers(self, skeleton: Skeleton) -> bool:
        """Whether the tables hold for this sentence."""
        return all(leaf.category in self.leaves for leaf in skeleton.leaves)

    def neighbours(self, skeleton: Skeleton) -> tuple[list[int], list[int]]:
        """For each boundary, the masks of what ends there and of what begins there."""
        num_tokens = len(skeleton.words)
        ending, beginning = [0] * (num_tokens + 1), [0] * (num_tokens + 1)
        for position, word in enumerate(skeleton.words):
            if word is not None:
                beginning[position] |= self.bits[word]
                ending[position + 1] |= self.bits[word]
        for leaf in skeleton.leaves:
            beginning[leaf.begin] |= self.bits[leaf.category]
            ending[leaf.end] |= self.bits[leaf.category]
        ending[0] |= self.bits[EDGE]
        beginning[num_tokens] |= self.bits[EDGE]
        return ending, beginning


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
