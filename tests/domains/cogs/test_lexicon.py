"""The induced lexicon of COGS: one meaning a word, and the frames of verbs."""

import pytest

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cogs.domain import COGS
from lear.forest.oracle import Oracle


@pytest.mark.data
def test_the_lexicon_has_one_meaning_for_each_word(cogs_oracle: Oracle) -> None:
    lexicon = cogs_oracle.lexicon
    assert all(len(entries) == 1 for entries in lexicon.units.values())
    kinds = [entries[0].primitive.type for entries in lexicon.units.values()]
    assert [kinds.count(kind) for kind in ("Noun", "Verb", "Name")] == [406, 222, 103]
    assert set(lexicon.function_words) == {
        *("A", "The", "a", "the", "in", "on", "beside", "was", "by", "to", "that", ".")
    }


@pytest.mark.data
def test_the_unaccusative_verbs_are_those_of_lone_themes(cogs_oracle: Oracle) -> None:
    lemmas = {
        entry.primitive.symbol
        for entries in cogs_oracle.lexicon.units.values()
        for entry in entries
        if entry.primitive.feature == "theme"
    }
    assert len(lemmas) == 21
    assert {"freeze", "break", "shatter", "roll"} <= lemmas
    assert not {"eat", "squeeze", "bless", "walk"} & lemmas


@pytest.mark.data
@pytest.mark.slow
def test_lone_verbs_print_by_the_frame_that_sentences_show(cogs_train: list[Example]) -> None:
    lone = [row for row in cogs_train if row.group == "primitive"]
    assert len(lone) == 143
    # The frame must not come from the lone rows themselves.
    lexicon = COGS.words.induce([row for row in cogs_train if row.group != "primitive"], ())
    verbs = {
        entry.primitive.symbol: entry.primitive
        for entries in lexicon.units.values()
        for entry in entries
        if entry.primitive.type == "Verb"
    }
    shared = [row for row in lone if row.sentence in verbs]
    assert len(shared) > 50
    for row in shared:
        verb = COGS.words.ground(verbs[row.sentence], 0, MeaningTable(COGS.language.algebra))
        assert COGS.language.render(verb) == row.form


def test_unknown_words_are_names_or_their_own_nouns() -> None:
    assert [str(p) for p in (*COGS.words.unknown("Zoe"), *COGS.words.unknown("monastery"))] == [
        "Name Zoe",
        "Noun monastery",
    ]


@pytest.mark.parametrize("word", ["zorb", "ice-cream", "na\u00efve", "Zo\u00eb", "O'Brien", "Will"])
def test_a_word_of_letters_may_be_new(word: str) -> None:
    (primitive,) = COGS.words.unknown(word)
    assert primitive == Primitive("Name" if word[0].isupper() else "Noun", word)


@pytest.mark.parametrize(
    "word",
    ["@", "?", "'s", "42", "x1", "a_b", "-", "\u6f22\u5b57", "\U0001f370", "\u0434\u043e\u043c"],
)
def test_what_is_spelt_otherwise_is_no_new_word(word: str) -> None:
    assert COGS.words.unknown(word) == ()


@pytest.mark.parametrize("word", ["did", "Did", "What", "she", "or", "under", "will"])
def test_there_are_no_new_words_of_a_closed_class(word: str) -> None:
    assert COGS.words.unknown(word) == ()
