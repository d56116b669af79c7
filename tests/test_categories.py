"""Categories are a congruence: they decide what is legal, and the category of the result."""

import pytest

from lear.core.algebra import MeaningTable
from lear.domain.example import Example
from lear.domains.cogs.domain import COGS
from lear.domains.toy.corpus import generate
from lear.domains.toy.domain import TOY
from lear.grammar.categories import CategoryTable
from lear.search.oracle import Oracle


def check_congruence(oracle: Oracle, rows: list[Example]) -> CategoryTable:
    """Every pair of meanings in the rows' charts behaves as its categories say."""
    domain = oracle.domain
    categories = CategoryTable(domain)
    for row in rows:
        table = MeaningTable(domain.language.algebra)
        chart = oracle.search(row.tokens, table)
        meanings = [
            item.value
            for length in range(1, len(row.tokens) + 1)
            for begin, end in chart.spans(length)
            for item in chart.cell(begin, end)
        ]
        for arguments in [(a,) for a in meanings] + [(a, b) for a in meanings for b in meanings]:
            legal = {
                operation.name: categories.number(result)
                for operation in domain.language.algebra.operations
                if (result := table.apply(operation, arguments)) is not None
            }
            numbers = tuple(map(categories.number, arguments))
            assert legal == {step.operation: step.result for step in categories.steps(numbers)}
            for number, argument in zip(numbers, arguments, strict=True):
                complete = domain.language.algebra.is_complete(argument)
                assert categories.is_complete(number) == complete
    return categories


def test_toy_categories_are_a_congruence(toy_oracle: Oracle) -> None:
    rows = [row for row in generate("train", seed=1) if len(row.tokens) <= 8][:40]
    assert check_congruence(toy_oracle, rows).num_categories == 8


def test_cogs_categories_are_a_congruence(cogs_oracle: Oracle, cogs_train: list[Example]) -> None:
    rows = [row for row in cogs_train if len(row.tokens) <= 7][:25]
    assert check_congruence(cogs_oracle, rows).num_categories >= 20


@pytest.mark.parametrize("domain", [TOY, COGS], ids=lambda domain: domain.name)
def test_heads_name_operations_and_arguments_that_exist(domain) -> None:  # type: ignore[no-untyped-def]
    for name, index in domain.syntax.heads.items():
        assert 0 <= index < domain.language.algebra.by_name[name].arity
