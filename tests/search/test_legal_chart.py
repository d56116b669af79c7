"""Charts of categories hold all legal derivations, and the best of them are found."""

import numpy as np
import pytest

from lear.algebra.derivations import Derivation
from lear.domain import Shape
from lear.domains.toy import TOY
from lear.forest.chart import Forest
from lear.forest.legal_chart import best_programs, complete_items, legal_chart
from lear.forest.oracle import Oracle
from lear.grammar.rules import Grammar
from lear.learning.exact import make_problems
from lear.model.rule_scores import rule_scores
from tests.support.brute_force import complete_derivations
from tests.support.enumeration import enumerated, rules_of, tiny_network
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.toy_rows import SHORT


def legal_derivations(oracle: Oracle, tokens: tuple[str, ...]) -> list[Derivation]:
    """Every complete derivation of a chart of categories; their scores play no part."""
    grammar = Grammar(oracle.reader.categories)
    reading = oracle.reader.read(tokens)
    chart = legal_chart(grammar, reading.skeleton)
    scores = [0.0] * len(grammar.rules)

    def leaf_scores(leaf):  # type: ignore[no-untyped-def]
        return [0.0] * len(reading.primitives[leaf])

    programs = best_programs(grammar, chart, scores, leaf_scores, 10_000)
    if not reading.has_choice:
        roots = complete_items(grammar, chart)
        assert len(programs) == sum(Forest(root).count() for root in roots)
    return [program.derivation(reading) for program in programs]


def test_a_chart_of_categories_holds_what_brute_force_finds(toy_oracle: Oracle) -> None:
    for example in SHORT[:10]:
        found = legal_derivations(toy_oracle, example.tokens)
        assert len(found) == len(set(found))
        assert set(found) == complete_derivations(toy_oracle, example.tokens)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_a_chart_of_categories_holds_what_every_shape_allows(
    ambiguous_oracle: Oracle, shape: Shape
) -> None:
    oracle = reshaped(ambiguous_oracle, shape)
    for tokens in SHAPED_SENTENCES:
        found = legal_derivations(oracle, tokens)
        assert len(found) == len(set(found))
        assert set(found) == complete_derivations(oracle, tokens)


def test_rules_of_a_chart_are_those_of_its_derivations(toy_oracle: Oracle) -> None:
    for example in SHORT[:10]:
        grammar = Grammar(toy_oracle.reader.categories)
        reading = toy_oracle.reader.read(example.tokens)
        chart = legal_chart(grammar, reading.skeleton)
        weights = np.random.default_rng(1).normal(size=len(grammar.rules)).tolist()
        by_rule = dict(zip(grammar.rules, weights, strict=True))
        for program in best_programs(grammar, chart, weights, lambda _: (0.0,), 10):
            used = rules_of(TOY, program.derivation(reading), reading.skeleton.words)
            assert program.score == pytest.approx(sum(by_rule[rule] for rule in used))


def test_the_k_best_are_the_k_best_of_all(toy_oracle: Oracle) -> None:
    example = next(row for row in SHORT if len(row.tokens) == 8)
    data = make_problems(toy_oracle.reader, SHORT)
    network = tiny_network(toy_oracle, data, seed=4)
    scores, _ = enumerated(toy_oracle, network, example)
    grammar = Grammar(toy_oracle.reader.categories)
    reading = toy_oracle.reader.read(example.tokens)
    chart = legal_chart(grammar, reading.skeleton)
    weights = rule_scores(network, grammar.rules).tolist()
    programs = best_programs(grammar, chart, weights, lambda _: (0.0,), 5)
    best = sorted(scores.values(), reverse=True)[:5]
    assert [program.score for program in programs] == pytest.approx(best)
    for program in programs:
        assert scores[program.derivation(reading)] == pytest.approx(program.score)
