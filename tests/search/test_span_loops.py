"""Few sentences, searched by loops: the same as many, searched as arrays, to the last bit."""

import random

import numpy as np
import pytest

from lear.domain import Shape
from lear.forest import viterbi
from lear.forest.chart import DEFAULT_BUDGET, Budget
from lear.forest.lookahead import Lookahead
from lear.forest.oracle import Oracle
from lear.forest.span_search import Choices, SpanSearch
from lear.forest.viterbi import NO_CHOICE, Viterbi, fill_by_loops
from lear.grammar.reading import Skeleton
from lear.grammar.rules import Grammar
from tests.support.random_scores import RandomScores
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.toy_rows import TEST, TRAIN

DOMAINS = small_domains()


def looking_ahead(oracle: Oracle, scores: RandomScores, budget: Budget) -> Viterbi:
    """A search that can be done by loops."""
    grammar = Grammar(oracle.reader.categories)
    words = [(word,) for word in oracle.lexicon.function_words]
    gaps = {(), *words, *((*one, *other) for one in words for other in words)}
    lookahead = Lookahead.of(grammar, oracle.reader.leaf_categories(), gaps)
    return Viterbi(grammar, scores, budget, lookahead)


def assert_same(
    search: Viterbi, sentences: list[tuple[Skeleton, Choices]], spent: list[int] | None = None
) -> SpanSearch:
    """Both ways find the same items with the same steps to them, and cost the same."""
    loops, arrays = (
        SpanSearch(
            sentences, search, search.budget, search.lookahead, spent=spent, keeps_edges=True
        )
        for _ in range(2)
    )
    fill_by_loops(loops)
    arrays.run()
    np.testing.assert_array_equal(loops.is_over, arrays.is_over)
    over = set(np.flatnonzero(arrays.is_over).tolist())
    assert [s for n, s in enumerate(loops.spent()) if n not in over] == [
        s for n, s in enumerate(arrays.spent()) if n not in over
    ]
    assert found(loops, over) == found(arrays, over)
    return loops


def found(search: SpanSearch, over: set[int]) -> dict[object, object]:
    """Items by place and category, with their scores and with all steps to them in order."""
    columns = search.items.columns
    names = list(zip(columns.cell.tolist(), columns.category.tolist(), strict=True))
    assert len(set(names)) == len(names)
    steps: dict[object, list[object]] = {name: [] for name in names}
    for item, step, left, right in zip(*(c.tolist() for c in search.items.edges), strict=True):
        parts = () if step < 0 else tuple(names[n] for n in (left, right) if n >= 0)
        steps[names[item]].append((step, parts))
    best = zip(columns.score.tolist(), columns.step.tolist(), strict=True)
    sentence = search.grid.sentence[columns.cell].tolist()
    return {
        name: (way, steps[name])
        for name, way, number in zip(names, best, sentence, strict=True)
        if number not in over
    }


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("margin", [None, 1.0])
def test_loops_find_what_arrays_find(name: str, margin: float | None) -> None:
    small: SmallDomain = DOMAINS[name]
    oracle = small.oracle
    search = looking_ahead(oracle, RandomScores(2), Budget(DEFAULT_BUDGET.combinations, margin))
    readings = [oracle.reader.read(tokens) for tokens in small.sentences]
    rng = np.random.default_rng(1)
    sentences: list[tuple[Skeleton, Choices]] = [
        (r.skeleton, {leaf: (float(rng.normal()), 0) for leaf in r.primitives}) for r in readings
    ]
    together = assert_same(search, sentences)
    assert together.items.columns.score.size > 0
    for sentence in sentences:
        assert_same(search, [sentence])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_loops_find_the_same_under_every_shape(ambiguous_oracle: Oracle, shape: Shape) -> None:
    oracle = reshaped(ambiguous_oracle, shape)
    search = looking_ahead(oracle, RandomScores(5), DEFAULT_BUDGET)
    read = oracle.reader.read
    assert_same(search, [(read(tokens).skeleton, NO_CHOICE) for tokens in SHAPED_SENTENCES])


def test_equally_good_steps_are_chosen_alike(ambiguous_oracle: Oracle) -> None:
    scores = RandomScores(0)
    scores.are_equal = True
    search = looking_ahead(ambiguous_oracle, scores, DEFAULT_BUDGET)
    rows = random.Random(1).sample([*TRAIN, *TEST], 40)
    for row in rows:
        assert_same(search, [(ambiguous_oracle.reader.read(row.tokens).skeleton, NO_CHOICE)])


def test_budgets_run_out_alike(toy_oracle: Oracle) -> None:
    search = looking_ahead(toy_oracle, RandomScores(3), Budget(12))
    texts = [row.tokens for row in TRAIN[:20]] + [("Tom", "sees", "Mary") * 20, ("Tom",)]
    sentences = [(toy_oracle.reader.read(tokens).skeleton, NO_CHOICE) for tokens in texts]
    both = assert_same(search, sentences, [n % 12 for n in range(len(sentences))])
    assert set(both.is_over.tolist()) == {True, False}


def test_derivations_of_the_last_search_are_packed_without_another(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    search = looking_ahead(toy_oracle, RandomScores(3), DEFAULT_BUDGET)
    sentences = [(toy_oracle.reader.read(row.tokens).skeleton, NO_CHOICE) for row in TRAIN[:9]]
    distinct = list(dict.fromkeys(skeleton for skeleton, _ in sentences))
    chosen = [(skeleton, NO_CHOICE) for skeleton in distinct[3:0:-1]]
    anew = search.packed(chosen, [{} for _ in chosen])
    ways = search.search_each(sentences)
    assert len(ways) == len(sentences)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("searched again")

    with monkeypatch.context() as patched:
        patched.setattr(viterbi, "SpanSearch", refuse)
        again = search.packed(chosen, [{} for _ in chosen])
        with pytest.raises(AssertionError):  # nobody can pay for it
            search.packed(chosen, [{} for _ in chosen], spent=[DEFAULT_BUDGET.combinations] * 3)
        with pytest.raises(AssertionError):  # it was another search
            search.packed(chosen, [{} for _ in chosen], is_exhaustive=True)
    assert again.num_edges == anew.num_edges
    for one, other in zip(again.likely(1.0, 0.0), anew.likely(1.0, 0.0), strict=True):
        np.testing.assert_array_equal(one.log_z, other.log_z)
        assert len(one.edges) == len(other.edges)
