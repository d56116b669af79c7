"""The total algebra of CFQ: directions, lists, implied types, and what a question asks for."""

from itertools import permutations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cfq.domain import CLASSLESS_CFQ, TOTAL_CFQ
from lear.domains.cfq.queries import IMPLIED_TYPE, is_entity
from lear.domains.cfq.total import Names
from lear.forest.oracle import Oracle
from lear.grammar.reading import SentenceReader
from lear.lexicon.lexicon import UNKNOWN, Lexicon
from tests.support.bracketings import folds, forms_of, gold_form, sample_by_size

LANGUAGE = TOTAL_CFQ.language
WHAT, DID = ("What",), ("Did",)


class Phrases:
    """Meanings of one table, by short names."""

    def __init__(self) -> None:
        self.table = MeaningTable(LANGUAGE.algebra)

    def name(self, symbol: str) -> Meaning:
        return self._ground(Primitive("Name", symbol))

    def attribute(self, kind: str) -> Meaning:
        return self._ground(Primitive("Attribute", f"a film.{kind}", "noun"))

    def relation(self, name: str, implied: str = "") -> Meaning:
        feature = f"verb => {implied}" if implied else "verb"
        return self._ground(Primitive("Predicate", f"film.{name}.film", feature))

    def _ground(self, primitive: Primitive) -> Meaning:
        return TOTAL_CFQ.words.ground(primitive, 0, self.table)

    def apply(self, name: str, left: Meaning, right: Meaning) -> Meaning:
        result = self.table.apply(LANGUAGE.algebra.by_name[name], (left, right))
        assert result is not None
        return result

    def ask(self, meaning: Meaning, tokens: tuple[str, ...]) -> str:
        return LANGUAGE.render(LANGUAGE.finish(meaning, tokens, self.table))


@pytest.fixture
def say() -> Phrases:
    return Phrases()


def select(*clauses: str) -> str:
    return f"SELECT DISTINCT ?x0 WHERE {{ {' . '.join(clauses)} }}"


def count(*clauses: str) -> str:
    return f"SELECT count ( * ) WHERE {{ {' . '.join(clauses)} }}"


def test_the_operation_gives_a_relation_its_direction(say: Phrases) -> None:
    edited, m0 = say.relation("editor"), say.name("M0")
    for pair in ((edited, m0), (m0, edited)):  # whatever the order of words
        there, back = (say.apply(name, *pair) for name in ("join", "join_turned"))
        assert say.ask(there, WHAT) == select("?x0 film.editor.film M0")
        assert say.ask(back, WHAT) == select("?x0 film.film.edited_by M0")


def test_a_described_argument_has_both_directions_too(say: Phrases) -> None:
    edited, writer = say.relation("editor"), say.attribute("writer")
    for pair in ((edited, writer), (writer, edited)):
        there, back = (say.apply(name, *pair) for name in ("lead", "lead_turned"))
        assert say.ask(there, WHAT) == select("?x0 film.editor.film ?x1", "?x1 a film.writer")
        assert say.ask(back, WHAT) == select("?x0 film.film.edited_by ?x1", "?x1 a film.writer")


def test_turning_what_is_united_is_turning_each(say: Phrases) -> None:
    edited, wrote, m0 = say.relation("editor"), say.relation("writer"), say.name("M0")
    one, other = (say.apply(f"unite_{side}_turned", edited, wrote) for side in ("left", "right"))
    assert say.apply("join_turned", one, m0) is say.apply("join", other, m0)
    assert say.apply("join_turned", other, m0) is say.apply("join", one, m0)


@pytest.mark.parametrize(
    ("united", "directions"),
    [
        ("unite", ("join", "join")),
        ("unite_left_turned", ("join_turned", "join")),
        ("unite_right_turned", ("join", "join_turned")),
    ],
)
def test_united_relations_to_a_name_are_two_conditions(
    say: Phrases, united: str, directions: tuple[str, str]
) -> None:
    edited, wrote, m0 = say.relation("editor"), say.relation("writer"), say.name("M0")
    together = say.apply("join", say.apply(united, edited, wrote), m0)
    first, second = (
        say.apply(direction, relation, m0)
        for direction, relation in zip(directions, (edited, wrote), strict=True)
    )
    one_by_one = say.apply("conjoin", first, second)
    assert say.ask(together, WHAT) == say.ask(one_by_one, WHAT)


def test_united_relations_to_a_description_lead_to_one_variable(say: Phrases) -> None:
    united = say.apply("unite", say.relation("editor"), say.relation("writer"))
    led = say.apply("lead", united, say.attribute("director"))
    assert say.ask(led, WHAT) == select(
        "?x0 film.editor.film ?x1", "?x0 film.writer.film ?x1", "?x1 a film.director"
    )


def test_any_bracketing_and_any_order_of_conditions_is_one_question(say: Phrases) -> None:
    conditions = [
        say.attribute("writer"),
        say.apply("join", say.relation("editor"), say.name("M0")),
        say.attribute("producer"),
        say.apply("lead_turned", say.relation("writer"), say.attribute("director")),
    ]
    forms = set()
    for order in permutations(conditions):
        found = folds(order, ["conjoin"] * 3, say.table)
        assert len(found) == comb(6, 3) // 4
        forms |= {say.ask(meaning, WHAT) for meaning in found}
    assert len(forms) == 1


def test_a_list_of_names_may_be_read_before_or_after_what_is_said_of_them(say: Phrases) -> None:
    m0, m1, m2, m3 = (say.name(f"M{number}") for number in range(4))
    objects = say.apply("list_names", m2, m3)
    edited = say.relation("editor")
    whole = say.apply("state", say.apply("list_names", m0, m1), say.apply("join", edited, objects))
    assert say.ask(whole, DID) == count(
        *(f"{s} film.editor.film {o}" for s in ("M0", "M1") for o in ("M2", "M3"))
    )
    # Names before a statement are subjects as well, names behind it continue its last list.
    inner = say.apply("state", m1, say.apply("join", edited, m2))
    late = say.apply("absorb", say.apply("absorb", m0, inner), m3)
    assert say.ask(late, DID) == say.ask(whole, DID)
    assert late is say.apply("absorb", m0, say.apply("absorb", inner, m3))


def test_what_restricts_a_relation_is_said_of_its_first_variable(say: Phrases) -> None:
    writer, edited = say.attribute("writer"), say.relation("editor")
    restricted = say.apply("restrict", writer, edited)
    there = say.apply("join", restricted, say.name("M0"))
    assert say.ask(there, WHAT) == select("?x0 a film.writer", "?x0 film.editor.film M0")
    # Turned, that is the variable inside.
    back = say.apply("lead_turned", restricted, say.attribute("director"))
    assert say.ask(back, WHAT) == select(
        "?x0 film.film.edited_by ?x1", "?x1 a film.director", "?x1 a film.writer"
    )


def test_the_first_word_says_what_is_asked_for(say: Phrases) -> None:
    edited = say.apply("join", say.relation("editor"), say.name("M0"))
    clause = "?x0 film.editor.film M0"
    for head in ("What", "Which"):
        assert say.ask(edited, (head, "editor")) == select(clause)
    assert say.ask(edited, ("Who", "What")) == select("?x0 a people.person", clause)
    statement = say.apply("state", say.name("M1"), edited)
    for head in ("Did", "Was", "Were", "and"):
        assert say.ask(statement, (head, "Who")) == count("M1 film.editor.film M0")
    # Whoever asks for things gets no subjects, and the other way round.
    assert say.ask(statement, ("What",)) == select(clause)


def test_a_type_that_a_unit_implies_of_its_first_variable_is_not_stated(say: Phrases) -> None:
    editor, writer = say.attribute("editor"), say.attribute("writer")
    of_m0 = say.apply("join", say.relation("editor", implied="film.editor"), say.name("M0"))
    plain = say.apply("join", say.relation("editor"), say.name("M0"))
    clause = "?x0 film.editor.film M0"
    assert say.ask(say.apply("conjoin", editor, of_m0), WHAT) == select(clause)
    assert say.ask(say.apply("conjoin", writer, of_m0), WHAT) == select("?x0 a film.writer", clause)
    assert say.ask(say.apply("conjoin", editor, plain), WHAT) == select("?x0 a film.editor", clause)


def test_turned_relations_imply_the_type_of_the_variable_inside(say: Phrases) -> None:
    editor = say.attribute("editor")
    led = say.apply("lead_turned", say.relation("editor", implied="film.editor"), editor)
    assert say.ask(led, WHAT) == select("?x0 film.film.edited_by ?x1")
    outside = say.apply("conjoin", editor, led)
    assert say.ask(outside, WHAT) == select("?x0 a film.editor", "?x0 film.film.edited_by ?x1")


def test_a_type_that_the_schema_implies_is_not_stated(say: Phrases) -> None:
    assert IMPLIED_TYPE["film.director.film"] == "film.director"
    directed = say.apply("join", say.relation("director"), say.name("M0"))
    both = say.apply("conjoin", say.attribute("director"), directed)
    assert say.ask(both, WHAT) == select("?x0 film.director.film M0")


@pytest.mark.data
@pytest.mark.slow
def test_gold_of_training_rows_is_in_reach(cfq_oracle: Oracle, cfq_train: list[Example]) -> None:
    reader = SentenceReader(TOTAL_CFQ, cfq_oracle.lexicon, may_be_nothing=True)
    rows = sample_by_size(reader, cfq_train, largest=6, most=30)
    assert len(rows) > 100
    for row in rows:
        assert gold_form(TOTAL_CFQ, row) in forms_of(reader, row.tokens), row.sentence


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
