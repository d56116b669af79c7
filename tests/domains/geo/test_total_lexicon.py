"""The phrase table by hand as a lexicon: names of rows, nothing as a candidate, other words."""

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example, NamedThing
from lear.domains.geo.algebra import Entity, Negation, Predicate
from lear.domains.geo.domain import GEO, TOTAL_GEO
from lear.domains.geo.functions import FUNCTIONS
from lear.domains.geo.total import by_hand, read_phrase_table
from lear.grammar.reading import NO_CATEGORY, SentenceReader
from lear.lexicon.lexicon import NOTHING, UNKNOWN, Lexicon
from tests.support.small_domains import make_row

ROWS = (
    make_row("what rivers are in var0", "answer(river(loc_2(var0)))"),
    make_row("capital of texas", "answer(capital(loc_2(stateid('texas'))))"),
)
LEXICON = by_hand(ROWS, ())


def candidates(lexicon: Lexicon, phrase: str) -> list[Primitive]:
    return [entry.primitive for entry in lexicon.units[tuple(phrase.split())]]


def test_candidates_are_those_of_the_table_in_its_order() -> None:
    for phrase, values in read_phrase_table().items():
        found = candidates(LEXICON, phrase)
        assert [primitive.symbol for primitive in found] == values
        for value, primitive in zip(values, found, strict=True):
            is_function = bool(value) and all(name in FUNCTIONS for name in value.split())
            assert (primitive == NOTHING) == (value == "")
            assert (primitive.type == "Predicate") == is_function
            assert (primitive.type == "Negation") == (value == "exclude")


def test_names_are_those_of_training_rows_and_of_the_gazetteer() -> None:
    assert candidates(LEXICON, "var0") == [Primitive("Entity", "var0")]
    assert candidates(LEXICON, "texas") == [Primitive("Entity", "stateid('texas')")]
    listed = by_hand(ROWS, (NamedThing(("utah",), "stateid('utah')"),))
    assert candidates(listed, "utah") == [Primitive("Entity", "stateid('utah')")]
    assert ("utah",) not in LEXICON.units


def test_words_that_are_not_listed_are_function_words_and_others_are_not() -> None:
    assert LEXICON.function_words.keys() == {"what", "are", UNKNOWN}
    assert not any((word,) in LEXICON.units for word in LEXICON.function_words)
    reader = SentenceReader(TOTAL_GEO, LEXICON, may_be_nothing=True)
    assert reader.unit(("zebra",)).word == UNKNOWN
    assert reader.unit(("rivers",)).word is None


def test_a_word_that_is_listed_with_nothing_may_stand_for_nothing() -> None:
    reader = SentenceReader(TOTAL_GEO, LEXICON, may_be_nothing=True)
    for phrase, values in read_phrase_table().items():
        found = dict(reader.unit(tuple(phrase.split())).primitives)
        assert (NO_CATEGORY in found) == ("" in values)


def test_a_unit_of_several_functions_is_their_chain() -> None:
    table = MeaningTable(TOTAL_GEO.language.algebra)
    several = [
        Primitive("Predicate", value)
        for values in read_phrase_table().values()
        for value in values
        if " " in value
    ]
    assert several
    for primitive in several:
        found = TOTAL_GEO.words.ground(primitive, 3, table)
        assert isinstance(found, Predicate)
        assert found.functions == tuple(primitive.symbol.split())


def test_other_primitives_mean_what_they_mean_in_the_strict_algebra() -> None:
    table = MeaningTable(TOTAL_GEO.language.algebra)
    for primitive in (
        Primitive("Entity", "stateid('texas')", "tx"),
        Primitive("Negation", "exclude"),
        Primitive("Predicate", "river"),
    ):
        strict, total = (domain.words.ground(primitive, 0, table) for domain in (GEO, TOTAL_GEO))
        assert type(strict) is type(total)
        match strict, total:
            case Entity() as first, Entity() as second:
                assert (first.text, first.abbreviation) == (second.text, second.abbreviation)
            case Negation() as first, Negation() as second:
                assert first is second
            case Predicate() as first, Predicate() as second:
                assert first.functions == second.functions


def test_the_strict_domain_has_no_entries_by_hand() -> None:
    assert GEO.words.by_hand is None
    assert TOTAL_GEO.words.by_hand is by_hand


def test_the_lexicon_reads_back_as_it_was_written() -> None:
    assert Lexicon.from_json(LEXICON.to_json(), "test") == LEXICON


@pytest.mark.data
def test_every_word_of_training_rows_stands_for_something_or_is_a_function_word(
    query_train: list[Example],
) -> None:
    lexicon = by_hand(query_train, ())
    reader = SentenceReader(TOTAL_GEO, lexicon, may_be_nothing=True)
    for row in query_train:
        for unit in lexicon.segment(row.tokens):
            reading = reader.unit(unit)
            assert reading.word is not None or reading.primitives, unit
    names = {unit for unit in lexicon.units if unit[0].startswith("var")}
    assert {("var0",), ("var1",)} <= names
