"""Packed forests as arrays, and sums over their derivations in any semiring.

Items are numbered from short spans to long ones, so children come before their parents, and one
step of array arithmetic completes all items of one length in all forests. What is summed decides
the semiring: probabilities, the best score, the number of derivations. Expected counts are the
outside pass (`posteriors`), or the gradient of the inside sum where arrays are tensors.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from lear.forest.arrays import Floats, Ints, firsts, run_sizes

A = TypeVar("A")
W = TypeVar("W", contravariant=True)
NO_CHILD = -1
"""In place of a child that an edge does not have; as an index it is that of the spare item."""
EQUALLY = 1 - 1e-5
"""Edges whose probabilities have this ratio, or one nearer to 1, are equally likely: rounding must
not choose among them."""


class Edges(NamedTuple):
    """Ways to build items, as columns (E,)."""

    parent: Ints
    """The item that each edge builds."""
    label: Ints
    """What it scores, by the numbers of those who made the forest."""
    first: Ints
    """The item that is its first child, or `NO_CHILD`."""
    second: Ints

    def where(self, keep: NDArray[Any]) -> "Edges":
        """Return some of them, by a mask or by their numbers."""
        return Edges(*(column[keep] for column in self))


class PackedForest(NamedTuple):
    """One forest or several. The edges of an item are neighbours, in the order of items."""

    lengths: Ints  # (N,) tokens of each item's span, rising
    edges: Edges
    roots: Ints  # (R,) items that are whole derivations
    owner: Ints  # (R,) the forest of each root, rising

    def levels(self) -> list[slice]:
        """Return the edges of items of one length, from short to long."""
        borders = firsts(self.lengths[self.edges.parent]).tolist()
        ends = [*borders[1:], len(self.edges.parent)]
        return [slice(*pair) for pair in zip(borders, ends, strict=False)]


def joined(forests: Sequence[PackedForest]) -> PackedForest:
    """Put forests together into one; each of them keeps its roots and the order of its edges."""
    sizes = np.array([len(forest.lengths) for forest in forests])
    offsets = np.cumsum(sizes) - sizes
    lengths = np.concatenate([forest.lengths for forest in forests])
    order = np.argsort(lengths, kind="stable")
    number = np.empty(len(order) + 1, dtype=np.int64)
    number[order] = np.arange(len(order))
    number[NO_CHILD] = NO_CHILD
    edges = Edges(*map(np.concatenate, zip(*(forest.edges for forest in forests), strict=True)))
    shift = np.repeat(offsets, [len(forest.edges.parent) for forest in forests])
    parent, first, second = (
        number[np.where(items == NO_CHILD, NO_CHILD, items + shift)]
        for items in (edges.parent, edges.first, edges.second)
    )
    edges = Edges(parent, edges.label, first, second).where(np.argsort(parent, kind="stable"))
    roots = [forest.roots + offset for forest, offset in zip(forests, offsets, strict=True)]
    owner = np.repeat(np.arange(len(forests)), list(map(len, roots)))
    return PackedForest(lengths[order], edges, number[np.concatenate(roots)], owner)


class Semiring(Protocol[A, W]):
    """Arithmetic on values of items and weights of edges, for arrays of one library."""

    def ones(self, count: int, weights: W) -> A:
        """Return so many values of nothing, the product without factors, like these weights."""

    def split(self, weights: W, sizes: Sequence[int]) -> Iterable[A]:
        """Cut weights into parts of these sizes."""

    def take(self, values: A, items: Ints) -> A:
        """Return the values of items."""

    def put(self, values: A, items: Ints, new: A) -> A:
        """Return values with new ones for some items; they may be the same array."""

    def times(self, one: A, other: A) -> A:
        """Multiply."""

    def sums(self, values: A, first: Ints) -> A:
        """Add up runs of values that begin at these places."""


@dataclass(frozen=True)
class UfuncSemiring:
    """A semiring on NumPy arrays."""

    plus: np.ufunc
    product: np.ufunc
    one: float | bool

    def ones(self, count: int, weights: NDArray[Any]) -> NDArray[Any]:
        """Return so many values of nothing."""
        return np.full((count, *weights.shape[1:]), self.one, weights.dtype)

    def split(self, weights: NDArray[Any], sizes: Sequence[int]) -> list[NDArray[Any]]:
        """Cut weights into parts of these sizes."""
        return np.split(weights, np.cumsum(sizes)[:-1])

    def take(self, values: NDArray[Any], items: Ints) -> NDArray[Any]:
        """Return the values of items."""
        return values[items]

    def put(self, values: NDArray[Any], items: Ints, new: NDArray[Any]) -> NDArray[Any]:
        """Write new values into the array."""
        values[items] = new
        return values

    def times(self, one: NDArray[Any], other: NDArray[Any]) -> NDArray[Any]:
        """Multiply."""
        product: NDArray[Any] = self.product(one, other)
        return product

    def sums(self, values: NDArray[Any], first: Ints) -> NDArray[Any]:
        """Add up runs of values."""
        is_done = len(first) == len(values)
        return values if is_done else self.plus.reduceat(values, first, axis=0)


LOG = UfuncSemiring(np.logaddexp, np.add, 0.0)
"""Sums of probabilities, as logs."""
BEST = UfuncSemiring(np.maximum, np.add, 0.0)
"""The best score."""
COUNT = UfuncSemiring(np.add, np.multiply, 1)
"""The number of derivations; exact for arrays of Python's numbers."""
ANY = UfuncSemiring(np.logical_or, np.logical_and, one=True)
"""True where some derivation has true weights only."""


def inside(forest: PackedForest, weights: W, semiring: Semiring[A, W]) -> A:
    """Sum up the derivations of each item.

    Args:
        forest: The derivations.
        weights: Of edges, (E, ...). An item without edges has the weight of nothing.
        semiring: What a sum and a product are.

    Returns:
        The sums, (N + 1, ...); the last one is that of the spare item.
    """
    values = semiring.ones(len(forest.lengths) + 1, weights)
    levels = forest.levels()
    parts = semiring.split(weights, [level.stop - level.start for level in levels])
    for level, part in zip(levels, parts, strict=False):
        for children in (forest.edges.first[level], forest.edges.second[level]):
            part = semiring.times(part, semiring.take(values, children))
        parent = forest.edges.parent[level]
        first = firsts(parent)
        values = semiring.put(values, parent[first], semiring.sums(part, first))
    return values


def partition(forest: PackedForest, values: A, semiring: Semiring[A, Any]) -> A:
    """Sum up the derivations of each forest that has a root, given the sums of items."""
    return semiring.sums(semiring.take(values, forest.roots), firsts(forest.owner))


def posteriors(
    forest: PackedForest, weights: Floats, values: Floats, min_posterior: float = 0.0
) -> tuple[Floats, NDArray[np.bool_]]:
    """Tell how probable edges are, from the roots down, by likely edges above.

    Args:
        forest: The derivations.
        weights: Logs of weights by K members, (E, K).
        values: Their `inside` sums in `LOG`, (N + 1, K).
        min_posterior: Edges less probable are left out, and what only they use. The most likely
            edges of an item that is used are always kept.

    Returns:
        The probability of each edge by each member, (E, K), and which edges are kept.
    """
    wholes = weights + values[forest.edges.first] + values[forest.edges.second]
    found, is_kept = np.zeros_like(wholes), np.zeros(len(wholes), dtype=bool)
    outside, is_used = np.zeros_like(values), np.zeros(len(values), dtype=bool)
    is_used[forest.roots] = True
    first = firsts(forest.owner)
    log_z = np.repeat(partition(forest, values, LOG), run_sizes(first, len(forest.roots)), axis=0)
    outside[forest.roots] = np.exp(values[forest.roots] - log_z)
    for level in reversed(forest.levels()):
        (used,) = np.nonzero(is_used[forest.edges.parent[level]])
        if not len(used):
            continue
        used += level.start
        item = forest.edges.parent[used]
        value = values[item]
        # What a member rules out stays ruled out.
        share = np.where(np.isfinite(value), wholes[used] - value, -np.inf)
        shares = outside[item] * np.exp(share)
        means, first = shares.mean(axis=1), firsts(item)
        most = np.repeat(np.maximum.reduceat(means, first), run_sizes(first, len(item)))
        (kept,) = np.nonzero(means >= np.minimum(min_posterior, EQUALLY * most))
        found[used[kept]], is_kept[used[kept]] = shares[kept], True
        for children in (forest.edges.first, forest.edges.second):
            child = children[used[kept]]
            np.add.at(outside, child, shares[kept])
            is_used[child] = True
    return found, is_kept
