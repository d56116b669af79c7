"""The fast search finds the best of all derivations."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.domain import Shape
from lear.forest.chart import DEFAULT_BUDGET, Budget, best_programs, legal_chart
from lear.forest.oracle import Oracle
from lear.forest.programs import Program
from lear.forest.scored_grammar import RuleNumbers, ScoredGrammar
from lear.forest.search import NO_CHOICE, Sentence, SpanSearch, batches_to_search
from lear.grammar.reading import SentenceReader, Skeleton
from lear.grammar.rules import Grammar, Rule
from tests.support.random_scores import RandomScores
from tests.support.shapes import SHAPED_SENTENCES, SHAPES, reshaped
from tests.support.small_domains import SmallDomain, small_domains
from tests.support.toy_rows import TEST, TRAIN


def best(
    grammar: Grammar, score: RandomScores, skeleton: Skeleton, budget: Budget = DEFAULT_BUDGET
) -> Program | None:
    """The best derivation of a sentence that is searched alone."""
    scored = ScoredGrammar(grammar, score)
    return SpanSearch([(skeleton, NO_CHOICE)], scored, budget).best(0)


def assert_best(oracle: Oracle, tokens: tuple[str, ...], seed: int) -> None:
    """The fast search finds what the plain one finds."""
    reader = oracle.reader
    grammar = Grammar(reader.categories)
    skeleton = reader.read(tokens).skeleton
    chart = legal_chart(grammar, skeleton)
    score = RandomScores(seed)
    plain = best_programs(grammar, chart, score(grammar.rules), lambda _: (0.0,), 1)
    fast = best(grammar, score, skeleton)
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
    scored = ScoredGrammar(grammar, RandomScores(1))
    search = SpanSearch([(skeleton, NO_CHOICE)], scored, Budget(10))
    assert search.best(0) is None
    assert "first 10 combinations of its phrases: the sentence, of 150" in str(search.limit_met(0))


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
            program = best(grammar, score, skeleton, budget)
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
        scored = ScoredGrammar(grammar, score)
        found = SpanSearch([(skeleton, NO_CHOICE)], scored, DEFAULT_BUDGET).constituents(0)
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
    scored = ScoredGrammar(grammar, score)
    together = SpanSearch(sentences, scored, budget)
    assert set(together.is_over.tolist()) == {True, False}
    for number, sentence in enumerate(sentences):
        alone = SpanSearch([sentence], scored, budget)
        assert str(together.limit_met(number)) == str(alone.limit_met(0))
        if not alone.is_over[0]:
            assert together.best(number) == alone.best(0)
            assert sorted(together.constituents(number)) == sorted(alone.constituents(0))
            assert together.spent()[number] == alone.spent()[0]


def test_many_pairs_are_looked_at_in_parts(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = toy_oracle.reader
    scored = ScoredGrammar(Grammar(reader.categories), RandomScores(4))
    sentences: list[Sentence] = [
        (reader.read(row.tokens).skeleton, NO_CHOICE) for row in TRAIN[:20]
    ]

    def programs() -> list[Program | None]:
        search = SpanSearch(sentences, scored, DEFAULT_BUDGET)
        return [search.best(number) for number in range(len(sentences))]

    whole = programs()
    monkeypatch.setattr("lear.forest.search.MAX_PAIRS", 1)
    assert programs() == whole


def test_sentences_of_similar_lengths_are_searched_together(
    toy_oracle: Oracle, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [("Tom",) * size for size in (3, 9, 2, 9, 3)]
    sentences = [(toy_oracle.reader.read(tokens).skeleton, NO_CHOICE) for tokens in texts]
    assert batches_to_search(sentences) == [[2, 0, 4, 1, 3]]
    monkeypatch.setattr("lear.forest.search.MAX_CELLS", 45)
    assert batches_to_search(sentences) == [[2, 0, 4], [1], [3]]
    assert batches_to_search([]) == []


names = st.sampled_from(["keep", "join", "[A]", "[B]", "of", "the"])
rules = st.lists(st.builds(Rule, names, st.lists(names, min_size=1, max_size=4).map(tuple)))


@given(rules)
def test_rules_and_their_numbers_are_one_to_one(some: list[Rule]) -> None:
    numbers = RuleNumbers()
    found = [numbers.number(rule) for rule in some]
    assert [numbers.rule(*number) for number in found] == some
    assert len(set(found)) == len(set(some))
    columns = numbers.columns(some)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == found
    for rule in some:
        for size in range(1, len(rule.parts)):
            prefix = numbers.prefix(rule.parts[:size])
            assert numbers.shorter[prefix] == numbers.prefix(rule.parts[: size - 1])
            assert numbers.parts[numbers.last[prefix]] == rule.parts[size - 1]
            assert numbers.sizes[prefix] == size


@pytest.mark.parametrize(
    ("small", "tokens"),
    [
        pytest.param(small, tokens, id=f"{name}: {' '.join(tokens)}")
        for name, small in small_domains().items()
        for tokens in small.sentences
    ],
)
def test_the_best_is_found_in_every_domain(small: SmallDomain, tokens: tuple[str, ...]) -> None:
    reader = SentenceReader(small.domain, small.lexicon)
    grammar = Grammar(reader.categories)
    skeleton = reader.read(tokens).skeleton
    chart = legal_chart(grammar, skeleton)
    score = RandomScores(seed=len(tokens))
    plain = best_programs(grammar, chart, score(grammar.rules), lambda _: (0.0,), 1)
    fast = best(grammar, score, skeleton)
    if plain:
        assert fast is not None
        assert fast.score == pytest.approx(plain[0].score)
    else:
        assert fast is None
