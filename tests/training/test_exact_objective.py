"""What exact training is contrasted with, and which rules it finds in use."""

import math
from collections import Counter

import pytest

from lear.core.algebra import Meaning
from lear.domain.example import Example
from lear.domains.toy.domain import TOY
from lear.exact.objective import ExactObjective, exact_loss, prepare
from lear.grammar.rules import Rule, rule_of
from lear.network.rule_scores import rule_scores
from lear.search.forest import Forest
from lear.search.oracle import Oracle
from lear.training import exact
from tests.model.test_exact import SHORT, log_sum, rules_of, tiny_network


def test_contrast_with_attested_rules_is_a_smaller_sum(toy_oracle: Oracle) -> None:
    rows = SHORT[:60]
    wide = prepare(TOY, toy_oracle.lexicon, rows)
    narrow = prepare(TOY, toy_oracle.lexicon, rows, contrast="attested")
    network = tiny_network(toy_oracle, wide, seed=3)
    attested = {
        rule_of(TOY, item, edge, row.tokens)
        for row in rows
        for item in gold(toy_oracle, row).items()
        for edge in item.edges
        if edge.children
    }
    assert set(narrow.grammar.rules) == attested < set(wide.grammar.rules)
    assert len(narrow.problems) == len(wide.problems)
    for few, many in zip(narrow.problems, wide.problems, strict=True):
        losses = [
            exact_loss(network, data.grammar.rules, [problem]).item()
            for data, problem in ((narrow, few), (wide, many))
        ]
        assert -1e-9 <= losses[0] <= losses[1] + 1e-9


def gold(oracle: Oracle, row: Example) -> Forest[Meaning]:
    forest = oracle.gold_forest(row)
    assert forest is not None
    return forest


@pytest.mark.parametrize("least", [0.5, 3.0])
def test_rules_in_use_are_those_that_gold_is_expected_to_use(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch, least: float
) -> None:
    monkeypatch.setattr(exact, "LEAST_USE", least)
    rows = SHORT[:60]
    data = prepare(TOY, toy_oracle.lexicon, rows, contrast="attested")
    network = tiny_network(toy_oracle, data, seed=4)
    scores = dict(
        zip(data.grammar.rules, rule_scores(network, data.grammar.rules).tolist(), strict=True)
    )
    expected: Counter[Rule] = Counter()
    for problem in data.problems:
        row = next(r for r in rows if r.tokens == problem.reading.tokens)
        derivations = gold(toy_oracle, row).derivations(10_000)
        weights = [sum(scores[r] for r in rules_of(d, row.tokens)) for d in derivations]
        total = log_sum(weights)
        for derivation, weight in zip(derivations, weights, strict=True):
            for rule in rules_of(derivation, row.tokens):
                expected[rule] += problem.count * math.exp(weight - total)  # type: ignore[assignment]
    used = set(ExactObjective(network, data).rules())
    assert used == {rule for rule, count in expected.items() if count > least}
    assert used
    assert (len(used) < len(data.grammar.rules)) == (least == 3.0)
