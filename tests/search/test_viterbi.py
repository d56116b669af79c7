"""The fast search finds the best of all derivations, and looking ahead loses nothing."""

import random

import numpy as np
import pytest

from lear.core.function_word_limits import Shape
from lear.errors import SearchLimitError
from lear.grammar.grammar import Grammar
from lear.search.chart import DEFAULT_BUDGET, Budget
from lear.search.legal_chart import best_programs, legal_chart
from lear.search.lookahead import NO_LOOKAHEAD, Lookahead
from lear.search.oracle import Oracle
from lear.search.viterbi import Viterbi
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.toy_rows import TEST, TRAIN


def assert_best(oracle: Oracle, tokens: tuple[str, ...], seed: int) -> None:
    """The fast search, with and without looking ahead, finds what the plain one finds."""
    reader = oracle.reader
    grammar = Grammar(reader.categories)
    skeleton = reader.read(tokens).skeleton
    chart = legal_chart(grammar, skeleton)
    weights = np.random.default_rng(seed).normal(size=10_000).tolist()
    plain = best_programs(grammar, chart, weights, lambda _: (0.0,), 1)
    words = [(word,) for word in oracle.lexicon.function_words]
    gaps = {(), *words, *((*one, *other) for one in words for other in words)}
    lookahead = Lookahead.of(grammar, reader.leaf_categories(), gaps)
    assert lookahead.covers(skeleton)
    for look in (NO_LOOKAHEAD, lookahead):
        fast = Viterbi(grammar, weights.__getitem__, DEFAULT_BUDGET, look).best(skeleton)
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
        Viterbi(grammar, lambda _: 0.0, Budget(10)).best(skeleton)
