"""Forests: sums and the best over all derivations, in the space that they share."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning
from lear.algebra.derivations import Derivation, fold, walk
from lear.benchmark import Example
from lear.forest.chart import Edge, Forest, Item, tree_of
from lear.forest.legal_chart import RankedNode, k_best
from lear.forest.oracle import Oracle
from tests.support.toy_rows import TEST, TRAIN


def weight(name: str, begin: int, end: int, seed: int) -> float:
    return math.sin(hash((len(name), begin, end, seed)))


def total(derivation: Derivation, seed: int) -> float:
    return sum(
        weight(getattr(node, "operation", ""), node.begin, node.end, seed)
        for _, node in walk(derivation)
    )


def derivation_of(nodes: list[RankedNode[Meaning]]) -> Derivation:
    return fold(
        nodes,
        arity=lambda node: len(node.way.edge.children),
        leaf=lambda node: tree_of(node.item, node.way.edge, ()),
        node=lambda node, children: tree_of(node.item, node.way.edge, children),
    )


@given(example=st.sampled_from([*TRAIN, *TEST]), seed=st.integers(0, 10**6))
def test_sums_and_the_best_are_those_over_all_derivations(
    toy_oracle: Oracle, example: Example, seed: int
) -> None:
    forest = toy_oracle.gold_forest(example)
    assert forest is not None

    def score(item: Item[Meaning], edge: Edge[Meaning]) -> float:
        name = edge.label if edge.children else ""
        return weight(name, item.begin, item.end, seed)

    every = forest.derivations(1000)
    assert forest.count() == len(set(every)) == len(every)
    summed = forest.inside(
        lambda i, e: math.exp(score(i, e)), lambda a, b: a * b, lambda a, b: a + b
    )
    assert summed == pytest.approx(sum(math.exp(total(d, seed)) for d in every))
    best = k_best([forest.root], lambda i, e: (score(i, e),), 3)
    expected = sorted((total(d, seed) for d in every), reverse=True)[:3]
    assert [found for found, _ in best] == pytest.approx(expected)
    derivations = [derivation_of(nodes) for _, nodes in best]
    assert [total(d, seed) for d in derivations] == pytest.approx(expected)
    assert len(set(derivations)) == len(derivations)
    assert set(derivations) <= set(every)


def test_the_best_of_several_roots_are_the_best_of_all() -> None:
    leaves = [Item(0, 1, name, [Edge(name, ())]) for name in "ab"]
    scores = {"a": (1.0, 4.0), "b": (3.0, 2.0)}
    best = k_best(leaves, lambda item, _: scores[item.value], 3)
    # A leaf may stand for several things, each with a score of its own.
    assert [(score, nodes[0].item.value, nodes[0].way.ranks) for score, nodes in best] == [
        (4.0, "a", (1,)),
        (3.0, "b", (0,)),
        (2.0, "b", (1,)),
    ]


def test_items_are_listed_once_with_children_before_parents() -> None:
    leaf = Item(0, 1, "a", [Edge("x", ())])
    middle = Item(0, 2, "b", [Edge("f", (leaf,)), Edge("g", (leaf,))])
    root = Item(0, 3, "c", [Edge("h", (middle,)), Edge("h", (leaf,))])
    assert Forest(root).items() == [leaf, middle, root]
    assert Forest(root).count() == 3
