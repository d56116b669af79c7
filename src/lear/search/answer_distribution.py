"""The model's distribution over the answers to one sentence, not only its best derivation.

A model gives every legal derivation d of a sentence the probability exp(score(d)) / Z. An answer
may have many derivations; its probability is their sum. Inside and outside sums over the chart find
Z and the parts that matter; over these the same sums are taken by meaning in place of category, so
that derivations of one meaning come together. An ensemble is a mixture: each member has its own
distribution, and an answer's probability is the mean of what the members give it.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lear.core.algebra import Meaning
from lear.core.derivation import post_order
from lear.errors import SearchLimitError
from lear.grammar.sentence_reading import Candidate, CategoryLeaf
from lear.search.chart import Edge, Item
from lear.search.forest import Forest
from lear.search.skeleton_derivation import Instruction, Program

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
