"""The packed forest of one meaning: every derivation of it, in space shared between them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import islice, product
from typing import TypeVar

from lear.chart import Item, LeafEdge, NodeEdge
from lear.derivation import Derivation, Leaf, Node

T = TypeVar("T")


@dataclass(frozen=True)
class Forest:
    """All derivations of the root's meaning, with every shared part stored once."""

    root: Item

    def items(self) -> list[Item]:
        """The items under the root, each once, children before parents."""
        found: dict[Item, None] = {self.root: None}
        stack = [self.root]
        while stack:
            for edge in stack.pop().edges:
                new = [child for child in _children(edge) if child not in found]
                found.update(dict.fromkeys(new))
                stack.extend(new)
        return sorted(found, key=lambda item: item.end - item.begin)

    def inside(
        self,
        weight: Callable[[Item, LeafEdge | NodeEdge], T],
        times: Callable[[T, T], T],
        plus: Callable[[T, T], T],
    ) -> T:
        """The sum over derivations of the product of their edges' weights, in any semiring."""
        value: dict[Item, T] = {}
        for item in self.items():
            totals = []
            for edge in item.edges:
                factors = (value[child] for child in _children(edge))
                totals.append(reduce(times, factors, weight(item, edge)))
            value[item] = reduce(plus, totals)
        return value[self.root]

    def count(self) -> int:
        """How many derivations there are."""
        return self.inside(_one, int.__mul__, int.__add__)

    def best(self, score: Callable[[Item, LeafEdge | NodeEdge], float]) -> Derivation:
        """The derivation whose edges' scores add up to most; ties to the edge found first."""
        best: dict[Item, tuple[float, Derivation]] = {}
        for item in self.items():
            scored = [
                (score(item, edge) + sum(best[child][0] for child in _children(edge)), edge)
                for edge in item.edges
            ]
            total, edge = max(scored, key=lambda pair: pair[0])
            children = tuple(best[child][1] for child in _children(edge))
            best[item] = total, _tree(item, edge, children)
        return best[self.root][1]

    def derivations(self, limit: int) -> list[Derivation]:
        """The first `limit` derivations, in the order in which their edges were found."""
        trees: dict[Item, list[Derivation]] = {}
        for item in self.items():
            trees[item] = list(islice(self._trees(item, trees), limit))
        return trees[self.root]

    @staticmethod
    def _trees(item: Item, trees: dict[Item, list[Derivation]]) -> Iterator[Derivation]:
        for edge in item.edges:
            for children in product(*(trees[child] for child in _children(edge))):
                yield _tree(item, edge, children)


def _one(item: Item, edge: LeafEdge | NodeEdge) -> int:
    del item, edge
    return 1


def _children(edge: LeafEdge | NodeEdge) -> tuple[Item, ...]:
    return edge.children if isinstance(edge, NodeEdge) else ()


def _tree(item: Item, edge: LeafEdge | NodeEdge, children: tuple[Derivation, ...]) -> Derivation:
    if isinstance(edge, LeafEdge):
        return Leaf(item.begin, item.end, edge.primitive)
    return Node(item.begin, item.end, edge.operation.name, children)
