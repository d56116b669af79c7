"""Categories are a congruence: they decide what is legal, and the category of the result."""

from collections.abc import Sequence

from lear.algebra.algebra import Meaning, MeaningTable
from lear.benchmark import Example
from lear.forest.oracle import Oracle
from lear.grammar.categories import CategoryTable


def check_congruence(oracle: Oracle, rows: list[Example]) -> CategoryTable:
    """Every pair of meanings in the rows' charts behaves as its categories say."""
    categories = CategoryTable(oracle.domain)
    for row in rows:
        table = MeaningTable(oracle.domain.language.algebra)
        chart = oracle.search(oracle.reader.read(row.tokens), table)
        meanings = [
            item.value
            for length in range(1, len(row.tokens) + 1)
            for begin, end in chart.spans(length)
            for item in chart.cell(begin, end)
        ]
        check_meanings(categories, meanings, table)
    return categories


def check_meanings(
    categories: CategoryTable, meanings: Sequence[Meaning], table: MeaningTable
) -> None:
    """Some meanings, alone and in pairs, behave as their categories say."""
    domain = categories.domain
    for arguments in [(a,) for a in meanings] + [(a, b) for a in meanings for b in meanings]:
        legal = {
            operation.name: (
                domain.syntax.rule_symbols(operation.name, arguments),
                categories.number(result),
            )
            for operation in domain.language.algebra.candidates(*arguments)
            if (result := table.apply(operation, arguments)) is not None
        }
        numbers = tuple(map(categories.number, arguments))
        found = categories.combinations(numbers)
        symbols = categories.rule_symbols
        assert legal == {name: (symbols(name, numbers), result) for name, result in found}
    for meaning in meanings:
        number = categories.number(meaning)
        complete = domain.language.algebra.is_complete(meaning)
        assert categories.is_complete(number) == complete
        assert categories.argument_symbol(number) == domain.syntax.argument_symbol(meaning)
