"""The model's distribution over the answers to one sentence, not only its best derivation.

A model gives every legal derivation d of a sentence the probability exp(score(d)) / Z. An answer
may have many derivations; its probability is their sum. Inside and outside sums over the chart find
Z and the parts that matter; over these the same sums are taken by meaning in place of category, so
that derivations of one meaning come together. An ensemble is a mixture: each member has its own
distribution, and an answer's probability is the mean of what the members give it.

Sums over all derivations of many sentences at once, as arrays.

What `InsideOutside` does for one chart of objects, this does for all that a search of many
sentences has kept, length by length, so that a sum costs nanoseconds where a loop would take
microseconds. Only the parts that are likely become objects.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from lear.algebra.algebra import Meaning
from lear.algebra.derivations import post_order
from lear.errors import SearchLimitError
from lear.forest.chart import Edge, Forest, Item, out_of_budget
from lear.forest.programs import Instruction, Program
from lear.forest.span_search import LEAF, NO_ITEM, Edges, Ints, SpanSearch, firsts, run_sizes
from lear.grammar.reading import Candidate, CategoryLeaf

Floats = NDArray[np.floating]
MAX_MEANINGS = 64
"""How many meanings are told apart over one span and category; the unlikeliest are dropped."""
EQUALLY = 1 - 1e-5
"""Edges whose probabilities have this ratio, or one nearer to 1, are equally likely: rounding must
not choose among them."""


class WeighedMeaning(NamedTuple):
    """A meaning of the whole sentence, before its finishing steps."""

    meaning: Meaning
    log_p: Floats  # (K,) of all its derivations together, by each member
    program: Program
    """The best of its derivations."""
    is_only: bool
    """Whether no other derivation was looked at: then log_p is that of every sentence with this
    skeleton, whatever its words are."""


class LikelyParts(NamedTuple):
    """The parts of a chart that derivations are likely to use."""

    roots: list[Item[int]]
    """Complete categories over the whole sentence."""
    edges: dict[Item[int], list[Edge[int]]]
    """Items with their likely edges, children before parents."""
    log_z: Floats  # (K,) the sum over all derivations, likely or not


class _Way(NamedTuple):
    """A meaning over a span, with the best of its derivations."""

    meaning: Meaning
    log_sum: Floats  # (K,)
    score: float
    instruction: Instruction
    children: tuple["_Way", ...]


@dataclass(frozen=True)
class ScoredChart:
    """What each member of a model says of the parts of one sentence's derivations."""

    operations: Sequence[str]
    """Of each rule, by number."""
    rule_scores: Floats  # (K, rules)
    leaf_scores: Mapping[CategoryLeaf, Floats]
    """Of the primitives behind each leaf, (K, primitives); a leaf without any scores 0."""
    temperature: float = 1.0
    """Scores are divided by it: above 1 answers become less sure."""
    max_meanings: int | None = None
    """How many meanings of parts may be put together; beyond that nothing is known of answers."""

    @property
    def num_members(self) -> int:
        """K."""
        return int(self.rule_scores.shape[0])

    def alternatives(self, item: Item[int], edge: Edge[int]) -> Floats:
        """The scores of an edge: one, or one for each primitive of a leaf, (K, n)."""
        if edge.children:
            return self.rule_scores[:, edge.label, None]
        nothing = np.zeros((self.num_members, 1))
        return self.leaf_scores.get(CategoryLeaf(item.begin, item.end, item.value), nothing)

    def weight(self, item: Item[int], edge: Edge[int]) -> Floats:
        """The log-weight of an edge, (K,)."""
        return log_sum(self.alternatives(item, edge) / self.temperature)


def log_sum(values: Floats) -> Floats:
    """Log of the sum of exp over the last axis."""
    if values.shape[-1] == 1:
        return values[..., 0]
    top = values.max(axis=-1)
    safe = np.where(np.isfinite(top), top, 0.0)
    with np.errstate(divide="ignore"):
        total: Floats = safe + np.log(np.exp(values - safe[..., None]).sum(axis=-1))
    return total


class InsideOutside:
    """Sums over all derivations of a chart, by item and by edge."""

    def __init__(self, chart: ScoredChart, roots: Sequence[Item[int]]) -> None:
        """Sums over the derivations of some items, at least one, over the whole sentence."""
        self.roots = list(roots)
        above = Item(0, roots[0].end + 1, -1, [Edge(None, (item,)) for item in roots])
        self.items = Forest(above).items()[:-1]  # from short spans to long ones, without `above`
        self.weights = [[chart.weight(i, e) for e in i.edges] for i in self.items]
        self.inside: dict[Item[int], Floats] = {}
        for item, weights in zip(self.items, self.weights, strict=True):
            totals = [
                weight + sum(self.inside[child] for child in edge.children)
                for edge, weight in zip(item.edges, weights, strict=True)
            ]
            self.inside[item] = log_sum(np.stack(totals, axis=-1))
        self.log_z = log_sum(np.stack([self.inside[item] for item in roots], axis=-1))

    def likely(self, min_posterior: float) -> LikelyParts:
        """The edges that derivations use with at least this probability, and their items.

        The most likely edges of an item that is used are always among them.
        """
        outside: dict[Item[int], list[Floats]] = {item: [] for item in self.items}
        for root in self.roots:
            outside[root].append(-self.log_z)
        likely: dict[Item[int], list[Edge[int]]] = {}
        for item, weights in zip(reversed(self.items), reversed(self.weights), strict=True):
            if not outside[item]:
                continue
            above = log_sum(np.stack(outside[item], axis=-1))
            wholes = [
                above + weight + sum(self.inside[child] for child in edge.children)
                for edge, weight in zip(item.edges, weights, strict=True)
            ]
            posteriors = [float(np.exp(whole).mean()) for whole in wholes]
            least = min(min_posterior, EQUALLY * max(posteriors))
            for edge, whole, posterior in zip(item.edges, wholes, posteriors, strict=True):
                if posterior >= least:
                    likely.setdefault(item, []).append(edge)
                    for child in edge.children:
                        inside = self.inside[child]
                        # What a member rules out stays ruled out.
                        is_possible = np.isfinite(inside)
                        rest = np.where(
                            is_possible, whole - np.where(is_possible, inside, 0), -np.inf
                        )
                        outside[child].append(rest)
        return LikelyParts(self.roots, dict(reversed(likely.items())), self.log_z)


def weighed_meanings(
    chart: ScoredChart,
    likely: LikelyParts,
    ground: Callable[[Candidate], Meaning],
    apply: Callable[[str, tuple[Meaning, ...]], Meaning | None],
) -> list[WeighedMeaning]:
    """The meanings of a sentence with their probabilities, in no order.

    Args:
        chart: The scores of its derivations.
        likely: The parts to look at; with all others, meanings lose a little probability.
        ground: What a leaf stands for.
        apply: An operation by name on meanings.

    Raises:
        SearchLimitError: there are too many ways to put meanings together.
    """
    ways: dict[Item[int], list[_Way]] = {}
    num_left = math.inf if chart.max_meanings is None else chart.max_meanings
    for item, edges in likely.edges.items():
        num_left -= sum(_num_combinations(edge, ways) for edge in edges)
        if num_left < 0:
            raise SearchLimitError("meanings can be put together in too many ways")
        found = [way for edge in edges for way in _ways(chart, item, edge, ways, ground, apply)]
        ways[item] = _merged(found)
    whole = _merged([way for root in likely.roots for way in ways.get(root, ())])
    is_only = not chart.leaf_scores and all(
        len(edges) == 1 and chart.alternatives(item, edges[0]).shape[1] == 1
        for item, edges in likely.edges.items()
    )
    return [
        WeighedMeaning(way.meaning, way.log_sum - likely.log_z, _program(way), is_only)
        for way in whole
    ]


def log_p_of_only(chart: ScoredChart, likely: LikelyParts, program: Program) -> Floats | None:
    """The log-probability of a program, (K,), if nothing else is likely whatever the words are.

    Then no meaning has to be put together. None if other derivations are likely as well.
    """
    if chart.leaf_scores or any(len(edges) > 1 for edges in likely.edges.values()):
        return None
    found, labels = set[tuple[int, int, object]](), list[int]()
    for item, (edge,) in likely.edges.items():
        is_leaf = edge.label is None
        labels += [] if is_leaf else [edge.label]
        what = item.value if is_leaf else chart.operations[edge.label]
        found.add((item.begin, item.end, what))
    if found != {
        (at.begin, at.end, at.label if at.arity else at.label.leaf.category)
        for at in program.instructions
    }:
        return None
    score: Floats = chart.rule_scores[:, labels].sum(axis=1)
    return score / chart.temperature - likely.log_z


def _ways(
    chart: ScoredChart,
    item: Item[int],
    edge: Edge[int],
    ways: Mapping[Item[int], Sequence[_Way]],
    ground: Callable[[Candidate], Meaning],
    apply: Callable[[str, tuple[Meaning, ...]], Meaning | None],
) -> Iterator[_Way]:
    scores = chart.alternatives(item, edge)
    if not edge.children:
        for rank in range(scores.shape[1]):
            candidate = Candidate(CategoryLeaf(item.begin, item.end, item.value), rank)
            log_weight, score = scores[:, rank] / chart.temperature, float(scores[:, rank].mean())
            yield _Way(ground(candidate), log_weight, score, Instruction.leaf(candidate), ())
        return
    operation = chart.operations[edge.label]
    log_weight, score = scores[:, 0] / chart.temperature, float(scores[:, 0].mean())
    instruction = Instruction(operation, len(edge.children), item.begin, item.end)
    for children in product(*(ways.get(child, ()) for child in edge.children)):
        meaning = apply(operation, tuple(child.meaning for child in children))
        if meaning is not None:
            total = log_weight + sum(child.log_sum for child in children)
            best = score + sum(child.score for child in children)
            yield _Way(meaning, total, best, instruction, children)


def _num_combinations(edge: Edge[int], ways: Mapping[Item[int], Sequence[_Way]]) -> int:
    return math.prod(len(ways.get(child, ())) for child in edge.children)


def _merged(ways: Sequence[_Way]) -> list[_Way]:
    """One way for each meaning, the likeliest ones."""
    groups: dict[Meaning, list[_Way]] = {}
    for way in ways:
        groups.setdefault(way.meaning, []).append(way)
    merged = [
        group[0]
        if len(group) == 1
        else max(group, key=lambda way: way.score)._replace(
            log_sum=log_sum(np.stack([way.log_sum for way in group], axis=-1))
        )
        for group in groups.values()
    ]
    if len(merged) > MAX_MEANINGS:
        merged.sort(key=lambda way: -float(way.log_sum.max()))
    return merged[:MAX_MEANINGS]


def _program(root: _Way) -> Program:
    nodes = post_order(root, lambda way: way.children)
    return Program(root.score, tuple(way.instruction for way in nodes))


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
