"""Sums over all derivations of many sentences at once, as arrays.

What `InsideOutside` does for one chart of objects, this does for all that a search of many
sentences has kept, length by length, so that a sum costs nanoseconds where a loop would take
microseconds. Only the parts that are likely become objects.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lear.errors import SearchLimitError
from lear.grammar.sentence_reading import CategoryLeaf
from lear.search.answer_distribution import EQUALLY, LikelyParts, log_sum
from lear.search.chart import Edge, Item, out_of_budget
from lear.search.span_items import LEAF, NO_ITEM, Edges, Ints, firsts, run_sizes
from lear.search.span_search import SpanSearch

Floats = NDArray[np.floating]
LeafScores = Mapping[CategoryLeaf, Floats]
"""The scores of the primitives behind each leaf that has any, (K, primitives)."""


class GrammarOfSteps(Protocol):
    """What a search was made by."""

    def member_scores(self, steps: Ints) -> Floats:
        """The scores of the rules of steps by each member, (K, n)."""

    def operation(self, step: int) -> str:
        """The operation of a step."""

    def is_complete(self, category: int) -> bool:
        """Whether meanings of a category can be answers."""


class _Sums(NamedTuple):
    """Inside sums at some temperature; the last row of `inside` is that of nothing, 0."""

    edge: Floats  # (edges, K): a step with all that is below it
    inside: Floats  # (items + 1, K)
    log_z: Floats  # (sentences, K)


class PackedForests:
    """All derivations that a search has kept, of each of its sentences.

    Items are numbered from short spans to long ones, so that parts come before their wholes.
    """

    def __init__(
        self,
        search: SpanSearch,
        grammar: GrammarOfSteps,
        leaf_scores: Sequence[LeafScores],
        chosen: Sequence[int],
    ) -> None:
        """The forests of a search that has run and kept its edges.

        Args:
            search: The search.
            grammar: What it was made by.
            leaf_scores: For each sentence what members say of primitives; leaves without score 0.
            chosen: Which sentences of the search these are, each once.
        """
        self._search = search
        self._leaf_scores = leaf_scores
        self._chosen = np.array(chosen, dtype=np.int64)
        columns, grid = search.items.columns, search.grid
        self._num_items = len(columns.cell)
        self._span = grid.begin_row[columns.cell], grid.end_row[columns.cell]
        places = np.full(len(grid.lengths), -1)
        places[self._chosen] = np.arange(len(chosen))
        self._sentence = places[grid.sentence[columns.cell]]
        self._roots = self._complete(grammar)
        self._edges = self._used_edges()
        self._levels = self._levels_of(self._edges.item)
        inner = self._edges.step != LEAF
        steps, places = np.unique(self._edges.step[inner], return_inverse=True)
        self._label = np.full(len(inner), LEAF)
        self._label[inner] = places
        self.operations = [grammar.operation(step) for step in steps.tolist()]
        """Of each label of an edge."""
        self.rule_scores = grammar.member_scores(steps)
        """Of each label, (K, labels)."""

    @cached_property
    def num_edges(self) -> list[int]:
        """Of each sentence: how many steps derivations of it use."""
        sentence = self._sentence[self._edges.item]
        counts: list[int] = np.bincount(sentence, minlength=len(self._leaf_scores)).tolist()
        return counts

    def limit_met(self, sentence: int) -> SearchLimitError | None:
        """That the search of a sentence came to no end, if it did."""
        if not self._search.is_over[self._chosen[sentence]]:
            return None
        length = int(self._search.grid.lengths[self._chosen[sentence]])
        return out_of_budget(length, self._search.budget.combinations)

    def likely(self, temperature: float, min_posterior: float) -> list[LikelyParts]:
        """For each sentence the parts that derivations use with at least this probability.

        As `InsideOutside.likely`, whose laws hold here too; without a derivation there are none.
        """
        sums = self._sums(temperature)
        chosen = np.flatnonzero(self._is_likely(sums, min_posterior))
        return self._as_objects(chosen, sums.log_z)

    def _complete(self, grammar: GrammarOfSteps) -> Ints:
        """Items that are whole sentences, in the order of these."""
        items = self._search.items
        whole = np.array(self._search.whole_cells())[self._chosen]
        whole = whole[~self._search.is_over[self._chosen]]
        starts, counts = items.start[whole].tolist(), items.count[whole].tolist()
        categories = items.columns.category
        roots = [
            item
            for start, count in zip(starts, counts, strict=True)
            for item in range(start, start + count)
            if grammar.is_complete(int(categories[item]))
        ]
        return np.array(roots, dtype=np.int64)

    def _used_edges(self) -> Edges:
        """The edges of items that are parts of whole sentences, in the order of these items.

        In place of a part that an edge does not have there is one beyond the last item.
        """
        every = self._search.items.edges
        order = np.argsort(every.item, kind="stable")
        edges = Edges(*(column[order] for column in every))
        nothing = self._num_items
        is_leaf = edges.step == LEAF  # `left` is then the rank of a primitive
        left = np.where(is_leaf, nothing, edges.left)
        right = np.where(is_leaf | (edges.right == NO_ITEM), nothing, edges.right)
        is_used = np.zeros(nothing + 1, dtype=bool)
        is_used[self._roots] = True
        for place in reversed(self._levels_of(edges.item)):
            used = is_used[edges.item[place]]
            is_used[left[place][used]] = True
            is_used[right[place][used]] = True
        is_used[nothing] = False
        kept = is_used[edges.item]
        return Edges(edges.item[kept], edges.step[kept], left[kept], right[kept])

    def _levels_of(self, item: Ints) -> list[slice]:
        """Where the edges of items of one length are, from short to long; items are in order."""
        if not len(item):
            return []
        begin, end = self._span
        lengths = end[item] - begin[item]
        borders = np.searchsorted(lengths, np.arange(1, int(lengths[-1]) + 2)).tolist()
        return [slice(*pair) for pair in pairwise(borders)]

    def _sums(self, temperature: float) -> _Sums:
        """The sums over all derivations, when scores are divided by a temperature."""
        edges, num_members = self._edges, len(self.rule_scores)
        total = self._weights(temperature)
        inside = np.full((self._num_items + 1, num_members), -np.inf)
        inside[-1] = 0.0
        for place in self._levels:
            item = edges.item[place]
            if len(item):
                total[place] += inside[edges.left[place]] + inside[edges.right[place]]
                first = firsts(item)
                inside[item[first]] = _log_sums(total[place], first)
        log_z = np.full((len(self._leaf_scores), num_members), -np.inf)
        if len(self._roots):
            sentence = self._sentence[self._roots]
            first = firsts(sentence)
            log_z[sentence[first]] = _log_sums(inside[self._roots], first)
        return _Sums(total, inside, log_z)

    def _weights(self, temperature: float) -> Floats:
        """The log-weight of each edge, (edges, K)."""
        inner = self._label != LEAF
        weights = np.zeros((len(inner), len(self.rule_scores)))
        weights[inner] = self.rule_scores[:, self._label[inner]].T / temperature
        if any(self._leaf_scores):
            for number in np.flatnonzero(~inner).tolist():
                leaf_scores = self._leaf_scores[self._sentence[self._edges.item[number]]]
                scores = leaf_scores.get(self._leaf(int(self._edges.item[number])))
                if scores is not None:
                    weights[number] = log_sum(scores / temperature)
        return weights

    def _leaf(self, item: int) -> CategoryLeaf:
        """An item as a leaf of its sentence."""
        sentence = self._chosen.item(self._sentence.item(item))
        first = self._search.grid.first_row.item(sentence)
        begin, end = (rows.item(item) - first for rows in self._span)
        return CategoryLeaf(begin, end, self._search.items.columns.category.item(item))

    def _is_likely(self, sums: _Sums, min_posterior: float) -> NDArray[np.bool_]:
        """Which edges derivations use with at least this probability, by likely edges above."""
        edges = self._edges
        is_likely = np.zeros(len(edges.item), dtype=bool)
        posterior = np.zeros_like(sums.inside)
        is_used = np.zeros(len(posterior), dtype=bool)
        is_used[self._roots] = True
        log_z = sums.log_z[self._sentence[self._roots]]
        posterior[self._roots] = np.exp(sums.inside[self._roots] - log_z)
        for place in reversed(self._levels):
            (used,) = np.nonzero(is_used[edges.item[place]])
            if not len(used):
                continue
            used += place.start
            item = edges.item[used]
            inside = sums.inside[item]
            # What a member rules out stays ruled out.
            share = np.where(np.isfinite(inside), sums.edge[used] - inside, -np.inf)
            shares = posterior[item] * np.exp(share)
            means = shares.mean(axis=1)
            first = firsts(item)
            most = np.repeat(np.maximum.reduceat(means, first), run_sizes(first, len(item)))
            (kept,) = np.nonzero(means >= np.minimum(min_posterior, EQUALLY * most))
            is_likely[used[kept]] = True
            for side in (edges.left, edges.right):
                part = side[used[kept]]
                np.add.at(posterior, part, shares[kept])
                is_used[part] = True
        return is_likely

    def _as_objects(self, chosen: Ints, log_z: Floats) -> list[LikelyParts]:
        """Some edges as items with edges, sentence by sentence."""
        edges, nothing = self._edges, self._num_items
        columns = (edges.item, self._label, edges.left, edges.right)
        items: dict[int, Item[int]] = {}
        for number, label, *parts in zip(*(c[chosen].tolist() for c in columns), strict=True):
            item = items.get(number)
            if item is None:
                item = items[number] = Item(*self._leaf(number))
            children = tuple(items[part] for part in parts if part != nothing)
            item.edges.append(Edge(None if label == LEAF else label, children))
        found = [LikelyParts([], {}, z) for z in log_z]
        for root in self._roots.tolist():
            found[self._sentence[root]].roots.append(items[root])
        for number, item in items.items():
            found[self._sentence[number]].edges[item] = item.edges
        return found


def _log_sums(values: Floats, first: Ints) -> Floats:
    """Logs of sums of exp over runs of rows that begin at these places, (n, K) -> (runs, K)."""
    if len(first) == len(values):
        return values
    top = np.maximum.reduceat(values, first)
    safe = np.where(np.isfinite(top), top, 0.0)
    shifted = np.exp(values - np.repeat(safe, run_sizes(first, len(values)), axis=0))
    with np.errstate(divide="ignore"):
        sums: Floats = safe + np.log(np.add.reduceat(shifted, first))
    return sums
