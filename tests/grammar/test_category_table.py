"""Categories are a congruence, and a table can be restricted to what training attests."""

import pytest

from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.domains.cfq.domain import CFQ
from lear.domains.cogs.domain import COGS
from lear.domains.geo.domain import GEO
from lear.domains.toy.algebra import Action, Person, Relation
from lear.domains.toy.domain import TOY
from lear.grammar.category_table import CategoryTable
from lear.search.oracle import Oracle
from tests.support.congruence import check_congruence
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
        expected = [c for c in table.combinations(pair) if (c.operation, c.symbols) == attested]
        assert list(narrow.combinations(pair)) == expected
    assert narrow.combinations((person, relation))
    assert table.combinations((action, person))
    # What one of them meets, the other knows by the same number.
    kind = narrow.number(Person("a", Person("b")))
    assert (kind, narrow.num_categories) == (person, table.num_categories)
