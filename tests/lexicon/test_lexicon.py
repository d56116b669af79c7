"""Lexicons: units of sentences, function words, files, and how they are induced."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domains.toy import ACTIONS, ATTITUDES, KINDS, NAMES, RELATIONS
from lear.errors import DataError
from lear.forest.oracle import Oracle
from lear.lexicon.alignment import ENOUGH, alignment_inducer
from lear.lexicon.covers import CoverRow, cover_inducer, induce_by_cover
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


SYMBOLS = {
    "Tom": "tom", "Mary": "mary", "Omar": "omar",
    "sees": "see", "helps": "help", "looks after": "look_after",
    "friend": "friend", "best friend": "best_friend", "son": "son", "bank": "bank",
}  # fmt: skip


def row(subject: str, verb: str, noun: str) -> CoverRow:
    primitives = frozenset(Primitive("Symbol", SYMBOLS[word]) for word in (subject, verb, noun))
    return CoverRow(tuple(f"{subject} {verb} the {noun}".split()), primitives)


ROWS = [
    row(subject, verb, noun)
    for subject in ("Tom", "Mary", "Omar")
    for verb in ("sees", "helps", "looks after")
    for noun in ("friend", "best friend", "son")
]


def test_induction_finds_units_function_words_and_counts() -> None:
    lexicon = induce_by_cover("toy", ROWS, max_candidates=2)
    assert {
        " ".join(unit): [(entry.primitive.symbol, entry.count) for entry in entries]
        for unit, entries in lexicon.units.items()
    } == {words: [(symbol, 9)] for words, symbol in SYMBOLS.items() if words != "bank"}
    assert lexicon.function_words == {"the": 27}


def test_a_word_with_two_meanings_keeps_both_by_frequency() -> None:
    bank = [row("Tom", "sees", "bank"), row("Mary", "helps", "bank"), row("Omar", "sees", "bank")]
    shore = Primitive("Symbol", "shore")
    by_the_river = CoverRow(
        ("Tom", "helps", "the", "bank"),
        frozenset({Primitive("Symbol", "tom"), Primitive("Symbol", "help"), shore}),
    )
    lexicon = induce_by_cover("toy", [*ROWS, *bank, by_the_river], max_candidates=2)
    assert lexicon.units["bank",] == (Entry(Primitive("Symbol", "bank"), 3), Entry(shore, 1))


def test_the_toy_lexicon_is_the_vocabulary_of_its_generator(toy_oracle: Oracle) -> None:
    spoken = {**NAMES, **KINDS, **RELATIONS, **ATTITUDES}
    for active, (passive, symbol) in ACTIONS.items():
        spoken |= {active: symbol, passive: symbol}
    induced = {
        " ".join(unit): [entry.primitive.symbol for entry in entries]
        for unit, entries in toy_oracle.lexicon.units.items()
    }
    assert induced == {words: [symbol] for words, symbol in spoken.items()}
    assert set(toy_oracle.lexicon.function_words) == {"the", "'s", "of", "is", "by", "that"}


STEPS = {"walk": "WALK", "look": "LOOK", "jump": "JUMP"}
TURNS = {"left": "LEFT", "right": "RIGHT"}


def sentences() -> list[tuple[str, str]]:
    """`around` never stands before `right`, as in a split of SCAN."""
    rows = list(STEPS.items())
    for (word, step), (side, turn) in product(STEPS.items(), TURNS.items()):
        rows.append((f"{word} {side}", f"{turn} {step}"))
        rows.append((f"{word} {side} twice", f"{turn} {step} {turn} {step}"))
        if side == "left":
            rows.append((f"{word} around left", f"{turn} {step} " * 4))
    return rows


def example(words: str, form: str) -> Example:
    return Example(tuple(words.split()), form, "", "")


def primitives_of(row: Example) -> list[Primitive]:
    return [Primitive("Step", symbol) for symbol in row.form.split()]


def test_a_word_that_always_stands_beside_another_takes_nothing_from_it() -> None:
    rows = [example(*pair) for pair in sentences()]
    lexicon = alignment_inducer("steps", primitives_of, once=True)(rows, ())
    symbols = {unit: [e.primitive.symbol for e in group] for unit, group in lexicon.units.items()}
    assert symbols == {(word,): [symbol] for word, symbol in (STEPS | TURNS).items()}
    assert set(lexicon.function_words) == {"around", "twice"}
    covered = cover_inducer("steps", primitives_of)(rows, ())
    assert ("around", "left") in covered.units  # why alignment is the default


def test_primitives_may_repeat_where_words_do() -> None:
    numbers = {"one": "1", "two": "2"}
    pairs = [
        (f"{a} plus {b}", f"{numbers[a]} {numbers[b]}") for a, b in product(numbers, numbers)
    ] * 2
    lexicon = alignment_inducer("sums", primitives_of)([example(*pair) for pair in pairs], ())
    assert {unit[0]: group[0].primitive.symbol for unit, group in lexicon.units.items()} == numbers
    assert set(lexicon.function_words) == {"plus"}


def test_many_rows_that_show_the_same_are_not_all_aligned() -> None:
    rare = [example("fly", "FLY")]
    rows = [example(*pair) for pair in sentences()] * ENOUGH + rare
    lexicon = alignment_inducer("steps", primitives_of, once=True)(rows, ())
    assert lexicon.units[("fly",)][0].primitive.symbol == "FLY"
    assert max(entry.count for group in lexicon.units.values() for entry in group) < 6 * ENOUGH


def test_no_rows_give_no_lexicon() -> None:
    lexicon = alignment_inducer("steps", primitives_of)([], ())
    assert not lexicon.units
    assert not lexicon.function_words
