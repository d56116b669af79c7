"""Lexicons: units in sentences, unknown words, files, and induction."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.core.lexicon import Entry, Lexicon, Mention, Primitive
from lear.domains.toy.vocabulary import ACTIONS, ATTITUDES, KINDS, NAMES, RELATIONS
from lear.errors import DataError
from lear.induction.covers import Row, induce_by_cover
from lear.search.oracle import Oracle

FRIEND, BEST_FRIEND = Primitive("Relation", "friend"), Primitive("Relation", "best_friend")
LEXICON = Lexicon.from_counts(
    "toy",
    {
        (("friend",), FRIEND): 2,
        (("friend",), BEST_FRIEND): 5,
        (("best", "friend"), BEST_FRIEND): 3,
    },
    {"the": 7},
)


def nothing(word: str) -> tuple[Primitive, ...]:
    del word
    return ()


def test_candidates_come_by_count() -> None:
    assert LEXICON.units["friend",] == (Entry(BEST_FRIEND, 5), Entry(FRIEND, 2))


def test_the_longest_unit_wins_at_each_place() -> None:
    found = list(LEXICON.mentions(("the", "best", "friend"), nothing))
    assert found == [Mention(1, 3, BEST_FRIEND)]
    found = list(LEXICON.mentions(("the", "friend"), nothing))
    assert found == [Mention(1, 2, BEST_FRIEND), Mention(1, 2, FRIEND)]


def test_words_inside_a_unit_are_no_function_words() -> None:
    lexicon = Lexicon("toy", {("state", "of", "mind"): (Entry(FRIEND, 1),)}, {"of": 3})
    assert lexicon.is_function_word(("of", "state", "of", "mind")) == [True, False, False, False]


def test_only_words_never_seen_are_unknown() -> None:
    def name(word: str) -> tuple[Primitive, ...]:
        return (Primitive("Name", word),)

    found = list(LEXICON.mentions(("the", "best", "zebra"), name))
    assert found == [Mention(2, 3, Primitive("Name", "zebra"))]


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


@pytest.mark.parametrize("text", ["", "{}", '{"domain": 1}', "[" * 100_000])
def test_what_is_not_a_lexicon_is_refused_by_name(text: str) -> None:
    with pytest.raises(DataError, match=r"^some\.json: not a lexicon"):
        Lexicon.from_json(text.encode(), "some.json")


SYMBOLS = {
    "Tom": "tom", "Mary": "mary", "Omar": "omar",
    "sees": "see", "helps": "help", "looks after": "look_after",
    "friend": "friend", "best friend": "best_friend", "son": "son", "bank": "bank",
}  # fmt: skip


def row(subject: str, verb: str, noun: str) -> Row:
    primitives = frozenset(Primitive("Symbol", SYMBOLS[word]) for word in (subject, verb, noun))
    return Row(tuple(f"{subject} {verb} the {noun}".split()), primitives)


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
    by_the_river = Row(
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
