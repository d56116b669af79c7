"""What the words of a sentence may stand for: units, unknown words, function words."""

from dataclasses import replace

from lear.algebra.algebra import Primitive
from lear.domain import Domain
from lear.domains.toy import TOY
from lear.forest.oracle import Oracle
from lear.grammar.reading import NO_CATEGORY, Reading, SentenceReader
from lear.lexicon.lexicon import NOTHING, OVERLOOKED, UNKNOWN, Entry, Lexicon
from tests.support.lexicons import BEST_FRIEND, FRIEND, FRIENDS

ZOE = Primitive("Person", "zoe")
KEEPING = replace(TOY, words=replace(TOY.words, keeps_forms=True))
"""A domain where forms of content words are content words."""


def leaves_of(reading: Reading) -> list[tuple[int, int, Primitive]]:
    """Every leaf with every primitive behind it."""
    return [
        (leaf.begin, leaf.end, primitive)
        for leaf, primitives in reading.primitives.items()
        for primitive in primitives
    ]


def test_the_longest_unit_wins_at_each_place() -> None:
    reader = SentenceReader(TOY, FRIENDS)
    assert leaves_of(reader.read(("the", "best", "friend"))) == [(1, 3, BEST_FRIEND)]
    assert leaves_of(reader.read(("the", "friend"))) == [(1, 2, BEST_FRIEND), (1, 2, FRIEND)]


def test_words_inside_a_unit_are_no_function_words() -> None:
    lexicon = Lexicon("toy", {("state", "of", "mind"): (Entry(FRIEND, 1),)}, {"of": 3})
    reading = SentenceReader(TOY, lexicon).read(("of", "state", "of", "mind"))
    assert reading.skeleton.is_function_word == [True, False, False, False]


def naming(domain: Domain) -> Domain:
    """The domain with any word never seen as a person."""
    return replace(domain, words=replace(domain.words, unknown=lambda _: (ZOE,)))


def test_only_words_never_seen_are_unknown() -> None:
    reading = SentenceReader(naming(TOY), FRIENDS).read(("the", "best", "zebra"))
    assert leaves_of(reading) == [(2, 3, ZOE)]
    assert reading.view == ("the", "best", UNKNOWN)


def test_words_that_are_nothing_at_all_are_named() -> None:
    tokens = ("the", "best", "zebra", "friend")
    assert SentenceReader(TOY, FRIENDS).read(tokens).meaningless_words == ["best", "zebra"]
    assert SentenceReader(naming(TOY), FRIENDS).read(tokens).meaningless_words == ["best"]


def test_a_word_never_seen_is_read_as_one_with_its_stem_where_there_may_be_any() -> None:
    open_minded = Lexicon("toy", FRIENDS.units, {"the": 7, UNKNOWN: 1})
    reader = SentenceReader(TOY, open_minded)
    reading = reader.read(("the", "friends", "zebra"))
    assert leaves_of(reading) == [(1, 2, BEST_FRIEND), (1, 2, FRIEND)]
    assert reading.view == ("the", "friend", UNKNOWN)
    assert reading.skeleton.words == ("the", UNKNOWN, UNKNOWN)
    assert reader.unknown_words(("the", "friends", "zebra")) == ("zebra",)
    assert leaves_of(SentenceReader(TOY, FRIENDS).read(("the", "friends"))) == []


def test_a_form_of_a_word_is_a_function_word_only_if_some_form_is_one() -> None:
    for function_words in ({}, {"friend": 1}, {"friction": 1}):
        lexicon = Lexicon("toy", FRIENDS.units, {"the": 7, UNKNOWN: 1, **function_words})
        (word,) = SentenceReader(KEEPING, lexicon).read(("friends",)).skeleton.words
        assert word == (UNKNOWN if "friend" in function_words else None)
        assert SentenceReader(TOY, lexicon).read(("friends",)).skeleton.words == (UNKNOWN,)


def test_a_word_that_two_sources_know_has_each_meaning_once() -> None:
    knowing = replace(TOY, words=replace(TOY.words, unknown=lambda _: (FRIEND, ZOE)))
    lexicon = Lexicon("toy", FRIENDS.units, {"the": 7, UNKNOWN: 1})
    primitives = [p for _, _, p in leaves_of(SentenceReader(knowing, lexicon).read(("friends",)))]
    assert len(primitives) == len(set(primitives))
    assert {FRIEND, ZOE} <= set(primitives)


def test_a_word_never_seen_is_read_as_the_one_that_the_lexicon_relates_it_to() -> None:
    words = {"the": 7, UNKNOWN: 1}
    reader = SentenceReader(KEEPING, Lexicon("toy", FRIENDS.units, words, {"buddi": "friend"}))
    reading = reader.read(("the", "buddies", "zebra"))
    assert leaves_of(reading) == [(1, 2, BEST_FRIEND), (1, 2, FRIEND)]
    assert reading.view == ("the", "friend", UNKNOWN)
    assert reading.skeleton.words == ("the", OVERLOOKED, UNKNOWN)  # to drop it is to overlook it


def test_every_word_but_names_may_be_overlooked() -> None:
    def alike(primitive: Primitive) -> Primitive:
        return Primitive("Person", "somebody") if primitive.type == "Person" else primitive

    domain = replace(TOY, words=replace(TOY.words, alike=alike))
    units = {**FRIENDS.units, ("Tom",): (Entry(Primitive("Person", "tom"), 1),)}
    reading = SentenceReader(domain, replace(FRIENDS, units=units)).read(
        ("Tom", "the", "best", "friend", "zebra")
    )
    assert reading.skeleton.words == (None, "the", None, None, None)
    assert reading.overlooking.words == (None, "the", *(OVERLOOKED,) * 3)
    assert reading.overlooking.leaves == reading.skeleton.leaves
    assert reading.view[0] == "<Person somebody>"


def test_choices_are_spans_with_several_primitives_and_hidden_where_categories_agree(
    ambiguous_oracle: Oracle,
) -> None:
    reading = ambiguous_oracle.reader.read(("Tom", "sees", "Mary", "looks", "after", "Tom"))
    assert set(reading.choices) == {(1, 2), (2, 3), (3, 5)}
    # "sees" is one of two actions; "Mary" is a person or a kind, which a grammar can see.
    assert set(reading.hidden_choices) == {(1, 2), (3, 5)}
    assert set(reading.units) == {(0, 1), (1, 2), (2, 3), (3, 5), (5, 6)}
    for span, candidates in reading.units.items():
        for candidate in candidates:
            assert candidate.leaf[:2] == span
            assert reading.primitive(candidate) in reading.primitives[candidate.leaf]


def test_reading_twice_is_reading_once(ambiguous_oracle: Oracle) -> None:
    """What the reader remembers of a unit is what it would find out anew."""
    tokens = ("Tom", "sees", "the", "zebra", "looks", "after", "Mary")
    first = ambiguous_oracle.reader.read(tokens)
    again = ambiguous_oracle.reader.read(tokens)
    fresh = SentenceReader(TOY, ambiguous_oracle.lexicon, ambiguous_oracle.reader.categories)
    assert first == again == fresh.read(tokens)


def test_nothing_is_a_candidate_only_where_a_unit_may_also_be_a_function_word() -> None:
    lexicon = Lexicon("toy", FRIENDS.units, {"the": 7, "friend": 1})
    tokens = ("the", "friend", "best", "friend")
    reading = SentenceReader(TOY, lexicon, may_be_nothing=True).read(tokens)
    assert leaves_of(reading) == [
        (1, 2, BEST_FRIEND),
        (1, 2, FRIEND),
        (1, 2, NOTHING),
        (2, 4, BEST_FRIEND),
    ]
    assert leaves_of(SentenceReader(TOY, lexicon).read(tokens)) == [
        (1, 2, BEST_FRIEND),
        (1, 2, FRIEND),
        (2, 4, BEST_FRIEND),
    ]


def test_nothing_is_a_choice_of_the_unit_but_no_leaf_of_the_skeleton() -> None:
    lexicon = Lexicon("toy", {("friend",): (Entry(FRIEND, 1),)}, {"friend": 1})
    with_nothing, without = (
        SentenceReader(TOY, lexicon, may_be_nothing=may_be_nothing).read(("friend",))
        for may_be_nothing in (True, False)
    )
    assert with_nothing.skeleton == without.skeleton
    assert {leaf.category for leaf in with_nothing.skeleton.leaves} == {0}
    assert {leaf.category for leaf in with_nothing.primitives} == {0, NO_CATEGORY}
    assert [with_nothing.primitive(c) for c in with_nothing.choices[0, 1]] == [FRIEND, NOTHING]
    assert not without.choices


def test_a_word_that_the_lexicon_lists_with_nothing_is_a_function_word_where_nobody_chooses() -> (
    None
):
    entries = (Entry(NOTHING, 2), Entry(FRIEND, 1))
    lexicon = Lexicon("toy", {("friend",): entries, ("the",): (Entry(NOTHING, 1),)}, {})
    chosen = SentenceReader(TOY, lexicon, may_be_nothing=True).read(("the", "friend"))
    assert leaves_of(chosen) == [(0, 1, NOTHING), (1, 2, NOTHING), (1, 2, FRIEND)]
    assert [leaf[:2] for leaf in chosen.skeleton.leaves] == [(1, 2)]
    reading = SentenceReader(TOY, lexicon).read(("the", "friend"))
    assert leaves_of(reading) == [(1, 2, FRIEND)]
    assert reading.skeleton.words == ("the", "friend")


def test_a_unit_with_room_stands_for_the_word_never_seen() -> None:
    room = Primitive("Person", UNKNOWN, "somebody")
    units = {**FRIENDS.units, ("the", UNKNOWN): (Entry(room, 1),)}
    reader = SentenceReader(TOY, replace(FRIENDS, units=units))
    for word in ("zebra", "lion", "zebra"):
        reading = reader.read(("the", word, "friend"))
        (first, *_) = leaves_of(reading)
        assert first == (0, 2, Primitive("Person", word, "somebody"))
        assert reading.view == ("the", UNKNOWN, "friend")
        assert reading.tokens == ("the", word, "friend")
        assert reading.skeleton.words == (None, None, None)
    assert leaves_of(reader.read(("the", "friend"))) == [(1, 2, BEST_FRIEND), (1, 2, FRIEND)]
