"""The total algebra of GEO, its lexicon, and the phrase table that was written by hand."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from math import comb

import pytest

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example, NamedThing
from lear.domains.geo.algebra import Entity, Negated, Negation, Predicate, Proposition
from lear.domains.geo.domain import GEO, TOTAL_GEO
from lear.domains.geo.functions import FUNCTIONS, Chain
from lear.domains.geo.lexicon import targets_of
from lear.domains.geo.total import by_hand, is_well_typed, read_phrase_table
from lear.domains.geo.words import words_of_name
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import NO_CATEGORY, SentenceReader
from lear.lexicon.lexicon import NOTHING, UNKNOWN, Lexicon, segment
from tests.support.bracketings import folds, forms_of, gold_form, sample_by_size
from tests.support.small_domains import make_row
from tests.support.total_domains import total_domains
from tests.support.total_meanings import primitives_of, random_meanings

LANGUAGE = TOTAL_GEO.language
BY_NAME = LANGUAGE.algebra.by_name
MIN_IN_REACH = 0.97
TEXAS = Entity("stateid('texas')", "tx")
AUSTIN = Entity("cityid('austin', _)")
RIVER, LOCATED, LONGEST = (Predicate((name,)) for name in ("river", "loc_2", "longest"))
NOT = Negation("exclude")


def catalan(n: int) -> int:
    return comb(2 * n, n) // (n + 1)


@pytest.fixture
def table() -> MeaningTable:
    return MeaningTable(LANGUAGE.algebra)


def apply(name: str, left: Meaning, right: Meaning, table: MeaningTable) -> Meaning | None:
    return table.apply(BY_NAME[name], (table.intern(left), table.intern(right)))


def program(meaning: Meaning | None, table: MeaningTable) -> str:
    assert meaning is not None
    return LANGUAGE.render(LANGUAGE.finish(meaning, (), table))


def test_predicates_are_nested_in_both_orders(table: MeaningTable) -> None:
    for first, second in product((RIVER, LOCATED, LONGEST), repeat=2):
        nested = apply("concat", first, second, table)
        assert nested is table.intern(Predicate(first.functions + second.functions))
        assert apply("concat_inverse", second, first, table) is nested


def test_a_predicate_is_filled_from_both_sides(table: MeaningTable) -> None:
    whole = apply("fill_in", LOCATED, TEXAS, table)
    assert whole is table.intern(Proposition(Chain(("loc_2",), "stateid('texas')")))
    assert apply("fill_in", TEXAS, LOCATED, table) is whole
    outer = apply("fill_in", RIVER, whole, table)
    assert apply("fill_in", whole, RIVER, table) is outer
    assert program(outer, table) == "answer(river(loc_2(stateid('texas'))))"


@pytest.mark.parametrize("is_forward", [True, False])
def test_any_bracketing_of_a_chain_is_the_same_program(
    table: MeaningTable, is_forward: bool
) -> None:
    leaves = [table.intern(leaf) for leaf in (LONGEST, RIVER, LOCATED, TEXAS)]
    concat = "concat" if is_forward else "concat_inverse"
    found = folds(leaves if is_forward else leaves[::-1], [f"{concat} fill_in"] * 3, table)
    assert len(found) == catalan(3)
    (whole,) = set(found)
    assert program(whole, table) == "answer(longest(river(loc_2(stateid('texas')))))"


def test_a_city_takes_its_state_and_nothing_else_does(table: MeaningTable) -> None:
    assert apply("union", AUSTIN, TEXAS, table) is table.intern(Entity("cityid('austin', 'tx')"))
    assert apply("union", TEXAS, AUSTIN, table) is None
    assert apply("union", TEXAS, TEXAS, table) is None
    anonymous = apply("union", Entity("var0"), Entity("var1"), table)
    assert anonymous is table.intern(Entity("var0, var1"))


def test_a_negation_negates_on_both_sides_and_what_is_negated_is_excluded(
    table: MeaningTable,
) -> None:
    bordering = apply("fill_in", Predicate(("next_to_2",)), TEXAS, table)
    assert bordering is not None
    negated = apply("negate", NOT, bordering, table)
    assert isinstance(negated, Negated)
    assert apply("negate", bordering, NOT, table) is negated
    state = Predicate(("state",))
    for left, right in ((state, negated), (negated, state)):
        assert program(apply("exclude", left, right, table), table) == (
            "answer(exclude(state(all), next_to_2(stateid('texas'))))"
        )
    outside = apply("negate_outside", state, negated, table)
    assert program(outside, table) == "answer(state(next_to_2(stateid('texas'))))"
    assert apply("negate", NOT, NOT, table) is not None
    assert apply("exclude", NOT, negated, table) is None


def test_an_intersection_keeps_the_order_of_words(table: MeaningTable) -> None:
    left, right = (
        apply("fill_in", Predicate((name,)), TEXAS, table) for name in ("loc_2", "next_to_2")
    )
    assert left is not None
    assert right is not None
    both = apply("intersection", left, right, table)
    assert program(both, table) == (
        "answer(intersection(loc_2(stateid('texas')), next_to_2(stateid('texas'))))"
    )


def test_a_negating_word_alone_is_no_answer() -> None:
    assert not LANGUAGE.algebra.is_complete(NOT)
    for meaning in (TEXAS, RIVER, Proposition(Chain((), "all")), Negated("exclude", Chain(()))):
        assert LANGUAGE.algebra.is_complete(meaning)


def test_what_the_strict_algebra_makes_is_well_typed(table: MeaningTable) -> None:
    strict = GEO.language.algebra.by_name["concat"].function
    predicates = [Predicate((name,)) for name in sorted(FUNCTIONS)]
    verdicts = set()
    for outer, inner in product(predicates, repeat=2):
        joined = apply("concat", outer, inner, table)
        assert joined is not None
        # Word order forbids more than types do.
        assert is_well_typed(joined) or strict(outer, inner) is None
        verdicts.add(is_well_typed(joined))
    assert verdicts == {True, False}


def test_meanings_of_a_category_are_alike_in_being_well_typed(table: MeaningTable) -> None:
    small = total_domains()["geo"]
    primitives = primitives_of(SentenceReader(TOTAL_GEO, small.lexicon), small.sentences)
    verdicts: dict[str, set[bool]] = {}
    for meaning in random_meanings(TOTAL_GEO, primitives, 400, table):
        category = TOTAL_GEO.syntax.category(meaning)
        verdicts.setdefault(category, set()).add(is_well_typed(meaning))
    assert all(len(verdict) == 1 for verdict in verdicts.values())
    assert set.union(*verdicts.values()) == {True, False}


def test_types_advise_and_forbid_nothing() -> None:
    categories = CategoryTable(TOTAL_GEO)
    every = categories.restricted(None, by_types=False)
    located = categories.number(Proposition(Chain(("loc_2",), "stateid('texas')")))
    river, texas = map(categories.number, (RIVER, TEXAS))

    def operations(table: CategoryTable, *pair: int) -> set[str]:
        return {combination.operation for combination in table.combinations(pair)}

    # A river can be in Texas, but it is not Texas: then all that there is is tried.
    assert operations(categories, river, located) == {"fill_in"}
    assert operations(categories, river, texas) == operations(every, river, texas) == {"fill_in"}
    longest = categories.number(LONGEST)
    assert operations(categories, longest, river) == {"concat"}
    assert operations(every, longest, river) == {"concat", "concat_inverse"}


@pytest.mark.data
def test_gold_of_training_rows_is_in_reach(query_train: list[Example]) -> None:
    assert TOTAL_GEO.words.by_hand is not None
    lexicon = TOTAL_GEO.words.by_hand(query_train, ())
    reader = SentenceReader(TOTAL_GEO, lexicon, may_be_nothing=True)
    rows = sample_by_size(reader, query_train, largest=5, most=60)
    assert len(rows) > 150
    reached = [gold_form(TOTAL_GEO, row) in forms_of(reader, row.tokens) for row in rows]
    assert sum(reached) >= MIN_IN_REACH * len(rows)


ROWS = (
    make_row("what rivers are in var0", "answer(river(loc_2(var0)))"),
    make_row("capital of texas", "answer(capital(loc_2(stateid('texas'))))"),
)
LEXICON = by_hand(ROWS, ())


def candidates(lexicon: Lexicon, phrase: str) -> list[Primitive]:
    return [entry.primitive for entry in lexicon.units[tuple(phrase.split())]]


def test_candidates_are_those_of_the_table_in_its_order() -> None:
    for phrase, values in PHRASES.items():
        found = [entry.primitive for entry in LEXICON.units[phrase]]
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
    for phrase, values in PHRASES.items():
        found = dict(reader.unit(phrase).primitives)
        assert (NO_CATEGORY in found) == ("" in values)


def test_a_unit_of_several_functions_is_their_chain() -> None:
    table = MeaningTable(TOTAL_GEO.language.algebra)
    several = [
        Primitive("Predicate", value)
        for values in PHRASES.values()
        for value in values
        if " " in value
    ]
    assert several
    for primitive in several:
        found = TOTAL_GEO.words.ground(primitive, 3, table)
        assert isinstance(found, Predicate)
        assert found.functions == tuple(primitive.symbol.split())


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


MAX_WORDS = 3
MAX_CANDIDATES = 3
MIN_COVERED = 370
"""Of the 379 training rows; the others drop or repeat a function that no word stands for."""
OPERATIONS = {"intersection", "union"}
"""Done by the algebra, not by a word."""
PHRASES = {tuple(phrase.split(" ")): values for phrase, values in read_phrase_table().items()}


def test_phrases_are_short_and_have_few_candidates() -> None:
    for unit, values in PHRASES.items():
        assert 1 <= len(unit) <= MAX_WORDS, unit
        assert all(unit), unit
        assert 1 <= len(values) <= MAX_CANDIDATES, unit
        assert len(set(values)) == len(values), unit


def test_every_value_is_a_known_function_or_name() -> None:
    for unit, values in PHRASES.items():
        for value in filter(None, values):
            parts = value.split(" ")
            is_name = len(parts) == 1 and (value == "usa" or words_of_name(value) == unit)
            is_known = value == "exclude" or is_name or all(part in FUNCTIONS for part in parts)
            assert is_known, (unit, value)


def test_only_single_words_with_another_meaning_may_stand_for_nothing() -> None:
    for unit, values in PHRASES.items():
        if "" in values:
            assert len(unit) == 1, unit
            assert len(values) > 1, unit


def stem(word: str) -> str:
    return re.sub(r"(?:ing|ed|er|est|es|s|e)$", "", word)


@pytest.mark.data
def test_every_word_or_its_stem_is_in_training_rows(
    query_train: list[Example],
) -> None:
    words = {token for example in query_train for token in example.tokens}
    known = words | set(map(stem, words))
    unknown = {word for unit in PHRASES for word in unit if not known & {word, stem(word)}}
    assert not unknown


@pytest.mark.data
def test_every_function_is_in_training_rows(query_train: list[Example]) -> None:
    targets = {target for example in query_train for target in targets_of(example)}
    assert {part for values in PHRASES.values() for v in values for part in v.split()} <= targets


def choices(example: Example) -> list[Sequence[str]]:
    """The candidates of each unit of a question; names stand for themselves."""
    return [
        PHRASES.get(unit, (unit[0] if words_of_name(unit[0]) else "",))
        for unit in segment(example.tokens, PHRASES, MAX_WORDS)
    ]


def is_covered(example: Example) -> bool:
    """Whether some choice of candidates has just the functions and names of a row's program."""
    wanted = Counter(target for target in targets_of(example) if target not in OPERATIONS)
    return any(Counter(" ".join(values).split()) == wanted for values in product(*choices(example)))


@pytest.mark.data
def test_training_rows_are_covered(query_train: list[Example]) -> None:
    assert sum(is_covered(example) for example in query_train) >= MIN_COVERED
