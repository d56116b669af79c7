"""The lexicon of the total algebra of COGS: a determiner and its noun are one unit."""

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cogs.domain import COGS, TOTAL_COGS
from lear.domains.cogs.total import Noun, Phrase
from lear.grammar.reading import CategoryLeaf, SentenceReader
from lear.lexicon.lexicon import UNKNOWN
from tests.support.bracketings import forms_of
from tests.support.small_domains import make_row

ROWS = (
    make_row("The dog slept .", "* dog ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )"),
    make_row(
        "Emma saw a cake .",
        "see . agent ( x _ 1 , Emma ) AND see . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 )",
    ),
    make_row("cake", "LAMBDA a . cake ( a )"),
)
LEXICON = TOTAL_COGS.words.induce(ROWS, ())


def phrases(sentence: str) -> dict[tuple[int, int], Noun]:
    """The nouns of a sentence by their spans."""
    reading = SentenceReader(TOTAL_COGS, LEXICON).read(tuple(sentence.split()))
    table = MeaningTable(TOTAL_COGS.language.algebra)
    found = {}
    for (begin, end, _), (primitive,) in reading.primitives.items():
        meaning = TOTAL_COGS.words.ground(primitive, begin, table)
        if isinstance(meaning, Phrase):
            (found[begin, end],) = meaning.chain
    return found


def test_a_determiner_and_its_noun_are_one_unit_at_the_place_of_the_noun() -> None:
    assert phrases("The dog saw a cake .") == {
        (0, 2): Noun(1, "dog", "definite"),
        (3, 5): Noun(4, "cake", "indefinite"),
    }


def test_any_determiner_goes_with_any_noun_and_a_noun_may_have_none() -> None:
    assert phrases("a dog") == {(0, 2): Noun(1, "dog", "indefinite")}
    assert phrases("The cake") == {(0, 2): Noun(1, "cake", "definite")}
    assert phrases("cake dog Emma") == {
        (0, 1): Noun(0, "cake", "none"),
        (1, 2): Noun(1, "dog", "none"),
        (2, 3): Noun(2, "Emma", "name"),
    }


def test_a_noun_never_seen_is_a_unit_with_its_determiner() -> None:
    assert phrases("a gumball saw The hippo .") == {
        (0, 2): Noun(1, "gumball", "indefinite"),
        (3, 5): Noun(4, "hippo", "definite"),
    }
    assert phrases("gumball Zoe") == {
        (0, 1): Noun(0, "gumball", "none"),
        (1, 2): Noun(1, "Zoe", "name"),
    }
    reader = SentenceReader(TOTAL_COGS, LEXICON)
    assert reader.read(("The", "hippo", "slept")).view == ("The", UNKNOWN, "slept")
    found = forms_of(reader, ("The", "hippo", "slept", "."))
    assert "* hippo ( x _ 1 ) ; sleep . agent ( x _ 2 , x _ 1 )" in found


def test_all_nouns_with_a_determiner_have_one_category() -> None:
    reader = SentenceReader(TOTAL_COGS, LEXICON)
    skeletons = {
        reader.read(tuple(text.split())).skeleton.leaves
        for text in ("The dog slept", "a cake slept", "The hippo slept", "a dog slept")
    }
    (leaves,) = skeletons
    assert [leaf[:2] for leaf in leaves] == [(0, 2), (2, 3)]
    assert isinstance(leaves[0], CategoryLeaf)


def test_the_rest_is_the_strict_lexicon() -> None:
    strict = COGS.words.induce(ROWS, ())
    alone = {unit: entries for unit, entries in LEXICON.units.items() if len(unit) == 1}
    assert alone == strict.units
    assert LEXICON.function_words == strict.function_words


@pytest.mark.data
@pytest.mark.slow
def test_determiners_are_read_off_training_rows(cogs_train: list[Example]) -> None:
    lexicon = TOTAL_COGS.words.induce(cogs_train[:4000], ())
    open_units = {unit: entries for unit, entries in lexicon.units.items() if UNKNOWN in unit}
    assert {unit: entries[0].primitive for unit, entries in open_units.items()} == {
        (word, UNKNOWN): Primitive("Noun", UNKNOWN, feature)
        for word, feature in {
            "a": "indefinite", "A": "indefinite", "the": "definite", "The": "definite",
        }.items()
    }  # fmt: skip
