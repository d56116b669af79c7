"""Sums as arrays, over many sentences at once, are the sums over each chart of objects."""

from collections.abc import Mapping

import numpy as np
import pytest
from numpy.typing import NDArray

from lear.forest.chart import DEFAULT_BUDGET, Budget, Item
from lear.forest.legal_chart import complete_items, legal_chart
from lear.forest.sums import InsideOutside, LikelyParts, ScoredChart
from lear.forest.viterbi import NO_CHOICE, Viterbi
from lear.grammar.reading import CategoryLeaf, Reading
from lear.grammar.rules import Grammar
from tests.support.random_scores import RandomScores
from tests.support.small_domains import SmallDomain, small_domains

Floats = NDArray[np.float64]
DOMAINS = small_domains()
MIN_POSTERIORS = (0.0, 1e-3, 0.2, 0.6)


@pytest.fixture(params=DOMAINS)
def small(request: pytest.FixtureRequest) -> SmallDomain:
    return DOMAINS[request.param]


def leaf_scores(reading: Reading, members: int) -> dict[CategoryLeaf, Floats]:
    """Of some leaves; of others nothing is known."""
    rng = np.random.default_rng(len(reading.tokens))
    primitives = reading.primitives
    return {
        leaf: rng.normal(size=(members, len(group)))
        for number, (leaf, group) in enumerate(primitives.items())
        if len(group) > 1 or number % 2
    }


def plain(
    grammar: Grammar,
    reading: Reading,
    scores: RandomScores,
    leaves: Mapping[CategoryLeaf, Floats],
    temperature: float,
) -> InsideOutside | None:
    """The sums over a chart of objects; None without a derivation."""
    roots = complete_items(grammar, legal_chart(grammar, reading.skeleton))
    operations = [rule.operation for rule in grammar.rules]
    chart = ScoredChart(operations, scores.of_members(grammar.rules), leaves, temperature)
    return InsideOutside(chart, roots) if roots else None


def as_values(likely: LikelyParts, operations: list[str]) -> set[tuple[object, ...]]:
    """All likely edges, as values that can be compared."""

    def name(item: Item[int]) -> tuple[int, int, int]:
        return item.begin, item.end, item.value

    return {
        (
            name(item),
            None if edge.label is None else operations[edge.label],
            *map(name, edge.children),
        )
        for item, edges in likely.edges.items()
        for edge in edges
    }


@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("temperature", [1.0, 0.4, 3.0])
def test_many_sentences_at_once_have_the_sums_of_each_alone(
    small: SmallDomain, members: int, temperature: float
) -> None:
    reader = small.oracle.reader
    grammar, scores = Grammar(reader.categories), RandomScores(7, members)
    readings = [reader.read(tokens) for tokens in small.sentences]
    sentences = [(reading.skeleton, NO_CHOICE) for reading in readings]
    leaves = [leaf_scores(reading, members) for reading in readings]
    packed = Viterbi(grammar, scores, DEFAULT_BUDGET).packed(sentences, leaves)
    sums = [
        plain(grammar, reading, scores, leaf, temperature)
        for reading, leaf in zip(readings, leaves, strict=True)
    ]
    operations = [rule.operation for rule in grammar.rules]
    assert any(sums)
    for min_posterior in MIN_POSTERIORS:
        found = packed.likely(temperature, min_posterior)
        for likely, whole in zip(found, sums, strict=True):
            if whole is None:
                assert likely.roots == []
                assert likely.edges == {}
                continue
            np.testing.assert_allclose(likely.log_z, whole.log_z)
            expected = as_values(whole.likely(min_posterior), operations)
            assert as_values(likely, packed.operations) == expected


def test_parts_come_before_their_wholes(small: SmallDomain) -> None:
    reader = small.oracle.reader
    grammar = Grammar(reader.categories)
    sentences = [(reader.read(tokens).skeleton, NO_CHOICE) for tokens in small.sentences]
    packed = Viterbi(grammar, RandomScores(3), DEFAULT_BUDGET).packed(
        sentences, [{} for _ in sentences]
    )
    for likely in packed.likely(1.0, 0.01):
        seen: set[Item[int]] = set()
        for item, edges in likely.edges.items():
            assert all(child in seen for edge in edges for child in edge.children)
            seen.add(item)
        assert seen.issuperset(likely.roots)


def test_a_sentence_whose_budget_runs_out_takes_nothing_from_others(small: SmallDomain) -> None:
    reader = small.oracle.reader
    grammar, scores = Grammar(reader.categories), RandomScores(5)
    tokens = max(small.sentences, key=len)
    sentence = (reader.read(tokens).skeleton, NO_CHOICE)
    viterbi = Viterbi(grammar, scores, Budget(1000))
    alone = viterbi.packed([sentence], [{}])
    both = viterbi.packed([sentence, sentence], [{}, {}], spent=[1000, 0])
    assert alone.limit_met(0) is None
    assert "1,000 combinations" in str(both.limit_met(0))
    assert both.limit_met(1) is None
    assert both.num_edges == [0, *alone.num_edges]
    over, whole = both.likely(1.0, 0.0)
    assert over.roots == []
    (expected,) = alone.likely(1.0, 0.0)
    assert as_values(whole, both.operations) == as_values(expected, alone.operations)
