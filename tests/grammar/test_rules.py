"""Categories are a congruence, tables can be restricted, and rules never mix words and symbols."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.benchmark import Example
from lear.domain import Domain
from lear.domains.cfq.domain import CFQ
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.toy import TOY, Action, Person, Relation
from lear.forest.oracle import Oracle
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from lear.grammar.rules import make_rule
from tests.support.congruence import check_congruence
from tests.support.total_domains import total_domains
from tests.support.total_meanings import reachable
from tests.support.toy_rows import SHORT


def test_toy_categories_are_a_congruence(toy_oracle: Oracle) -> None:
    assert check_congruence(toy_oracle, SHORT[:40]).num_categories == 8


@pytest.mark.data
@pytest.mark.slow
def test_cogs_categories_are_a_congruence(cogs_oracle: Oracle, cogs_train: list[Example]) -> None:
    rows = [row for row in cogs_train if len(row.tokens) <= 7][:25]
    assert check_congruence(cogs_oracle, rows).num_categories >= 20


@pytest.mark.parametrize("domain", [TOY, COGS, CFQ, GEO], ids=lambda domain: domain.name)
def test_heads_name_operations_and_arguments_that_exist(domain: Domain) -> None:
    for name, index in domain.syntax.heads.items():
        assert 0 <= index < domain.language.algebra.by_name[name].arity


def test_a_restricted_table_has_the_same_numbers_and_only_what_is_attested() -> None:
    table = CategoryTable(TOY)
    person, relation, action = map(table.number, (Person("tom"), Relation("son"), Action("see")))
    attested = ("possess", ("Person", "Relation"))
    narrow = table.restricted([attested])
    assert table.restricted(None) is table
    for pair in ((person, relation), (person, action), (action, person)):
        expected = [
            c
            for c in table.combinations(pair)
            if (c.operation, table.rule_symbols(c.operation, pair)) == attested
        ]
        assert list(narrow.combinations(pair)) == expected
    assert narrow.combinations((person, relation))
    assert table.combinations((action, person))
    # What one of them meets, the other knows by the same number.
    kind = narrow.number(Person("a", Person("b")))
    assert (kind, narrow.num_categories) == (person, table.num_categories)


def test_well_typed_results_are_preferred_where_there_are_any_and_else_all_are_legal() -> None:
    small = total_domains()["geo"]
    is_well_typed = small.domain.syntax.is_well_typed
    assert is_well_typed is not None
    advised = CategoryTable(small.domain)
    every = advised.restricted(None, by_types=False)
    reader = SentenceReader(small.domain, small.lexicon, advised)
    leaves = sorted(reader.leaf_categories())
    verdicts = Counter[str]()
    for pair in product(reachable(every, leaves, most=40), repeat=2):
        legal = every.combinations(pair)
        fit = [c for c in legal if is_well_typed(every.example(c.result))]
        assert list(advised.combinations(pair)) == (fit or list(legal))
        verdicts["none" if not fit else "all" if len(fit) == len(legal) else "some"] += 1
    assert verdicts.keys() == {"none", "some", "all"}


def test_what_is_attested_and_what_is_well_typed_restrict_together() -> None:
    person, relation = Person("tom"), Relation("son")
    syntax = replace(TOY.syntax, is_well_typed=lambda meaning: meaning is None)
    table = CategoryTable(replace(TOY, syntax=syntax))
    pair = table.number(person), table.number(relation)
    all_of_them = table.combinations(pair)  # nothing is well-typed, so nothing is preferred
    assert all_of_them
    assert table.restricted(None, by_types=False).combinations(pair) == all_of_them
    assert table.restricted([]).combinations(pair) == ()
    assert table.restricted([], by_types=False).combinations(pair) == ()


words = st.lists(st.text("ab[]\\", min_size=1, max_size=3), max_size=2).map(tuple)
symbols = st.sampled_from(["Person", "Kind of+", "a|b"])


def test_words_that_look_like_symbols_stay_words() -> None:
    rule = make_rule("group", ("Person",), (("[", "\\"), ("]", "[x]")))
    assert rule.symbols == ("Person",)
    assert rule.gaps == [("[", "\\"), ("]", "[x]")]


@given(st.lists(symbols, min_size=1, max_size=2), st.data())
def test_symbols_and_words_are_read_back_from_a_rule(shown: list[str], data: st.DataObject) -> None:
    gaps = [data.draw(words) for _ in range(len(shown) + 1)]
    rule = make_rule("group", shown, gaps)
    assert rule.symbols == tuple(shown)
    assert rule.gaps == gaps
    assert len(rule.parts) == len(rule.symbols) + sum(map(len, rule.gaps))


@given(st.lists(st.tuples(words, words, words), min_size=2, max_size=2))
def test_different_gaps_are_different_rules(gaps: list[tuple[tuple[str, ...], ...]]) -> None:
    first, second = (make_rule("group", ("A", "B"), gap) for gap in gaps)
    assert (first == second) == (gaps[0] == gaps[1])
