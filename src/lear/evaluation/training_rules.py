"""The rules of training derivations, of a model that was saved without them."""

from collections.abc import Iterable

from lear.domain.example import Example
from lear.evaluation.verdict import judge
from lear.grammar.rules import Rule
from lear.parser import Parser


def training_rules(parser: Parser, rows: Iterable[Example]) -> tuple[Rule, ...]:
    """The rules of the best derivations of rows that a parser gets right, sorted."""
    rules: set[Rule] = set()
    for row in rows:
        parse, of_answer = parser.parse_with_rules(row.tokens)
        if judge(parser.domain, row, parse.form, parse.meaning).exact:
            rules.update(of_answer)
    return tuple(sorted(rules))
