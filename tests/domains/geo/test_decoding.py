"""Exact training and decoding on GEO, where every unit is scored and words are ambiguous."""

import pytest
import torch

from lear.decoding.chart_decoder import ChartDecoder
from lear.domain.example import Example
from lear.exact.objective import exact_loss
from lear.exact.problems import ExactData, make_problems
from lear.grammar.grammar import Grammar
from lear.network.config import ModelConfig
from lear.network.fast_rule_scores import RuleScorer
from lear.network.lexical_choices import leaf_scores
from lear.network.network import Network
from lear.network.rule_scores import network_scores, rule_scores
from lear.search.legal_chart import best_programs, legal_chart
from lear.search.oracle import Oracle
from tests.support.enumeration import tiny_network

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
    scorer = RuleScorer(network)
    with torch.no_grad():
        expected = rule_scores(network, rules).tolist()
    assert [scorer(rule) for rule in rules] == pytest.approx(expected)


def test_the_fast_decoder_finds_the_best_of_all_derivations(
    tiny: tuple[ExactData, Network],
    query_oracle: Oracle,
    query_train: list[Example],
) -> None:
    _, network = tiny
    reader = query_oracle.reader
    decoder = ChartDecoder(network, reader.categories, (), reader.leaf_categories())
    readings = [reader.read(row.tokens) for row in short(query_train, 8, 25)]
    for reading, found in zip(readings, decoder.best_of_each(readings), strict=True):
        grammar = Grammar(reader.categories)
        chart = legal_chart(grammar, reading.skeleton)
        (leaves,) = leaf_scores(network, [reading])
        scores = network_scores(network, grammar.rules)
        (best,) = best_programs(grammar, chart, scores, leaves.__getitem__, 1)
        assert found.program is not None
        assert found.program.score == pytest.approx(best.score)
