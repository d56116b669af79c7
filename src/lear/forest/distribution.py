"""The model's distribution over the meanings of sentences, not only their best derivations.

A model gives every legal derivation d of a sentence the probability exp(score(d)) / Z. A meaning
may have many derivations; its probability is their sum. Sums over the packed forest find Z and the
parts that matter; over these the same sums are taken by meaning in place of category, so that
derivations of one meaning come together. An ensemble is a mixture: each of its K members has its
own distribution, and a probability is the mean of what the members give.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import NamedTuple

import numpy as np

from lear.algebra.algebra import Meaning
from lear.algebra.derivations import post_order
from lear.errors import SearchLimitError
from lear.forest.arrays import Floats, Ints, firsts
from lear.forest.packed import LOG, NO_CHILD, inside, partition, posteriors
from lear.forest.programs import Instruction, Program
from lear.forest.search import LEAF, SpanSearch
from lear.grammar.reading import Candidate, CategoryLeaf

LeafScores = Mapping[CategoryLeaf, Floats]
"""The scores of the primitives behind each leaf that has any, (K, primitives); others score 0."""
MAX_MEANINGS = 64
"""How many meanings are told apart over one span and category; the unlikeliest are dropped."""


class WeighedMeaning(NamedTuple):
    """A meaning of the whole sentence, before its finishing steps."""

    meaning: Meaning
    log_p: Floats  # (K,) of all its derivations together, by each member
    program: Program
    """The best of its derivations."""


class _Way(NamedTuple):
    """A meaning over a span, with the best of its derivations."""

    meaning: Meaning
    log_sum: Floats  # (K,)
    score: float
    instruction: Instruction
    children: tuple["_Way", ...]


class RuleScores(NamedTuple):
    """The scores of the steps that some forests use."""

    operations: list[str]
    """Of each step."""
    by_member: Floats  # (K, steps)


@dataclass
class LikelyForest:
    """The parts of one sentence's forest that derivations are likely to use."""

    rules: RuleScores
    leaf_scores: LeafScores
    temperature: float
    """Scores are divided by it: above 1 answers become less sure."""
    log_z: Floats  # (K,) the sum over all derivations, likely or not
    roots: list[int] = field(default_factory=list)
    items: dict[int, CategoryLeaf] = field(default_factory=dict)
    """Span and category of each item."""
    edges: list[tuple[int, int, int, int]] = field(default_factory=list)
    """Item, step and children of each edge; edges of children come first."""

    def log_p_of_only(self, program: Program) -> Floats | None:
        """Return the log-probability of a program, (K,), if no other derivation is likely.

        Then it is the same whatever the words of the skeleton are, and no meaning has to be put
        together. None if others are likely as well.
        """
        if self.leaf_scores or len(self.edges) > len(self.items):
            return None
        steps = [step for _, step, _, _ in self.edges if step != LEAF]
        found = {
            (*self.items[item][:2], self._operation(step) or self.items[item].category)
            for item, step, _, _ in self.edges
        }
        if found != {
            (at.begin, at.end, at.label if at.arity else at.label.leaf.category)
            for at in program.instructions
        }:
            return None
        score: Floats = self.rules.by_member[:, steps].sum(axis=1)
        return score / self.temperature - self.log_z

    def meanings(
        self,
        ground: Callable[[Candidate], Meaning],
        apply: Callable[[str, tuple[Meaning, ...]], Meaning | None],
        most: float = math.inf,
    ) -> list[WeighedMeaning]:
        """Return the meanings of the sentence with their probabilities, in no order.

        Args:
            ground: What a leaf stands for.
            apply: An operation by name on meanings.
            most: How many meanings of parts may be put together.

        Raises:
            SearchLimitError: more would have to be put together.
        """
        ways: dict[int, list[_Way]] = {}
        found: list[_Way] = []
        ends = [item for item, *_ in self.edges[1:]] + [None]
        for edge, following in zip(self.edges, ends, strict=False):
            item, step, *parts = edge
            children = [ways[part] for part in parts if part != NO_CHILD]
            most -= math.prod(map(len, children))
            if most < 0:
                raise SearchLimitError("meanings can be put together in too many ways")
            if step == LEAF:
                found += self._leaf_ways(self.items[item], ground)
            else:
                found += self._ways(self.items[item], step, children, apply)
            if item != following:
                ways[item], found = _merged(found), []
        whole = _merged([way for root in self.roots for way in ways[root]])
        return [WeighedMeaning(w.meaning, w.log_sum - self.log_z, _program(w)) for w in whole]

    def _operation(self, step: int) -> str | None:
        return None if step == LEAF else self.rules.operations[step]

    def _leaf_ways(
        self, at: CategoryLeaf, ground: Callable[[Candidate], Meaning]
    ) -> Iterator[_Way]:
        scores = self.leaf_scores.get(at, np.zeros((len(self.log_z), 1)))
        for rank, score in enumerate(scores.mean(axis=0).tolist()):
            candidate = Candidate(at, rank)
            log_weight = scores[:, rank] / self.temperature
            yield _Way(ground(candidate), log_weight, score, Instruction.leaf(candidate), ())

    def _ways(
        self,
        at: CategoryLeaf,
        step: int,
        children: Sequence[Sequence[_Way]],
        apply: Callable[[str, tuple[Meaning, ...]], Meaning | None],
    ) -> Iterator[_Way]:
        operation, scores = self.rules.operations[step], self.rules.by_member[:, step]
        log_weight, score = scores / self.temperature, float(scores.mean())
        instruction = Instruction(operation, len(children), at.begin, at.end)
        for parts in product(*children):
            meaning = apply(operation, tuple(part.meaning for part in parts))
            if meaning is not None:
                total = log_weight + sum(part.log_sum for part in parts)
                best = score + sum(part.score for part in parts)
                yield _Way(meaning, total, best, instruction, parts)


def _merged(ways: Sequence[_Way]) -> list[_Way]:
    """Return one way for each meaning, the likeliest ones."""
    groups: dict[Meaning, list[_Way]] = {}
    for way in ways:
        groups.setdefault(way.meaning, []).append(way)
    merged = [
        group[0]
        if len(group) == 1
        else max(group, key=lambda way: way.score)._replace(
            log_sum=np.logaddexp.reduce([way.log_sum for way in group])
        )
        for group in groups.values()
    ]
    if len(merged) > MAX_MEANINGS:
        merged.sort(key=lambda way: -float(way.log_sum.max()))
    return merged[:MAX_MEANINGS]


def _program(root: _Way) -> Program:
    nodes = post_order(root, lambda way: way.children)
    return Program(root.score, tuple(way.instruction for way in nodes))


class SentenceForests:
    """All derivations that a search has kept, of each of its sentences."""

    def __init__(self, search: SpanSearch, leaf_scores: Sequence[LeafScores]) -> None:
        """Take the forests of a search that kept its edges.

        Args:
            search: The search.
            leaf_scores: What members say of primitives, for each sentence.
        """
        self._search = search
        self._leaf_scores = leaf_scores
        self._forest = search.forest()
        inner = self._forest.edges.label != LEAF
        steps, places = np.unique(self._forest.edges.label[inner], return_inverse=True)
        self._forest.edges.label[inner] = places
        operations = [search.grammar.operation(step) for step in steps.tolist()]
        self.rules = RuleScores(operations, search.grammar.member_scores(steps))
        sentences = self._sentences(self._forest.edges.parent)
        self.num_edges: list[int] = np.bincount(sentences, minlength=len(leaf_scores)).tolist()
        """How many steps the derivations of each sentence use."""

    def likely(self, temperature: float, min_posterior: float) -> list[LikelyForest]:
        """Return the parts of each sentence that derivations use with at least this probability.

        The most likely edges of an item that is used are always among them.
        """
        forest = self._forest
        weights = self._weights(temperature)
        values = self._inside(weights)
        found = [
            LikelyForest(self.rules, leaves, temperature, np.full(weights.shape[1], -np.inf))
            for leaves in self._leaf_scores
        ]
        log_z = partition(forest, values, LOG)
        for sentence, z in zip(forest.owner[firsts(forest.owner)].tolist(), log_z, strict=True):
            found[sentence].log_z = z
        for sentence, root in zip(forest.owner.tolist(), forest.roots.tolist(), strict=True):
            found[sentence].roots.append(root)
        _, is_kept = posteriors(forest, weights, values, min_posterior)
        edges = forest.edges.where(is_kept)
        items = edges.parent
        places = zip(self._sentences(items), self._search.leaves_at(items), strict=True)
        rows = zip(*(column.tolist() for column in edges), strict=True)
        for edge, (sentence, at) in zip(rows, places, strict=True):
            found[sentence].items[edge[0]] = at
            found[sentence].edges.append(edge)
        return found

    def _inside(self, weights: Floats) -> Floats:
        return inside(self._forest, weights, LOG)

    def _sentences(self, items: Ints) -> list[int]:
        sentences: list[int] = self._search.grid.sentence[self._search.items.cell[items]].tolist()
        return sentences

    def _weights(self, temperature: float) -> Floats:
        """Return the log-weight of each edge, (E, K)."""
        forest, scores = self._forest, self.rules.by_member
        inner = forest.edges.label != LEAF
        weights = np.zeros((len(inner), len(scores)))
        weights[inner] = scores[:, forest.edges.label[inner]].T / temperature
        if any(self._leaf_scores):
            (leaves,) = np.nonzero(~inner)
            items = forest.edges.parent[leaves]
            places = zip(self._sentences(items), self._search.leaves_at(items), strict=True)
            for edge, (sentence, at) in zip(leaves.tolist(), places, strict=True):
                of_leaf = self._leaf_scores[sentence].get(at)
                if of_leaf is not None:
                    weights[edge] = np.logaddexp.reduce(of_leaf / temperature, axis=1)
        return weights
