"""Lexicons: units of sentences, function words, and files."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Primitive
from lear.errors import DataError
from lear.lexicon.lexicon import UNKNOWN, Entry, Lexicon
from tests.support.lexicons import BEST_FRIEND, FRIEND, FRIENDS


def test_candidates_come_by_count() -> None:
    assert FRIENDS.units["friend",] == (Entry(BEST_FRIEND, 5), Entry(FRIEND, 2))


def test_the_longest_unit_wins_at_each_place() -> None:
    assert list(FRIENDS.segment(("the", "best", "friend"))) == [("the",), ("best", "friend")]
    assert list(FRIENDS.segment(("friend", "best"))) == [("friend",), ("best",)]


def test_words_never_seen_are_function_words_only_where_the_lexicon_allows_for_them() -> None:
    assert FRIENDS.function_word("the") == "the"
    assert FRIENDS.function_word("zebra") is None
    open_minded = Lexicon("toy", FRIENDS.units, {"the": 7, UNKNOWN: 1})
    assert open_minded.function_word("the") == "the"
    assert open_minded.function_word("zebra") == UNKNOWN
    assert open_minded.function_word("friend") is None


ROOM = Lexicon.from_counts(
    "toy",
    {(("the", UNKNOWN), FRIEND): 1, (("the", "best", UNKNOWN), FRIEND): 1, (("sees",), FRIEND): 1},
    {"the": 1, "best": 1},
)


def test_a_unit_with_room_for_a_word_never_seen_keeps_the_word() -> None:
    assert ROOM.has_open_units
    assert not FRIENDS.has_open_units
    assert list(ROOM.segment(("the", "zebra", "sees", "the", "best", "lion"))) == [
        ("the", "zebra"),
        ("sees",),
        ("the", "best", "lion"),
    ]
    # The room is for words never seen alone, and words never seen have room there alone.
    assert list(ROOM.segment(("the", "sees", "zebra"))) == [("the",), ("sees",), ("zebra",)]
    assert ROOM.masked(("the", "zebra", "sees")) == ("the", UNKNOWN, "sees")


@given(st.lists(st.sampled_from(["the", "best", "sees", "zebra", "lion", "x"])).map(tuple))
def test_units_are_the_sentence_again_with_room_and_without(tokens: tuple[str, ...]) -> None:
    for lexicon in (ROOM, FRIENDS):
        assert sum(lexicon.segment(tokens), ()) == tokens


words = st.text("abc'", min_size=1, max_size=3)
primitives = st.builds(Primitive, words, words, st.sampled_from(["", "agent theme"]))


@given(
    st.dictionaries(
        st.tuples(st.lists(words, min_size=1, max_size=3).map(tuple), primitives),
        st.integers(1, 9),
    ),
    st.dictionaries(words, st.integers(1, 9)),
)
def test_a_lexicon_reads_back_as_it_was_written(
    counts: dict[tuple[tuple[str, ...], Primitive], int], function_words: dict[str, int]
) -> None:
    lexicon = Lexicon.from_counts("toy", counts, function_words)
    assert Lexicon.from_json(lexicon.to_json(), "test") == lexicon
    relatives = {"".join(unit): unit[0] for unit in lexicon.units if len(unit) == 1}
    related = replace(lexicon, relatives=relatives)
    assert Lexicon.from_json(related.to_json(), "test") == related


def test_a_word_can_be_related_to_words_of_the_lexicon_only() -> None:
    related = replace(FRIENDS, relatives={"buddi": "zebra"})
    with pytest.raises(DataError, match="'zebra' has relatives but no entry"):
        Lexicon.from_json(related.to_json(), "some.json")


@pytest.mark.parametrize("text", ["", "{}", '{"domain": 1}', "[" * 100_000])
def test_what_is_not_a_lexicon_is_refused_by_name(text: str) -> None:
    with pytest.raises(DataError, match=r"^some\.json: not a lexicon"):
        Lexicon.from_json(text.encode(), "some.json")
