"""The packed forest under one item: every derivation of it, in space shared between them."""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from functools import reduce
from itertools import islice, product
from typing import Generic, TypeVar

from lear.core.derivation import Derivation, Leaf, Node
from lear.search.chart import Edge, Item

T = TypeVar("T")
V = TypeVar("V", bound=Hashable)


@dataclass(frozen=True)
class Forest(Generic[V]):
    """All derivations of the root's value, with every shared part stored once."""

    root: Item[V]

    def items(self) -> list[Item[V]]:
        """The items under the root, each once, children before parents."""
        seen: dict[Item[V], None] = {self.root: None}
        stack = [self.root]
        while stack:
            for edge in stack.pop().edges:
                new = [child for child in edge.children if child not in seen]
                seen.update(dict.fromkeys(new))
                stack.extend(new)
        return sorted(seen, key=lambda item: item.end - item.begin)

    def inside(
        self,
        weight: Callable[[Item[V], Edge[V]], T],
        times: Callable[[T, T], T],
        plus: Callable[[T, T], T],
    ) -> T:
        """The sum over derivations of the product of their edges' weights, in any semiring."""
        value: dict[Item[V], T] = {}
        for item in self.items():
            totals = [
                reduce(times, (value[child] for child in edge.children), weight(item, edge))
                for edge in item.edges
            ]
            value[item] = reduce(plus, totals)
        return value[self.root]

    def count(self) -> int:
        """How many derivations there are."""
        return self.inside(_one, int.__mul__, int.__add__)

    def derivations(self, limit: int) -> list[Derivation]:
        """The first `limit` derivations, in the order in which their edges were found."""
        trees: dict[Item[V], list[Derivation]] = {}
        for item in self.items():
            trees[item] = list(islice(self._trees(item, trees), limit))
        return trees[self.root]

    @staticmethod
    def _trees(item: Item[V], trees: dict[Item[V], list[Derivation]]) -> Iterator[Derivation]:
        for edge in item.edges:
            for children in product(*(trees[child] for child in edge.children)):
                yield tree_of(item, edge, children)


def _one(item: Item[V], edge: Edge[V]) -> int:
    del item, edge
    return 1


def tree_of(item: Item[V], edge: Edge[V], children: tuple[Derivation, ...]) -> Derivation:
    """A node of a derivation; labels are primitives at leaves and operations above."""
    if not children:
        return Leaf(item.begin, item.end, edge.label)
    return Node(item.begin, item.end, edge.label, children)
