"""Scores count every row once: overall, by group, by kind and by length."""

import pytest

from lear.domains.cogs.domain import COGS
from lear.domains.toy import TOY
from lear.evaluation.scores import RIGHT, WRONG, Score, Scores, Verdict

CLOSE = Verdict(text=False, exact=False, lenient=True)


def test_every_row_is_counted_once_in_each_sort() -> None:
    scores = Scores()
    rows = [
        ("cp_recursion", 5, RIGHT),
        ("cp_recursion", 6, WRONG),
        ("prim_to_inf_arg", 10, CLOSE),
        ("prim_to_inf_arg", 11, RIGHT._replace(denotation=True)),
        ("prim_to_inf_arg", 11, WRONG._replace(denotation=False)),
    ]
    for group, length, verdict in rows:
        scores.add(group, length, verdict)
    overall = scores.overall
    assert overall == Score(n=5, text=2, exact=2, lenient=3, run=2, denotation=1)
    assert overall.exact_match == 0.4
    assert overall.lenient_match == pytest.approx(0.6)
    assert overall.denotation_match == 0.5
    assert {name: s.n for name, s in scores.by_length().items()} == {
        "1-5": 1,
        "6-10": 2,
        "11-15": 2,
    }
    assert {name: s.n for name, s in scores.by_kind(COGS).items()} == {
        "structural": 2,
        "lexical": 3,
    }
    assert scores.by_kind(TOY) == {}


def test_no_rows_score_nothing() -> None:
    empty = Scores().overall
    assert (empty.exact_match, empty.text_match, empty.lenient_match) == (0, 0, 0)
    assert empty.denotation_match is None
    assert Scores().sentences_per_second == 0
