"""The answers of a parser to rows, as calibration looks at them."""

from collections.abc import Iterable, Iterator
from functools import cache

from lear.domain.example import Example
from lear.evaluation.calibration import Outcome
from lear.evaluation.verdict import judge
from lear.parser import Parser


def answer_outcomes(parser: Parser, rows: Iterable[Example]) -> Iterator[Outcome]:
    """One for each row that is answered."""
    for row in rows:
        belief = parser.belief(row.tokens)
        if belief is not None:
            parse = belief.parse
            is_right = judge(parser.domain, row, parse.form, parse.meaning).exact
            yield Outcome(is_right, cache(belief.probability_at), belief.traits)
