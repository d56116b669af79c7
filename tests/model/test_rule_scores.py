"""Scores of rules without torch: those of torch, alone or together, for each member of many."""

import math

import numpy as np
import pytest

from lear.forest.oracle import Oracle
from lear.grammar.rules import Rule
from lear.learning.exact import ExactData, make_problems
from lear.lexicon.lexicon import OVERLOOKED, UNKNOWN
from lear.model.config import ModelConfig
from lear.model.network import Network
from lear.model.rule_scores import OVERLOOKING, STRANGENESS, RuleScorer
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


def test_scores_do_not_depend_on_what_was_scored_before(network: Network, data: ExactData) -> None:
    rules = data.grammar.rules
    together = RuleScorer(forward_of(network))(rules)
    scorer = RuleScorer(forward_of(network))
    alone = {rule: scorer([rule])[0] for rule in reversed(rules)}
    assert [alone[rule] for rule in rules] == pytest.approx(together)
    assert scorer(rules) == pytest.approx(together)


def test_scores_do_not_depend_on_how_many_states_are_kept(
    network: Network, data: ExactData
) -> None:
    rules = data.grammar.rules
    kept = RuleScorer(forward_of(network))
    forgetful = RuleScorer(forward_of(network), max_bytes=0)
    for begin in range(0, len(rules), 5):
        some = rules[begin : begin + 5]
        assert forgetful(some) == pytest.approx(kept(some))
    assert forgetful(rules) == pytest.approx(kept(rules))


def test_a_symbol_that_training_never_showed_is_impossible(
    network: Network, data: ExactData
) -> None:
    scorer = RuleScorer(forward_of(network))
    known = data.grammar.rules[0]
    strange = Rule("possess", ("[Robot]", "'s", "[Relation]"))
    assert scorer.is_expressible(known)
    assert not scorer.is_expressible(strange)
    assert scorer([known, strange]) == [pytest.approx(scorer([known])[0]), -math.inf]


def test_a_strange_symbol_is_taken_for_the_nearest_where_settings_say_so(
    toy_oracle: Oracle, data: ExactData
) -> None:
    config = ModelConfig(hidden=8, strange_symbols="nearest")
    scorer = RuleScorer(forward_of(tiny_network(toy_oracle, data, seed=2, config=config)))
    strange, known = (
        Rule("possess", (symbol, "'s", "[Relation]")) for symbol in ("[Person robot]", "[Person]")
    )
    assert not scorer.is_expressible(strange)
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


def test_the_scores_of_a_committee_are_the_means_of_its_members(
    toy_oracle: Oracle, data: ExactData
) -> None:
    config = ModelConfig(hidden=8, members=3)
    network = tiny_network(toy_oracle, data, seed=3, config=config)
    by_member = RuleScorer(forward_of(network)).of_members(data.grammar.rules)
    assert by_member.shape == (3, len(data.grammar.rules))
    # They differ, or there would be nothing to take the mean of.
    assert (np.ptp(by_member, axis=0) > 1e-3).all()
    assert RuleScorer(forward_of(network))(data.grammar.rules) == pytest.approx(
        by_member.mean(axis=0).tolist()
    )
