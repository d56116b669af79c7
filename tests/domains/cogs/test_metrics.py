"""The lenient metric of COGS: what it ignores, and what it keeps."""

from lear.algebra.algebra import MeaningTable
from lear.domains.cogs.domain import COGS, without_positions
from lear.domains.cogs.forms import PREPOSITIONS


def skeleton(form: str, sentence: str) -> object:
    meaning = COGS.language.read(form, sentence.split(), MeaningTable(COGS.language.algebra))
    return without_positions(meaning)


def test_the_domain_compares_leniently() -> None:
    assert COGS.metrics.lenient is without_positions


def test_lenient_ignores_definiteness_and_positions_and_nothing_else() -> None:
    base = skeleton(
        "* cake ( x _ 3 ) ; eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 )",
        "Emma ate the cake .",
    )
    assert base == skeleton(
        "eat . agent ( x _ 2 , Emma ) AND eat . theme ( x _ 2 , x _ 5 ) AND cake ( x _ 5 )",
        "- Emma ate - a cake .",
    )
    swapped_role = (
        "* cake ( x _ 3 ) ; eat . agent ( x _ 1 , Emma ) AND eat . recipient ( x _ 1 , x _ 3 )"
    )
    other_verb = "* cake ( x _ 3 ) ; see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 )"
    for wrong in (swapped_role, other_verb):
        assert skeleton(wrong, "Emma ate the cake .") != base


def test_lenient_keeps_what_modifies_what() -> None:
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )"
    box = "cake . nmod . in ( x _ 3 , x _ 6 ) AND box ( x _ 6 ) AND table ( x _ 9 )"
    sentence = "Emma ate a cake in a box on a table ."
    inner = skeleton(f"{roles} AND {box} AND box . nmod . on ( x _ 6 , x _ 9 )", sentence)
    outer = skeleton(f"{roles} AND {box} AND cake . nmod . on ( x _ 3 , x _ 9 )", sentence)
    assert inner != outer


def test_lenient_keeps_prepositions_and_kinds_of_complement() -> None:
    roles = "eat . agent ( x _ 1 , Emma ) AND eat . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )"
    places = [
        skeleton(
            f"{roles} AND cake . nmod . {preposition} ( x _ 3 , x _ 6 ) AND box ( x _ 6 )",
            "Emma ate a cake - a box .",
        )
        for preposition in PREPOSITIONS
    ]
    assert len(set(places)) == 3
    said = (
        "say . agent ( x _ 1 , Emma ) AND say . {0} ( x _ 1 , x _ 3 ) "
        "AND eat . agent ( x _ 3 , Emma )"
    )
    complements = [
        skeleton(said.format(kind), "Emma said Emma ate .") for kind in ("ccomp", "xcomp")
    ]
    assert len(set(complements)) == 2
