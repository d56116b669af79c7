"""The fast search finds the best of all derivations, and looking ahead loses nothing."""

import random

import pytest

from lear.core.function_word_limits import Shape
from lear.errors import SearchLimitError
from lear.grammar.grammar import Grammar
from lear.search.chart import DEFAULT_BUDGET, Budget
from lear.search.legal_chart import best_programs, legal_chart
from lear.search.lookahead import Lookahead
from lear.search.oracle import Oracle
from lear.search.viterbi import Viterbi
from tests.support.random_scores import RandomScores
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.toy_rows import TEST, TRAIN


def assert_best(oracle: Oracle, tokens: tuple[str, ...], seed: int) -> None:
    """The fast search, with and without looking ahead, finds what the plain one finds."""
    reader = oracle.reader
    grammar = Grammar(reader.categories)
    skeleton = reader.read(tokens).skeleton
    chart = legal_chart(grammar, skeleton)
    score = RandomScores(seed)
    plain = best_programs(grammar, chart, score(grammar.rules), lambda _: (0.0,), 1)
    words = [(word,) for word in oracle.lexicon.function_words]
    gaps = {(), *words, *((*one, *other) for one in words for other in words)}
    lookahead = Lookahead.of(grammar, reader.leaf_categories(), gaps)
    assert lookahead.covers(skeleton)
    for look in (None, lookahead):
        fast = Viterbi(grammar, score, DEFAULT_BUDGET, look).best(skeleton)
        assert (fast is not None) == bool(plain)
        if fast is not None:
            assert fast.score == pytest.approx(plain[0].score)
            assert fast.instructions == plain[0].instructions


@pytest.mark.parametrize("seed", range(20))
def test_viterbi_finds_the_best_of_all_derivations(toy_oracle: Oracle, seed: int) -> None:
    example = random.Random(seed).choice([*TRAIN, *TEST])
    assert_best(toy_oracle, example.tokens, seed)


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_viterbi_finds_the_best_under_every_shape(ambiguous_oracle: Oracle, shape: Shape) -> None:
    oracle = reshaped(ambiguous_oracle, shape)
    for seed, tokens in enumerate(SHAPED_SENTENCES):
        assert_best(oracle, tokens, seed)


def test_the_budget_bounds_any_sentence(toy_oracle: Oracle) -> None:
    grammar = Grammar(toy_oracle.reader.categories)
    skeleton = toy_oracle.reader.read(("Tom", "sees", "Mary") * 50).skeleton
    with pytest.raises(SearchLimitError, match="150 tokens: no answer within 10 combinations"):
        Viterbi(grammar, RandomScores(1), Budget(10)).best(skeleton)


@pytest.mark.parametrize("seed", range(10))
def test_a_margin_drops_what_is_worse_and_makes_nothing_better(
    ambiguous_oracle: Oracle, seed: int
) -> None:
    reader = ambiguous_oracle.reader
    grammar, score = Grammar(reader.categories), RandomScores(seed)
    for tokens in SHAPED_SENTENCES:
        skeleton = reader.read(tokens).skeleton
        chart = legal_chart(grammar, skeleton)
        plain = best_programs(grammar, chart, score(grammar.rules), lambda _: (0.0,), 10_000)
        found = {}
        for margin in (0.0, 1.0, 3.0, 1000.0, None):
            budget = Budget(DEFAULT_BUDGET.combinations, margin)
            program = Viterbi(grammar, score, budget).best(skeleton)
            if program is not None:
                assert program.instructions in {other.instructions for other in plain}
                assert program.score <= plain[0].score + 1e-9
            found[margin] = program
        assert found[1000.0] == found[None]
        assert (found[None] is not None) == bool(plain)


def test_everything_that_can_be_built_is_kept_for_every_span(toy_oracle: Oracle) -> None:
    reader = toy_oracle.reader
    grammar, score = Grammar(reader.categories), RandomScores(1)
    for tokens in SHAPED_SENTENCES:
        skeleton = reader.read(tokens).skeleton
        chart = legal_chart(grammar, skeleton)
        expected = {
            (item.begin, item.end, item.value)
            for begin in range(len(tokens))
            for end in range(begin + 1, len(tokens) + 1)
            for item in chart.cell(begin, end)
        }
        ways = Viterbi(grammar, score, DEFAULT_BUDGET).search(skeleton)
        found = [
            (way.begin, way.end, way.category)
            for by_category in ways.ended
            for group in by_category.values()
            for way in group
        ]
        assert len(found) == len(set(found))
        assert set(found) == expected
