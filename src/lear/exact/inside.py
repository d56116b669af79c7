"""The inside algorithm, over many packed forests at once as one set of arrays.

Items of a batch are numbered together; edges are grouped by the length of their parent's span, so
that one round of tensor arithmetic completes all items of one length in all forests.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lear.search.chart import Edge, Item
from lear.search.forest import Forest

V = TypeVar("V", bound=Hashable)
Ints = NDArray[np.int64]

NO_CHILD = -1
"""In place of a child that an edge does not have."""
NO_SCORE = -1
"""In place of a rule, where an edge scores nothing."""


def slot(number: int) -> int:
    """In place of a rule: the score of a lexical candidate of the sentence, by its number."""
    return -2 - number


@dataclass(frozen=True, slots=True)
class PackedForest:
    """A forest as arrays; items are in an order in which children come first, the root last."""

    lengths: Ints  # (items,) tokens of each item's span
    edges: Ints  # (edges, 4) parent; rule, `slot` or NO_SCORE; first child; second child
    num_slots: int = 0
    """Lexical candidates of the sentence."""

    @classmethod
    def of(
        cls,
        forest: Forest[V],
        numbers: Callable[[Item[V], Edge[V]], Sequence[int]],
        num_slots: int = 0,
    ) -> "PackedForest":
        """The arrays of a forest.

        Args:
            forest: What to pack.
            numbers: Score indices of an edge, one per alternative: a rule, or a `slot`; a leaf
                without any scores 0.
            num_slots: How many lexical candidates the sentence has.
        """
        items = forest.items()
        number = {item: index for index, item in enumerate(items)}
        edges = []
        for item in items:
            for edge in item.edges:
                children = [number[child] for child in edge.children]
                children += [NO_CHILD] * (2 - len(children))
                rules = numbers(item, edge)
                if not rules and len(item.edges) > 1:
                    rules = [NO_SCORE]  # one way among others; alone, a leaf needs no edge
                edges += [(number[item], rule, *children) for rule in rules]
        return cls(
            np.array([item.end - item.begin for item in items], dtype=np.int64),
            np.array(edges, dtype=np.int64).reshape(-1, 4),
            num_slots,
        )


@dataclass(frozen=True, slots=True)
class Level:
    """The edges of all items of one length."""

    scores: Tensor  # (E,) where in the vector of all scores an edge's is
    first: Tensor  # (E,) items
    second: Tensor  # (E,) items; the spare item, whose value is 0, where there is none
    segments: Tensor  # (E,) which of `parents` an edge belongs to
    parents: Tensor  # (P,) items


@dataclass(frozen=True, slots=True)
class ForestBatch:
    """Several packed forests, ready for `inside`."""

    num_items: int
    num_slots: int
    roots: Tensor  # (forests,)
    levels: tuple[Level, ...]

    @classmethod
    def of(cls, forests: Sequence[PackedForest], device: torch.device) -> "ForestBatch":
        """One numbering of items for all forests; the spare item comes last."""
        sizes = np.array([len(forest.lengths) for forest in forests])
        offsets = np.concatenate(([0], np.cumsum(sizes)))
        lengths = np.concatenate([forest.lengths for forest in forests])
        slots = np.concatenate(([0], np.cumsum([forest.num_slots for forest in forests])))
        edges = np.concatenate(
            [
                _shifted(forest.edges, item, first_slot, int(offsets[-1]), int(slots[-1]))
                for forest, item, first_slot in zip(forests, offsets, slots, strict=False)
            ]
        )
        edge_lengths = lengths[edges[:, 0]]
        levels = []
        for length in np.unique(edge_lengths):
            chosen = edges[edge_lengths == length]
            parents, segments = np.unique(chosen[:, 0], return_inverse=True)
            arrays: tuple[Any, ...] = (chosen[:, 1], chosen[:, 2], chosen[:, 3], segments, parents)
            levels.append(Level(*(torch.tensor(a, device=device) for a in arrays)))
        roots = torch.tensor(offsets[1:] - 1, device=device)
        return cls(int(offsets[-1]), int(slots[-1]), roots, tuple(levels))


def _shifted(edges: Ints, first_item: int, first_slot: int, num_items: int, num_slots: int) -> Ints:
    """Edges in the numbering of a batch: slots first, then the score 0, then rules."""
    rules, children = edges[:, 1], edges[:, 2:]
    scores = np.where(rules <= -2, first_slot - 2 - rules, num_slots + 1 + rules)
    parents = edges[:, 0] + first_item
    children = np.where(children == NO_CHILD, num_items, children + first_item)
    shifted: Ints = np.column_stack((parents, scores, children))
    return shifted


def inside(batch: ForestBatch, rule_scores: Tensor, lexical_scores: Tensor | None = None) -> Tensor:
    """The log of the sum over each forest's derivations of exp(sum of scores), (forests,).

    The gradient with respect to the scores is the expected number of uses of each.

    Args:
        batch: The forests.
        rule_scores: Of all rules, (R,).
        lexical_scores: Of the slots of all forests, one forest after the other, (S,).
    """
    zero = rule_scores.new_zeros(1)
    slots = rule_scores.new_zeros(0) if lexical_scores is None else lexical_scores
    assert len(slots) == batch.num_slots
    scores = torch.cat((slots, zero, rule_scores))
    values = scores.new_zeros(batch.num_items + 1)
    for level in batch.levels:
        totals = scores[level.scores] + values[level.first] + values[level.second]  # (E,)
        highest = totals.new_full((len(level.parents),), -torch.inf)
        highest = highest.scatter_reduce(0, level.segments, totals.detach(), "amax")
        sums = totals.new_zeros(len(level.parents)).index_add(
            0, level.segments, (totals - highest[level.segments]).exp()
        )
        values = values.index_put((level.parents,), sums.log() + highest)
    return values[batch.roots]
