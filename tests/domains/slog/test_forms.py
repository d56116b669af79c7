"""SLOG forms: string-exact on the real rows and on sentences of our own; the order tells gaps."""

from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable
from lear.domains.cogs import domain as corpus
from lear.domains.slog import SLOG
from lear.errors import FormError
from lear.evaluation.coverage import altered
from tests.support.slog_kinds import KINDS, sentences


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", ["train", "dev", "test"])
def test_every_row_is_read_and_printed_letter_for_letter(slog_folder: Path, name: str) -> None:
    rows = corpus.read_rows(slog_folder / f"slog/{name}.tsv")
    assert len(rows) in (32_722, 4_046)
    assert list(altered(SLOG, rows)) == []


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_each_kind_are_read_and_printed(kind: str) -> None:
    assert list(altered(SLOG, sentences(kind, 10))) == []


@pytest.mark.parametrize(
    ("form", "cause"),
    [
        ("cake . nmod ( x _ 1 , x _ 3 ) AND cake ( x _ 1 )", "not a verb that can be there"),
        ("cake ( x _ 1 ) AND cake . nmod ( x _ 1 , Emma )", "unexpected clause"),
        # A relative clause without a gap.
        (
            "cake ( x _ 1 ) AND cake . nmod ( x _ 1 , x _ 3 ) AND sleep . agent ( x _ 3 , Emma )",
            "not a verb that can be there",
        ),
        # A question inside of a relative clause.
        (
            "cake ( x _ 1 ) AND cake . nmod ( x _ 1 , x _ 3 ) AND eat . agent ( x _ 3 , ? ) "
            "AND eat . theme ( x _ 3 , x _ 1 )",
            "not a noun that can be there",
        ),
        (
            "cake ( x _ 1 ) AND cake . nmod . in ( x _ 1 , x _ 3 ) AND box ( x _ 3 ) "
            "AND box . nmod . in ( x _ 3 , x _ 1 )",
            "a part of itself",
        ),
    ],
)
def test_what_is_no_form_is_refused_with_its_cause(form: str, cause: str) -> None:
    tokens = ("A", "cake", "that", "slept", "Emma")
    with pytest.raises(FormError, match=cause):
        SLOG.language.read(form, tokens, MeaningTable(SLOG.language.algebra))


def test_a_gap_stands_where_its_noun_phrase_would() -> None:
    table = MeaningTable(SLOG.language.algebra)
    tokens = ("What", "did", "Emma", "give", "Liam", "?")
    agent, recipient, theme = (
        f"give . {role} ( x _ 3 , {filler} )"
        for role, filler in (("agent", "Emma"), ("recipient", "Liam"), ("theme", "?"))
    )
    behind = SLOG.language.read(" AND ".join((agent, recipient, theme)), tokens, table)
    before = SLOG.language.read(" AND ".join((agent, theme, recipient)), tokens, table)
    assert behind is not before
    assert SLOG.language.render(behind) == " AND ".join((agent, recipient, theme))
    assert SLOG.language.render(before) == " AND ".join((agent, theme, recipient))
