"""One sum over packed forests in any semiring, on arrays and on tensors."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lear.benchmark import Example
from lear.forest.chart import Edge, Forest, Item
from lear.forest.oracle import Oracle
from lear.forest.packed import ANY, BEST, LOG, inside, joined, partition, posteriors
from lear.learning.exact import Scores, TensorLog, log_partitions
from tests.support.node_weights import total, weight
from tests.support.toy_rows import TEST, TRAIN

CPU = TensorLog(torch.device("cpu"))


@given(example=st.sampled_from([*TRAIN, *TEST]), seed=st.integers(0, 10**6))
def test_sums_are_those_over_all_derivations(
    toy_oracle: Oracle, example: Example, seed: int
) -> None:
    forest = toy_oracle.gold_forest(example)
    assert forest is not None
    every = forest.derivations(1000)
    assert forest.count() == len(set(every)) == len(every)
    totals = [total(derivation, seed) for derivation in every]
    packed = forest.packed()
    weights = np.array(
        [
            weight(edge.label if edge.children else "", item.begin, item.end, seed)
            for item, edge in forest.edges()
        ]
    )
    log_z = math.log(sum(map(math.exp, totals)))
    for semiring, expected in ((LOG, log_z), (BEST, max(totals))):
        (found,) = partition(packed, inside(packed, weights, semiring), semiring)
        assert found == pytest.approx(expected)
    # On tensors, the gradient is the outside pass.
    tensor = torch.tensor(weights, requires_grad=True)
    by_edge = Scores(tensor, np.arange(len(weights)))
    partition(packed, inside(packed, by_edge, CPU), CPU).sum().backward()  # type: ignore[no-untyped-call]
    column = weights[:, None]
    uses, _ = posteriors(packed, column, inside(packed, column, LOG))
    assert tensor.grad is not None
    np.testing.assert_allclose(tensor.grad.numpy(), uses[:, 0], atol=1e-9)


@given(st.lists(st.sampled_from(TRAIN[:60]), min_size=1, max_size=5), st.integers(0, 99))
def test_forests_together_have_the_sums_of_each(
    toy_oracle: Oracle, rows: list[Example], seed: int
) -> None:
    forests = [toy_oracle.gold_forest(row) for row in rows]
    packed = [forest.packed(lambda i, e: [i.end - i.begin]) for forest in forests if forest]
    scores = np.random.default_rng(seed).normal(size=30)
    batch = joined(packed)
    for semiring in (LOG, BEST):
        together = partition(batch, inside(batch, scores[batch.edges.label], semiring), semiring)
        alone = [
            partition(one, inside(one, scores[one.edges.label], semiring), semiring).item()
            for one in packed
        ]
        assert together.tolist() == pytest.approx(alone)
    assert batch.levels()[-1].stop == sum(len(one.edges.parent) for one in packed)


def test_a_leaf_that_can_also_be_built_counts_as_one_way() -> None:
    inner = Item(0, 1, "a", [Edge(None, ())])
    forest = Forest(Item(0, 2, "b", [Edge(None, ()), Edge(0, (inner,))]))
    assert forest.count() == 2
    assert forest.inside([True, False, True], ANY)
    assert not forest.inside([False, False, True], ANY)
    # A lone leaf that scores nothing needs no edge.
    packed = forest.packed(lambda item, _: [0] if item is not inner else [])
    assert log_partitions([packed], [0], torch.zeros(1)).item() == pytest.approx(math.log(2))


def test_many_derivations_are_counted_exactly() -> None:
    item = Item(0, 1, 0, [Edge("a", ()), Edge("b", ())])
    for end in range(2, 72):
        item = Item(0, end, 0, [Edge("a", (item,)), Edge("b", (item,))])
    assert Forest(item).count() == 2**71
