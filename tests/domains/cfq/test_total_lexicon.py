"""The units of the total algebra of CFQ: those of the strict one, and lists of names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cfq.domain import CLASSLESS_CFQ, TOTAL_CFQ
from lear.domains.cfq.queries import is_entity
from lear.domains.cfq.total import Names
from lear.forest.oracle import Oracle
from lear.grammar.reading import SentenceReader
from lear.lexicon.lexicon import UNKNOWN, Lexicon

WORDS = ("and", ",", ",and", "by")
READER = SentenceReader(TOTAL_CFQ, Lexicon("cfq", {}, dict.fromkeys(WORDS, 1)))


def units(sentence: str) -> list[str]:
    return [" ".join(unit) for unit in READER.segment(tuple(sentence.split()))]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("M0 , M1 ,and M2 by M3", ["M0 , M1 ,and M2", "by", "M3"]),
        ("M0 and by M1", ["M0", "and", "by", "M1"]),
        ("and M0 and", ["and", "M0", "and"]),
        ("M0 and and M1", ["M0", "and", "and", "M1"]),
        ("M0 M1 and M2", ["M0", "M1 and M2"]),
        ("by and by", ["by", "and", "by"]),
    ],
)
def test_a_list_of_names_is_one_unit(sentence: str, expected: list[str]) -> None:
    assert units(sentence) == expected


@given(st.lists(st.sampled_from(["M0", "M1", *WORDS]), max_size=9).map(tuple))
def test_units_are_the_sentence_again_and_no_two_of_them_make_a_list(
    tokens: tuple[str, ...],
) -> None:
    found = list(READER.segment(tokens))
    assert sum(found, ()) == tokens
    for left, word, right in zip(found, found[1:], found[2:], strict=False):
        is_list = is_entity(left[-1]) and word[0] in WORDS[:3] and is_entity(right[0])
        assert not is_list, found


def test_a_list_means_its_names_and_is_read_as_a_name_is() -> None:
    reading = READER.read(("M0", ",", "M1", ",and", "M2", "by", "M3"))
    (first, of_first), (second, of_second) = reading.primitives.items()
    assert (first[:2], second[:2]) == ((0, 5), (6, 7))
    assert first.category == second.category
    assert of_first == (Primitive("Name", "M0 M1 M2"),)
    assert of_second == (Primitive("Name", "M3"),)
    table = MeaningTable(TOTAL_CFQ.language.algebra)
    assert TOTAL_CFQ.words.ground(of_first[0], 0, table) is table.intern(Names(("M0", "M1", "M2")))


def test_networks_see_one_word_for_all_list_words() -> None:
    reading = READER.read(("M0", ",", "M1", ",and", "M2", "by"))
    assert reading.view == (UNKNOWN, "and", UNKNOWN, "and", UNKNOWN, "by")
    assert reading.tokens == ("M0", ",", "M1", ",and", "M2", "by")


@pytest.mark.data
def test_lists_leave_no_list_word_between_names(
    cfq_oracle: Oracle, cfq_train: list[Example]
) -> None:
    reader = SentenceReader(TOTAL_CFQ, cfq_oracle.lexicon)
    lists = [
        unit
        for row in cfq_train[:1000]
        for unit in reader.segment(row.tokens)
        if len(unit) > 1 and unit not in cfq_oracle.lexicon.units
    ]
    assert len(lists) > 100
    assert all(is_entity(unit[0]) and is_entity(unit[-1]) for unit in lists)


def test_leaves_show_their_word_class_or_only_their_type() -> None:
    table = MeaningTable(TOTAL_CFQ.language.algebra)
    primitives = (
        Primitive("Name", "M0"),
        Primitive("Attribute", "a film.editor", "noun"),
        Primitive("Predicate", "film.editor.film", "verb"),
        Primitive("Predicate", "film.writer.film", "noun"),
    )
    leaves = [TOTAL_CFQ.words.ground(primitive, 0, table) for primitive in primitives]
    classes = [TOTAL_CFQ.syntax.argument_symbol(leaf) for leaf in leaves]
    types = [CLASSLESS_CFQ.syntax.argument_symbol(leaf) for leaf in leaves]
    assert classes == ["Names", "Attribute:noun", "Relation:verb", "Relation:noun"]
    assert types == ["Names", "Attribute", "Relation", "Relation"]
