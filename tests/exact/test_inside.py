"""Sums over packed forests are those of the forests themselves, alone or in a batch."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from lear.algebra.algebra import Meaning
from lear.domains.toy import TOY
from lear.forest.chart import Edge, Forest, Item
from lear.forest.oracle import Oracle, rule_of
from lear.grammar.rules import Grammar, Rule
from lear.learning.exact import ExactData, ForestBatch, PackedForest, inside, make_problems
from lear.model.rule_scores import rule_scores
from tests.support.enumeration import enumerated, log_sum, rules_of, tiny_network
from tests.support.toy_rows import SHORT, TRAIN

CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return make_problems(toy_oracle.reader, TRAIN)


def test_probabilities_of_all_derivations_sum_to_one(toy_oracle: Oracle, data: ExactData) -> None:
    network = tiny_network(toy_oracle, data, seed=1)
    for example in [row for row in SHORT if len(row.tokens) <= 7][:5]:
        problem = make_problems(toy_oracle.reader, [example])
        log_z = inside(
            ForestBatch.of([problem.problems[0].legal], CPU),
            rule_scores(network, problem.grammar.rules),
        ).item()
        scores, _ = enumerated(toy_oracle, network, example)
        assert len(scores) > 1
        assert sum(math.exp(s - log_z) for s in scores.values()) == pytest.approx(1.0)


def test_the_gradient_is_the_expected_number_of_uses_of_each_rule(
    toy_oracle: Oracle, data: ExactData
) -> None:
    network = tiny_network(toy_oracle, data, seed=2)
    example = SHORT[3]
    problem = make_problems(toy_oracle.reader, [example])
    scores = rule_scores(network, problem.grammar.rules).detach().requires_grad_()
    legal = inside(ForestBatch.of([problem.problems[0].legal], CPU), scores)
    legal.sum().backward()  # type: ignore[no-untyped-call]
    by_rule = dict(zip(problem.grammar.rules, scores.tolist(), strict=True))
    derivations, _ = enumerated(toy_oracle, network, example)
    rules = {derivation: rules_of(TOY, derivation, example.tokens) for derivation in derivations}
    totals = {d: sum(by_rule[rule] for rule in used) for d, used in rules.items()}
    log_z = log_sum(list(totals.values()))
    expected: Counter[Rule] = Counter()
    for derivation, total in totals.items():
        for rule in rules[derivation]:
            expected[rule] += math.exp(total - log_z)  # type: ignore[assignment]
    assert scores.grad is not None
    for rule, gradient in zip(problem.grammar.rules, scores.grad.tolist(), strict=True):
        assert gradient == pytest.approx(expected[rule], abs=1e-9)


def test_a_batch_gives_what_its_forests_give_one_by_one(data: ExactData) -> None:
    scores = torch.tensor(
        np.random.default_rng(1).normal(size=len(data.grammar.rules)), dtype=torch.float64
    )
    forests = [problem.legal for problem in data.problems[:20]]
    together = inside(ForestBatch.of(forests, CPU), scores)
    alone = [inside(ForestBatch.of([forest], CPU), scores).item() for forest in forests]
    assert together.tolist() == pytest.approx(alone)


def test_a_packed_forest_sums_as_the_forest_does(toy_oracle: Oracle) -> None:
    example = next(r for r in TRAIN if (f := toy_oracle.gold_forest(r)) and f.count() > 1)
    forest = toy_oracle.gold_forest(example)
    assert forest is not None
    grammar = Grammar(toy_oracle.reader.categories)

    def numbers(item: Item[Meaning], edge: Edge[Meaning]) -> list[int]:
        is_leaf = not edge.children
        return [] if is_leaf else [grammar.number(rule_of(TOY, item, edge, example.tokens))]

    packed = PackedForest.of(forest, numbers)
    weights = np.random.default_rng(2).normal(size=len(grammar.rules))

    def weight(item: Item[Meaning], edge: Edge[Meaning]) -> float:
        return math.exp(sum(weights[number] for number in numbers(item, edge)))

    plain = forest.inside(weight, lambda a, b: a * b, lambda a, b: a + b)
    fast = inside(ForestBatch.of([packed], CPU), torch.tensor(weights))
    assert fast.item() == pytest.approx(math.log(plain))


def test_a_leaf_that_can_also_be_built_counts_as_one_way() -> None:
    inner = Item(0, 1, "a", [Edge(None, ())])
    root = Item(0, 2, "b", [Edge(None, ()), Edge(0, (inner,))])
    forest = Forest(root)
    assert forest.count() == 2
    packed = PackedForest.of(forest, lambda _, edge: [0] if edge.children else [])
    log_z = inside(ForestBatch.of([packed], CPU), torch.zeros(1, dtype=torch.float64))
    assert log_z.item() == pytest.approx(math.log(2))
