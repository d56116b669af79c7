"""Scores of rules: those of torch without torch, alone or together, for each member of many."""

import math

import numpy as np
import pytest
import torch

from lear.forest.oracle import Oracle
from lear.grammar.rules import Rule, make_rule
from lear.learning.exact import ExactData, make_problems
from lear.lexicon.lexicon import OVERLOOKED, UNKNOWN
from lear.model.config import ModelConfig
from lear.model.network import Network
from lear.model.rule_scores import OVERLOOKING, STRANGENESS, RuleScorer, rule_scores
from tests.support.enumeration import tiny_network
from tests.support.forward import forward_of, mean_scores, torch_scores
from tests.support.toy_rows import SHORT


@pytest.fixture(scope="module")
def data(toy_oracle: Oracle) -> ExactData:
    return make_problems(toy_oracle.reader, SHORT[:40])


@pytest.fixture(scope="module", params=[1, 3], ids=["one member", "three members"])
def network(request: pytest.FixtureRequest, toy_oracle: Oracle, data: ExactData) -> Network:
    config = ModelConfig(hidden=8, members=request.param)
    return tiny_network(toy_oracle, data, seed=2, config=config)


def test_scores_are_those_of_torch(network: Network, data: ExactData) -> None:
    rules = data.grammar.rules
    scorer = RuleScorer(forward_of(network))
    np.testing.assert_allclose(scorer.of_members(rules), torch_scores(network, rules))
    assert scorer(rules) == pytest.approx(mean_scores(network, rules))


def test_scores_one_by_one_are_those_of_all_rules_together(
    network: Network, data: ExactData
) -> None:
    rules = data.grammar.rules
    together = RuleScorer(forward_of(network))(rules)
    scorer = RuleScorer(forward_of(network))
    assert [scorer([rule])[0] for rule in rules] == pytest.approx(together)
    assert scorer(rules) == pytest.approx(together)
    with torch.no_grad():
        alone = [rule_scores(network, [rule]).item() for rule in rules]
        assert alone == pytest.approx(rule_scores(network, rules).tolist())


def test_rules_in_numbers_have_the_same_scores(network: Network, data: ExactData) -> None:
    scorer = RuleScorer(forward_of(network))
    numbered = scorer.numbers.columns(data.grammar.rules)
    assert scorer.scores(numbered).tolist() == scorer(data.grammar.rules)
    by_member = scorer.of_members(data.grammar.rules)
    np.testing.assert_array_equal(scorer.by_member(numbered), by_member)


def test_a_word_in_brackets_is_no_symbol_to_a_network(network: Network) -> None:
    word, other = (
        make_rule("possess", ("Person", "Relation"), ((), (text,), ()))
        for text in ("[Person]", "zebra")
    )
    # Both are words never seen.
    scores = rule_scores(network, [word, other]).tolist()
    assert scores[0] == pytest.approx(scores[1])


def test_a_symbol_that_training_never_showed_is_impossible(
    network: Network, data: ExactData
) -> None:
    scorer = RuleScorer(forward_of(network))
    known = data.grammar.rules[0]
    strange = Rule("possess", ("[Robot]", "'s", "[Relation]"))
    assert scorer([known, strange]) == [pytest.approx(scorer([known])[0]), -math.inf]


def test_a_strange_symbol_is_taken_for_the_nearest_where_settings_say_so(
    toy_oracle: Oracle, data: ExactData
) -> None:
    config = ModelConfig(hidden=8, strange_symbols="nearest")
    scorer = RuleScorer(forward_of(tiny_network(toy_oracle, data, seed=2, config=config)))
    strange, known = (
        Rule("possess", (symbol, "'s", "[Relation]")) for symbol in ("[Person robot]", "[Person]")
    )
    assert scorer([strange])[0] == pytest.approx(scorer([known])[0] - STRANGENESS)


def test_overlooking_a_word_costs_more_than_one_never_seen(network: Network) -> None:
    scorer = RuleScorer(forward_of(network))
    rules = [
        Rule("possess", ("[Person]", *words, "[Relation]"))
        for words in ((OVERLOOKED,), (UNKNOWN,), (OVERLOOKED,) * 2, (UNKNOWN,) * 2)
    ]
    one, one_unknown, two, two_unknown = scorer(rules)
    assert one == pytest.approx(one_unknown - OVERLOOKING)
    assert two == pytest.approx(two_unknown - 2 * OVERLOOKING)


def test_no_rules_have_no_scores(network: Network) -> None:
    assert RuleScorer(forward_of(network))([]) == []
    assert rule_scores(network, []).shape == (0,)


def test_the_members_of_a_committee_differ(toy_oracle: Oracle, data: ExactData) -> None:
    config = ModelConfig(hidden=8, members=3)
    network = tiny_network(toy_oracle, data, seed=3, config=config)
    by_member = RuleScorer(forward_of(network)).of_members(data.grammar.rules)
    assert by_member.shape == (3, len(data.grammar.rules))
    # They differ, or there would be nothing to take the mean of.
    assert (np.ptp(by_member, axis=0) > 1e-3).all()
