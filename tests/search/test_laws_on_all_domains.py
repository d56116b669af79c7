"""Laws of search on every domain, held against brute force."""

from dataclasses import replace

import pytest

from lear.forest.chart import DEFAULT_BUDGET, Forest
from lear.forest.legal_chart import best_programs, complete_items, legal_chart
from lear.forest.oracle import Oracle, anything
from lear.forest.viterbi import Viterbi
from lear.grammar.reading import SentenceReader
from lear.grammar.rules import Grammar
from tests.support.brute_force import complete_derivations, gold_derivations
from tests.support.random_scores import RandomScores
from tests.support.small_domains import SmallDomain, small_domains

DOMAINS = [pytest.param(small, id=name) for name, small in small_domains().items()]
SENTENCES = [
    pytest.param(small, tokens, id=f"{name}: {' '.join(tokens)}")
    for name, small in small_domains().items()
    for tokens in small.sentences
]


@pytest.mark.parametrize("small", DOMAINS)
def test_a_gold_forest_holds_the_derivations_of_brute_force(small: SmallDomain) -> None:
    for row in small.rows:
        forest = small.oracle.gold_forest(row)
        assert forest is not None
        assert set(forest.derivations(1000)) == gold_derivations(small.oracle, row)


@pytest.mark.parametrize("small", DOMAINS)
def test_the_default_guide_loses_no_derivation(small: SmallDomain) -> None:
    language = replace(small.domain.language, guide=None)
    unguided = replace(small.domain.language, guide=anything)
    default, everything = (
        Oracle.of(replace(small.domain, language=chosen), small.lexicon)
        for chosen in (language, unguided)
    )
    for row in small.rows:
        forest, whole = default.gold_forest(row), everything.gold_forest(row)
        assert forest is not None
        assert whole is not None
        assert set(forest.derivations(1000)) == set(whole.derivations(1000))


@pytest.mark.parametrize(("small", "tokens"), SENTENCES)
def test_a_chart_of_categories_counts_as_brute_force_does(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    reader = small.oracle.reader
    reading = reader.read(tokens)
    grammar = Grammar(reader.categories)
    items = complete_items(grammar, legal_chart(grammar, reading.skeleton))
    num_primitives = {leaf: len(primitives) for leaf, primitives in reading.primitives.items()}

    def ways(item, edge):  # type: ignore[no-untyped-def]
        if edge.children:
            return 1
        return next(
            count
            for leaf, count in num_primitives.items()
            if leaf == (item.begin, item.end, item.value)
        )

    total = sum(Forest(item).inside(ways, int.__mul__, int.__add__) for item in items)
    assert total == len(complete_derivations(small.oracle, tokens))


@pytest.mark.parametrize(("small", "tokens"), SENTENCES)
def test_viterbi_finds_the_best_of_all_derivations(
    small: SmallDomain, tokens: tuple[str, ...]
) -> None:
    reader = SentenceReader(small.domain, small.lexicon)
    grammar = Grammar(reader.categories)
    skeleton = reader.read(tokens).skeleton
    chart = legal_chart(grammar, skeleton)
    score = RandomScores(seed=len(tokens))
    plain = best_programs(grammar, chart, score(grammar.rules), lambda _: (0.0,), 1)
    fast = Viterbi(grammar, score, DEFAULT_BUDGET).best(skeleton)
    if plain:
        assert fast is not None
        assert fast.score == pytest.approx(plain[0].score)
    else:
        assert fast is None
