"""What algebra and lexicon of GEO reach, and what guides and overlooking do to it."""

from collections.abc import Callable

import pytest

from lear.algebra.algebra import MeaningTable
from lear.benchmark import Benchmark, Example
from lear.domains.geo.corpus import QUERY
from lear.domains.geo.domain import GEO
from lear.evaluation.coverage import Unreached, coverage
from lear.forest.chart import Budget, Forest
from lear.forest.oracle import Oracle
from lear.lexicon.lexicon import OVERLOOKED
from tests.support.congruence import check_congruence

pytestmark = pytest.mark.data


def short(rows: list[Example], most: int, count: int) -> list[Example]:
    return [row for row in rows if len(row.tokens) <= most][:count]


def test_categories_are_a_congruence(query_oracle: Oracle, query_train: list[Example]) -> None:
    assert check_congruence(query_oracle, short(query_train, 6, 8)).num_categories > 40


def test_the_guide_loses_no_derivation(query_oracle: Oracle, query_train: list[Example]) -> None:
    for row in short(query_train, 7, 25):
        table = MeaningTable(GEO.language.algebra)
        gold = GEO.language.read_gold(row, table)
        chart = query_oracle.search(query_oracle.reader.read(row.tokens), table)
        roots = [
            item
            for item in chart.cell(0, len(row.tokens))
            if GEO.language.algebra.is_complete(item.value)
            and GEO.language.finish(item.value, row.tokens, table) is gold
        ]
        unguided = sum(Forest(root).count() for root in roots)
        guided = query_oracle.gold_forest(row)
        assert (guided.count() if guided else 0) == unguided > 0


def test_words_are_overlooked_only_where_there_is_no_other_way(query_oracle: Oracle) -> None:
    tokens = GEO.words.tokenize("how many states have cities towns named var0")
    row = Example(tokens, "answer(count(state(loc_1(city(var0)))))", "", "here")
    assert query_oracle.gold_forest(row) is None
    assert query_oracle.gold_forest(row, overlook=True) is not None


def test_names_are_never_overlooked(query_oracle: Oracle, query_train: list[Example]) -> None:
    assert query_oracle.reader.read(("var0", "var1")).overlooking.words == (None, None)
    for row in query_train:
        reading = query_oracle.reader.read(row.tokens)
        for seen, word, other in zip(
            reading.view, reading.skeleton.words, reading.overlooking.words, strict=True
        ):
            is_name = seen.startswith("<Entity")
            assert other == (word if word is not None or is_name else OVERLOOKED)


@pytest.mark.parametrize(("part", "least"), [("train", 0.98), ("dev", 0.94)])
def test_coverage_of_the_query_split(
    load_geo: Callable[[Benchmark, str], list[Example]],
    query_oracle: Oracle,
    part: str,
    least: float,
) -> None:
    rows = load_geo(QUERY, part)
    oracle = Oracle.of(GEO, query_oracle.lexicon, Budget(1_000_000))
    lost = [found for found in coverage(oracle, rows) if isinstance(found, Unreached)]
    assert 1 - len(lost) / len(rows) >= least
