"""Many charts as one set of arrays, and the inside algorithm over all of them at once.

Items of a batch are numbered together; edges are grouped by the length of their parent's span, so
that one step of tensor arithmetic completes all items of one length in all charts.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lear.chart import Edge, Item
from lear.forest import Forest

V = TypeVar("V", bound=Hashable)
Ints = NDArray[np.int64]

NO_CHILD = -1
"""In place of a second child, where an edge has one only."""


@dataclass(frozen=True, slots=True)
class PackedForest:
    """A forest as arrays; items are in an order in which children come first, the root last."""

    lengths: Ints  # (items,) tokens of each item's span
    edges: Ints  # (edges, 4) parent, rule, first child, second child

    @classmethod
    def of(
        cls, forest: Forest[V], rule_number: Callable[[Item[V], Edge[V]], int]
    ) -> "PackedForest":
        """The arrays of a forest; leaves have score 0 and no edges."""
        items = forest.items()
        number = {item: index for index, item in enumerate(items)}
        edges = [
            (
                number[item],
                rule_number(item, edge),
                number[edge.children[0]],
                number[edge.children[1]] if len(edge.children) > 1 else NO_CHILD,
            )
            for item in items
            for edge in item.edges
            if edge.children
        ]
        return cls(
            np.array([item.end - item.begin for item in items], dtype=np.int64),
            np.array(edges, dtype=np.int64).reshape(-1, 4),
        )


@dataclass(frozen=True, slots=True)
class Level:
    """The edges of all items of one length."""

    rules: Tensor  # (E,)
    first: Tensor  # (E,) items
    second: Tensor  # (E,) items; the spare item, whose value is 0, where there is none
    segments: Tensor  # (E,) which of `parents` an edge belongs to
    parents: Tensor  # (P,) items


@dataclass(frozen=True, slots=True)
class ForestBatch:
    """Several packed forests, ready for `inside`."""

    num_items: int
    roots: Tensor  # (forests,)
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, forests: Sequence[PackedForest], device: torch.device) -> "ForestBatch":
        """One numbering of items for all forests; the spare item comes last."""
        sizes = np.array([len(forest.lengths) for forest in forests])
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        lengths = np.concatenate([forest.lengths for forest in forests])
        edges = np.concatenate(
            [_shifted(f.edges, offset) for f, offset in zip(forests, offsets, strict=False)]
        )
        edges[edges == NO_CHILD] = offsets[-1]
        edge_lengths = lengths[edges[:, 0]]
        levels = []
        for length in np.unique(edge_lengths):
            chosen = edges[edge_lengths == length]
            parents, segments = np.unique(chosen[:, 0], return_inverse=True)
            arrays: tuple[Any, ...] = (chosen[:, 1], chosen[:, 2], chosen[:, 3], segments, parents)
            levels.append(Level(*(torch.tensor(a, device=device) for a in arrays)))
        roots = torch.tensor(offsets[1:] - 1, device=device)
        return cls(int(offsets[-1]), roots, tuple(levels))


def _shifted(edges: Ints, offset: int) -> Ints:
    shifted = edges.copy()
    shifted[:, 0] += offset
    shifted[:, 2] += offset
    shifted[:, 3] = np.where(edges[:, 3] == NO_CHILD, NO_CHILD, edges[:, 3] + offset)
    return shifted


def inside(batch: ForestBatch, scores: Tensor) -> Tensor:
    """The log of the sum over each forest's derivations of exp(sum of rule scores), (forests,).

    The gradient with respect to `scores` is the expected number of uses of each rule.
    """
    values = scores.new_zeros(batch.num_items + 1)
    for level in batch.levels:
        totals = scores[level.rules] + values[level.first] + values[level.second]  # (E,)
        highest = totals.new_full((len(level.parents),), -torch.inf)
        highest = highest.scatter_reduce(0, level.segments, totals.detach(), "amax")
        sums = totals.new_zeros(len(level.parents)).index_add(
            0, level.segments, (totals - highest[level.segments]).exp()
        )
        values = values.index_put((level.parents,), sums.log() + highest)
    return values[batch.roots]
