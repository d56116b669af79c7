"""The fast search finds the best of all derivations."""

import random
from collections.abc import Sequence

import pytest

from lear.domain import Shape
from lear.errors import SearchLimitError
from lear.forest import span_search, viterbi
from lear.forest.chart import DEFAULT_BUDGET, Budget, Item
from lear.forest.legal_chart import best_programs, complete_items, legal_chart
from lear.forest.oracle import Oracle
from lear.forest.viterbi import NO_CHOICE, Viterbi
from lear.grammar.rules import Grammar
from tests.support.random_scores import RandomScores
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.toy_rows import TEST, TRAIN


def assert_best(oracle: Oracle, tokens: tuple[str, ...], seed: int) -> None:
    """The fast search finds what the plain one finds."""
    reader = oracle.reader
    grammar = Grammar(reader.categories)
    skeleton = reader.read(tokens).skeleton
    chart = legal_chart(grammar, skeleton)
    score = RandomScores(seed)
    plain = best_programs(grammar, chart, score(grammar.rules), lambda _: (0.0,), 1)
    fast = Viterbi(grammar, score, DEFAULT_BUDGET).best(skeleton)
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
    with pytest.raises(
        SearchLimitError, match="first 10 combinations of its phrases: the sentence, of 150"
    ):
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
        found = [(way.begin, way.end, way.category) for way in ways.ways()]
        assert len(found) == len(set(found))
        assert set(found) == expected


@pytest.mark.parametrize("margin", [None, 2.0])
def test_sentences_searched_together_are_searched_as_if_alone(
    toy_oracle: Oracle, margin: float | None
) -> None:
    reader = toy_oracle.reader
    grammar, score = Grammar(reader.categories), RandomScores(3)
    budget = Budget(12, margin)
    texts = [row.tokens for row in TRAIN[:30]] + [("Tom", "sees", "Mary") * 20, ("Tom",)]
    sentences = [(reader.read(tokens).skeleton, NO_CHOICE) for tokens in texts]
    together = Viterbi(grammar, score, budget).search_each(sentences)
    assert {isinstance(ways, SearchLimitError) for ways in together} == {True, False}
    for sentence, ways in zip(sentences, together, strict=True):
        (alone,) = Viterbi(grammar, score, budget).search_each([sentence])
        if isinstance(ways, SearchLimitError) or isinstance(alone, SearchLimitError):
            assert str(ways) == str(alone)
            continue
        assert ways.best() == alone.best()
        assert sorted(ways.ways()) == sorted(alone.ways())


def test_many_sentences_are_searched_in_parts(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = toy_oracle.reader
    grammar, score = Grammar(reader.categories), RandomScores(4)
    sentences = [(reader.read(row.tokens).skeleton, NO_CHOICE) for row in TRAIN[:20]]

    def programs() -> list[object]:
        found = Viterbi(grammar, score, DEFAULT_BUDGET).search_each(sentences)
        return [ways if isinstance(ways, SearchLimitError) else ways.best() for ways in found]

    whole = programs()
    monkeypatch.setattr(viterbi, "MAX_CELLS", 1)
    monkeypatch.setattr(span_search, "MAX_PAIRS", 1)
    assert programs() == whole


def test_no_sentences_have_no_derivations(toy_oracle: Oracle) -> None:
    grammar = Grammar(toy_oracle.reader.categories)
    assert Viterbi(grammar, RandomScores(1), DEFAULT_BUDGET).search_each([]) == []


@pytest.mark.parametrize("seed", range(5))
def test_the_forest_without_a_margin_has_all_derivations(
    ambiguous_oracle: Oracle, seed: int
) -> None:
    reader = ambiguous_oracle.reader
    grammar, score = Grammar(reader.categories), RandomScores(seed)
    for tokens in SHAPED_SENTENCES:
        skeleton = reader.read(tokens).skeleton
        plain = complete_items(grammar, legal_chart(grammar, skeleton))
        packed = Viterbi(grammar, score, DEFAULT_BUDGET).packed([(skeleton, NO_CHOICE)], [{}])
        (found,) = packed.likely(1.0, 0.0)
        operations = [rule.operation for rule in grammar.rules]
        expected = sorted(derivations_of(item, operations) for item in plain)
        assert sorted(derivations_of(i, packed.operations) for i in found.roots) == expected


def derivations_of(item: Item[int], operations: Sequence[str]) -> tuple[object, ...]:
    """An item with all ways to build it, in an order that does not depend on the search."""
    edges = [
        (
            "" if edge.label is None else operations[edge.label],
            *(derivations_of(child, operations) for child in edge.children),
        )
        for edge in item.edges
    ]
    return (item.begin, item.end, item.value, *sorted(edges))
