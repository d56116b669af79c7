"""Lexicons from pairs of sentence and primitives, by small covers."""

from lear.algebra.algebra import Primitive
from lear.domains.toy import ACTIONS, ATTITUDES, KINDS, NAMES, RELATIONS
from lear.forest.oracle import Oracle
from lear.lexicon.covers import CoverRow, induce_by_cover
from lear.lexicon.lexicon import Entry

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
