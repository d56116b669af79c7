"""The model that ships, on sentences of our own: a phrase means the same wherever it stands."""

import pytest

from lear.evaluation.scores import evaluate
from tests.support.shipped import shipped
from tests.support.slog_kinds import KINDS, sentences


@pytest.mark.parametrize("kind", KINDS)
def test_sentences_of_each_kind_are_understood(kind: str) -> None:
    score = evaluate(shipped("slog"), sentences(kind, 5)).overall
    assert (score.exact, score.n) == (5, 5)


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        (
            "Emma gave the boy that slept a cake .",
            "* boy ( x _ 3 ) ; give . agent ( x _ 1 , Emma ) AND give . recipient ( x _ 1 , x _ 3 )"
            " AND give . theme ( x _ 1 , x _ 7 ) AND boy . nmod ( x _ 3 , x _ 5 )"
            " AND sleep . agent ( x _ 5 , x _ 3 ) AND cake ( x _ 7 )",
        ),
        (
            "Who did Emma want to give a cake to ?",
            "want . agent ( x _ 3 , Emma ) AND want . xcomp ( x _ 3 , x _ 5 )"
            " AND give . agent ( x _ 5 , Emma ) AND give . theme ( x _ 5 , x _ 7 )"
            " AND give . recipient ( x _ 5 , ? ) AND cake ( x _ 7 )",
        ),
        (
            "What did Emma see a cake on ?",
            "see . agent ( x _ 3 , Emma ) AND see . theme ( x _ 3 , x _ 5 ) AND cake ( x _ 5 )"
            " AND cake . nmod . on ( x _ 5 , ? )",
        ),
        ("the girl slept", "* girl ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )"),
    ],
)
def test_a_sentence_has_its_form(sentence: str, form: str) -> None:
    assert shipped("slog")(sentence).form == form
