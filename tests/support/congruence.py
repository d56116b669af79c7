"""Categories are a congruence: they decide what is legal, and the category of the result."""

from lear.core.algebra import MeaningTable
from lear.domain.example import Example
from lear.grammar.category_table import CategoryTable
from lear.search.oracle import Oracle


def check_congruence(oracle: Oracle, rows: list[Example]) -> CategoryTable:
    """Every pair of meanings in the rows' charts behaves as its categories say."""
    domain = oracle.domain
    categories = CategoryTable(domain)
    for row in rows:
        table = MeaningTable(domain.language.algebra)
        chart = oracle.search(oracle.reader.read(row.tokens), table)
        meanings = [
            item.value
            for length in range(1, len(row.tokens) + 1)
            for begin, end in chart.spans(length)
            for item in chart.cell(begin, end)
        ]
        for arguments in [(a,) for a in meanings] + [(a, b) for a in meanings for b in meanings]:
            legal = {
                operation.name: (
                    domain.syntax.rule_symbols(operation.name, arguments),
                    categories.number(result),
                )
                for operation in domain.language.algebra.operations
                if (result := table.apply(operation, arguments)) is not None
            }
            numbers = tuple(map(categories.number, arguments))
            found = categories.combinations(numbers)
            assert legal == {name: (symbols, result) for name, symbols, result in found}
            for number, argument in zip(numbers, arguments, strict=True):
                complete = domain.language.algebra.is_complete(argument)
                assert categories.is_complete(number) == complete
                shown = domain.syntax.argument_symbol(argument)
                assert categories.argument_symbol(number) == shown
    return categories
