"""Exact training and decoding on GEO, where every unit is scored and words are ambiguous."""

import pytest

from lear.answering.decoders import ChartDecoder
from lear.benchmark import Example
from lear.forest.chart import best_programs, legal_chart
from lear.forest.oracle import Oracle
from lear.grammar.rules import Grammar
from lear.learning.exact import ExactData, exact_loss, make_problems
from lear.model.config import ModelConfig
from lear.model.lexical_choices import leaf_scores
from lear.model.network import Network
from lear.model.rule_scores import RuleScorer
from tests.support.enumeration import tiny_network
from tests.support.forward import forward_of, mean_scores

pytestmark = pytest.mark.data

UNITS = ModelConfig(hidden=8, lexical="units", search="legal")


def short(rows: list[Example], most: int, count: int) -> list[Example]:
    return [row for row in rows if len(row.tokens) <= most][:count]


@pytest.fixture(scope="module")
def tiny(query_oracle: Oracle, query_train: list[Example]) -> tuple[ExactData, Network]:
    """Forests of some rows, and a network that knows nothing yet."""
    rows = short(query_train, 9, 40)
    data = make_problems(query_oracle.reader, rows, config=UNITS)
    return data, tiny_network(query_oracle, data, seed=1, config=UNITS)


def test_derivations_of_gold_are_legal_ones(tiny: tuple[ExactData, Network]) -> None:
    data, network = tiny
    assert data.num_unreached == 0
    for problem in data.problems:
        assert exact_loss(network, data.grammar.rules, [problem]).item() >= 0


def test_scores_one_by_one_are_those_of_all_rules_together(tiny: tuple[ExactData, Network]) -> None:
    data, network = tiny
    rules = data.grammar.rules[:300]
    scorer = RuleScorer(forward_of(network))
    expected = mean_scores(network, rules)
    assert [score for rule in rules for score in scorer([rule])] == pytest.approx(expected)
    assert scorer(rules) == pytest.approx(expected)


def test_the_fast_decoder_finds_the_best_of_all_derivations(
    tiny: tuple[ExactData, Network],
    query_oracle: Oracle,
    query_train: list[Example],
) -> None:
    _, network = tiny
    forward = forward_of(network)
    reader = query_oracle.reader
    decoder = ChartDecoder(forward, reader.categories, ())
    readings = [reader.read(row.tokens) for row in short(query_train, 8, 25)]
    decoded = decoder.best_of_each(readings, overlook=False)
    for reading, found in zip(readings, decoded, strict=True):
        grammar = Grammar(reader.categories)
        chart = legal_chart(grammar, reading.skeleton)
        (by_member,) = leaf_scores(forward, [reading])
        leaves = {leaf: scores[0].tolist() for leaf, scores in by_member.items()}
        scores = mean_scores(network, grammar.rules)
        (best,) = best_programs(grammar, chart, scores, leaves.__getitem__, 1)
        assert found.program is not None
        assert found.program.score == pytest.approx(best.score)
