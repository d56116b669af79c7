"""The induced lexicon of CFQ: units, relations with their directions, classes of words."""

import random

import pytest

from lear.algebra.algebra import Primitive
from lear.benchmark import Example
from lear.domains.cfq.domain import CFQ
from lear.domains.cfq.lexicon import Sense, Use, word_classes
from lear.domains.cfq.queries import inverse, is_entity
from lear.forest.oracle import Oracle
from lear.lexicon.lexicon import Lexicon


def symbols(lexicon: Lexicon, *unit: str) -> set[str]:
    return {entry.primitive.symbol for entry in lexicon.units.get(unit, ())}


@pytest.mark.data
def test_the_lexicon_has_units_of_one_and_of_several_words(cfq_oracle: Oracle) -> None:
    lexicon = cfq_oracle.lexicon
    assert symbols(lexicon, "executive", "producer") == {"film.producer.films_executive_produced"}
    assert symbols(lexicon, "country", "of", "nationality") == {"^ns:people.person.nationality"}
    assert symbols(lexicon, "film", "editor") == {"a film.editor"}
    assert symbols(lexicon, "editor") == {"film.editor.film"}
    assert symbols(lexicon, "female") == {"people.person.gender m_02zsn"}
    assert {"by", "'s", "whose", "Did"} <= lexicon.function_words.keys()
    assert sum(len(unit) > 1 for unit in lexicon.units) == 11


@pytest.mark.data
def test_words_with_two_meanings_keep_both(cfq_oracle: Oracle) -> None:
    assert symbols(cfq_oracle.lexicon, "actor") == {
        "a film.actor",
        "film.actor.film/ns:film.performance.character",
    }
    # M0 's star is an actor; what stars M0 is a film.
    stars = cfq_oracle.lexicon.units["star",]
    assert len({entry.primitive.feature for entry in stars}) == 2
    first, second = (entry.primitive.symbol for entry in stars)
    assert inverse(first) == second


@pytest.mark.data
def test_a_relation_runs_as_its_word_says(cfq_oracle: Oracle) -> None:
    lexicon = cfq_oracle.lexicon
    for word in ("direct", "directed", "director"):
        assert symbols(lexicon, word) == {"film.director.film"}
    (employs,), (employee,) = symbols(lexicon, "employ"), symbols(lexicon, "employee")
    assert employs.startswith("business.employer")
    assert employee == inverse(employs)


@pytest.mark.data
def test_nouns_are_one_class_whether_they_relate_or_not(cfq_oracle: Oracle) -> None:
    lexicon = cfq_oracle.lexicon

    def classes(word: str) -> set[str]:
        entries = lexicon.units[tuple(word.split())]
        return {entry.primitive.feature.split(" => ")[0] for entry in entries}

    assert classes("film editor") == classes("editor") == classes("spouse") == classes("actor")
    assert classes("wrote") == classes("edited") != classes("edit")


@pytest.mark.data
def test_a_noun_implies_the_type_that_it_names(cfq_oracle: Oracle) -> None:
    features = {
        word: cfq_oracle.lexicon.units[word,][0].primitive.feature for word in ("editor", "writer")
    }
    assert features["editor"].endswith(" => film.editor")
    assert "=>" not in features["writer"]


def test_entities_need_no_training() -> None:
    assert CFQ.words.unknown("M9") == (Primitive("Name", "M9"),)
    assert CFQ.words.unknown("M10") == ()
    assert CFQ.words.unknown("Spielberg") == ()


def _directs(relation: str) -> str:
    return f"SELECT count ( * ) WHERE {{ M0 {relation} M1 }}"


def test_a_word_for_two_relations_keeps_both() -> None:
    relations = ("film.director.film", "film.editor.film")
    rows = [
        Example(("Did", "M0", "make", "M1"), _directs(relations[number % 4 == 0]), "", "")
        for number in range(40)
    ]
    assert symbols(CFQ.words.induce(rows, ()), "make") == set(relations)


@pytest.mark.data
@pytest.mark.parametrize("size", [1, 20, 100])
def test_entities_are_themselves_however_few_rows_there_are(
    cfq_train: list[Example], size: int
) -> None:
    for seed in range(3):
        lexicon = CFQ.words.induce(random.Random(seed).sample(cfq_train, size), ())
        for unit, entries in lexicon.units.items():
            if any(is_entity(word) for word in unit):
                assert [e.primitive for e in entries] == [Primitive("Name", " ".join(unit))]
        assert not any(map(is_entity, lexicon.function_words))


def sense(word: str, relation: str = "") -> Sense:
    return (word,), Primitive("Predicate", relation or word)


def use(unit: Sense, context: str, direction: int) -> Use:
    """A use in a context whose unit is `_`, and whose function words are in lower case."""
    marks = tuple("" if mark == "_" else mark for mark in context.split())
    words = [mark for mark in marks if mark.islower() or mark in ("Did", "What")]
    return Use(unit, marks, frozenset(words), len(words), direction)


def names_none(unit: Sense, direction: int) -> bool:
    del unit, direction
    return False


def test_directions_come_from_contexts() -> None:
    see, hear, own, friend = map(sense, ("see", "hear", "own", "friend"))
    uses = [
        # Two verbs that run alike, in two contexts of opposite direction; the plainer one decides.
        *(use(verb, "Did M _ M", 1) for verb in (see, hear)),
        *(use(verb, "What did M _", -1) for verb in (see, hear)),
        # One whose relation has its other name in the lexicon.
        use(own, "Did M _ M", -1),
        # Another class.
        use(friend, "M 's _", 1),
    ]
    classes = {found.name: found.directions for found in word_classes(uses, names_none)}
    assert classes == {"hear": {hear: 1, see: 1, own: -1}, "friend": {friend: 1}}


def test_a_class_runs_as_the_types_that_it_names() -> None:
    editor, spouse = sense("editor", "edits"), sense("spouse")
    edit = sense("edit", "edits")
    uses = [
        *(use(noun, "What M 's _ did", -1) for noun in (editor, spouse)),
        use(edit, "Did M _ M", -1),
    ]

    def names_type(unit: Sense, direction: int) -> bool:
        return unit == editor and direction == 1

    classes = {found.name: found.directions for found in word_classes(uses, names_type)}
    # The verb has no type of its own; it runs as the noun of its relation does.
    assert classes == {"editor": {editor: 1, spouse: 1}, "edit": {edit: 1}}


def test_small_classes_join_the_one_with_the_same_neighbours() -> None:
    nouns = [sense(f"noun{number}") for number in range(5)]
    verbs = [sense(f"verb{number}") for number in range(5)]
    rare_noun, rare_verb = sense("rare noun"), sense("rare verb")
    uses = [
        *(use(noun, "Did a _ of M see M", 1) for noun in nouns),
        *(use(verb, "What did M _", 1) for verb in verbs),
        use(rare_noun, "What did a _ of M hear", 1),
        use(rare_verb, "Did a M see what M did M _", 1),
    ]
    classes = [set(found.directions) for found in word_classes(uses, names_none)]
    assert classes == [{*nouns, rare_noun}, {*verbs, rare_verb}]


@pytest.mark.data
def test_words_mean_the_same_whatever_rows_they_are_learned_from(
    cfq_train: list[Example], cfq_oracle: Oracle
) -> None:
    def meanings(lexicon: Lexicon) -> dict[str, set[str]]:
        return {" ".join(unit): symbols(lexicon, *unit) for unit in lexicon.units}

    rows = random.Random(1).sample(cfq_train, 6000)
    expected = meanings(cfq_oracle.lexicon)
    for part in (rows[:3000], rows[3000:]):
        assert meanings(CFQ.words.induce(part, ())) == expected
