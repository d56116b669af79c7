"""Scores of rules in training: alike all together or one by one; words that look like symbols."""

import pytest
import torch

from lear.forest.oracle import Oracle
from lear.grammar.rules import make_rule
from lear.learning.exact import ExactData, make_problems
from lear.model.network import rule_scores
from tests.support.enumeration import tiny_network
from tests.support.toy_rows import SHORT


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return make_problems(toy_oracle.reader, SHORT[:40])


def test_no_rules_have_no_scores(toy_oracle: Oracle, data: ExactData) -> None:
    assert rule_scores(tiny_network(toy_oracle, data, seed=1), []).shape == (0,)


def test_scores_one_by_one_are_those_of_all_rules_together(
    toy_oracle: Oracle, data: ExactData
) -> None:
    network = tiny_network(toy_oracle, data, seed=2)
    rules = data.grammar.rules
    with torch.no_grad():
        together = rule_scores(network, rules).tolist()
        alone = [rule_scores(network, [rule]).item() for rule in rules]
    assert alone == pytest.approx(together)


def test_a_word_in_brackets_is_no_symbol_to_a_network(toy_oracle: Oracle, data: ExactData) -> None:
    network = tiny_network(toy_oracle, data, seed=4)
    word, other = (
        make_rule("possess", ("Person", "Relation"), ((), (text,), ()))
        for text in ("[Person]", "zebra")
    )
    # Both are words never seen.
    scores = rule_scores(network, [word, other]).tolist()
    assert scores[0] == pytest.approx(scores[1])
