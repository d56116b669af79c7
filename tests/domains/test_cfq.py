"""CFQ: strict queries, an induced lexicon and full coverage, on the real rows where they are."""

import random
import re
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.core.algebra import MeaningTable
from lear.core.lexicon import Lexicon, Primitive
from lear.domain.example import Example
from lear.domains.cfq.algebra import Attribute, Clause, Predicate, Question, conjoin
from lear.domains.cfq.corpus import benchmark_named
from lear.domains.cfq.domain import CFQ
from lear.domains.cfq.query_text import (
    WHICH,
    Query,
    is_entity,
    is_variable,
    normalise,
    read_query,
)
from lear.domains.cfq.schema import DISTINCT, IMPLIED_TYPE, inverse, is_path, undirected
from lear.domains.cfq.tokenizer import num_words, tokenize
from lear.domains.cfq.word_classes import Use, word_classes
from lear.errors import FormError
from lear.evaluation.coverage import Reached, coverage
from lear.evaluation.round_trip import altered
from lear.grammar.categories import CategoryTable
from lear.search.oracle import Oracle

SPLITS = ("mcd1", "mcd2_partial")
SPOUSE = next(name for name in sorted(DISTINCT) if "spouse" in name)


def read(form: str, question: str) -> Question:
    meaning = CFQ.language.read(form, tokenize(question), MeaningTable(CFQ.language.algebra))
    assert isinstance(meaning, Question)
    return meaning


def select(*clauses: str) -> str:
    return f"SELECT DISTINCT ?x0 WHERE {{ {' . '.join(clauses)} }}"


def count(*clauses: str) -> str:
    return f"SELECT count ( * ) WHERE {{ {' . '.join(clauses)} }}"


# Queries


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("part", ["dev", "test"])
def test_every_row_is_read_and_printed(cfq_folder: Path, split: str, part: str) -> None:
    rows = CFQ.corpus.load(benchmark_named(f"cfq/{split}"), part, lambda f: cfq_folder / f.path)
    changes = list(altered(CFQ, rows))
    assert all(row.is_same_meaning for row in changes)
    assert len(changes) < 0.001 * len(rows)
    # Reader and printer could forget the same things: so compare the clauses themselves.
    assert all(are_one(read_query(row.example.form), read_query(row.printed)) for row in changes)


def are_one(first: Query, second: Query) -> bool:
    """Whether two queries are equal up to variables and order, by trying every renaming."""
    old, new = (
        sorted({term for t in q.triples for term in (t.subject, t.object) if is_variable(term)})
        for q in (first, second)
    )
    if len(old) != len(new) or first.head != second.head:
        return False
    triples, filters = sorted(second.triples), sorted(second.filters)
    for order in permutations(new):
        names = dict(zip(old, order, strict=True))
        if first.head == WHICH and names["?x0"] != "?x0":
            continue
        renamed = sorted((names.get(s, s), p, names.get(o, o)) for s, p, o in first.triples)
        pairs = sorted((names.get(a, a), names.get(b, b)) for a, b in first.filters)
        if renamed == triples and pairs == filters:
            return True
    return False


def test_printing_keeps_every_clause(cfq_train: list[Example]) -> None:
    for row in random.Random(3).sample(cfq_train, 500):
        printed = CFQ.language.render(read(row.form, row.sentence))
        assert are_one(read_query(row.form), read_query(printed))


def test_a_type_that_goes_without_saying_is_not_gold_where_it_is_said() -> None:
    said = select("?x0 a film.director", "?x0 film.director.film M0")
    unsaid = select("?x0 film.director.film M0")
    assert read(said, "Who was M0") is not read(unsaid, "Who was M0")
    assert CFQ.language.render(read(said, "Who was M0")) == said


def test_reading_forgets_order_and_names_of_variables(cfq_train: list[Example]) -> None:
    rng = random.Random(1)
    for row in rng.sample(cfq_train, 400):
        head, body = row.form.split(" WHERE ")
        clauses = body.removeprefix("{ ").removesuffix(" }").split(" . ")
        names = [f"?x{number}" for number in range(10)]
        rng.shuffle(names)
        if head.endswith("?x0"):  # the answer's variable is the one that the head names
            names.remove("?x0")
            names.insert(0, "?x0")
        renaming = {f"?x{number}": name for number, name in enumerate(names)}
        renamed = [" ".join(renaming.get(t, t) for t in clause.split()) for clause in clauses]
        rng.shuffle(renamed)
        other = f"{head} WHERE {{ {' . '.join(renamed)} }}"
        assert CFQ.language.render(read(other, row.sentence)) == CFQ.language.render(
            read(row.form, row.sentence)
        )


def test_both_spellings_are_one_query() -> None:
    official = (
        "SELECT count(*) WHERE {\n?x0 a ns:film.actor .\n"
        "?x0 ns:people.person.gender ns:m.05zppz .\nM0 ns:film.film.directed_by ?x0\n}"
    )
    spaced = count(
        "?x0 a film.actor", "?x0 people.person.gender m_05zppz", "M0 film.film.directed_by ?x0"
    )
    assert normalise(official) == normalise(spaced) == spaced
    assert read_query(official) == read_query(spaced)


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ("ASK { M0 a film.film }", "not of the form SELECT"),
        ("SELECT ?x1 WHERE { ?x1 a film.film }", "unsupported head"),
        (select("?x0 a film.film", "OPTIONAL { ?x0 a film.film }"), "unsupported clause"),
        (select("?x0 film.film//directed_by M0"), "property path does not parse"),
        (select("?x0 film.film.directed_by( M0"), "property path does not parse"),
        (select("?x0 a Film"), "not a type"),
        (select("?x0 film.film.directed_by M10"), "more than ten entities"),
        (select("?x0 film.film.directed_by Bob"), "neither a variable nor an entity"),
        (select("?x0 film.film.directed_by M1"), "entity M1 is missing from the question"),
        (select("M0 a film.film"), "a question for ?x0 that is about M0"),
        (select("?x0 a film.film", "?x1 a film.film"), "?x1 is not connected"),
        (select("?x0 film.film.sequel ?x1", "?x1 film.film.sequel ?x0"), "object of another"),
        (
            select(
                "?x0 film.film.sequel ?x1", "?x1 film.film.sequel ?x2", "?x2 film.film.sequel ?x1"
            ),
            "?x1 is the object of two variables",
        ),
        (
            select(
                "?x0 film.film.sequel ?x1", "?x0 film.film.prequel ?x2", "?x2 film.film.sequel ?x1"
            ),
            "?x1 is the object of two variables",
        ),
        (select(f"?x0 {SPOUSE} M0"), "lacks FILTER ( ?x0 != M0 )"),
        (select(f"?x0 {SPOUSE} M0", "FILTER ( ?x3 != M0 )"), "FILTER ("),
        (select("?x0 film.film.sequel M0", "FILTER ( ?x0 != M0 )"), "needless FILTER"),
        (select(f"?x0 film.film.sequel M{'9' * 5000}"), "more than ten entities"),
        (select("?x0 film.film.sequel M00"), "more than ten entities"),
    ],
)
def test_what_is_outside_the_fragment_is_named(form: str, message: str) -> None:
    with pytest.raises(FormError, match=re.escape(message)) as caught:
        read(form, "Who did M0 marry")
    assert "\n" not in str(caught.value)


def test_subjects_with_different_clauses_are_no_question() -> None:
    with pytest.raises(FormError, match="different clauses"):
        read(count("M0 a film.film", "M1 a film.actor"), "Was M0 M1")


def test_inverse_goes_back_and_forth() -> None:
    for name in ("film.director.film", SPOUSE, "people.person.nationality", "film.film.prequel"):
        assert inverse(inverse(name)) == name
        assert undirected(name) == undirected(inverse(name))
        assert is_path(name)
        assert is_path(inverse(name))
    assert inverse(SPOUSE) == SPOUSE


def test_filters_are_one_for_each_spouse_and_sibling(cfq_train: list[Example]) -> None:
    for row in cfq_train[:1500]:
        query = read_query(row.form)
        expected = sorted((t.subject, t.object) for t in query.triples if t.predicate in DISTINCT)
        assert sorted(query.filters) == expected


# Text


def test_marks_are_tokens_however_they_are_spelt() -> None:
    apart = tokenize("Did M0 ' s editor , M1 , and M2 marry a actor")
    assert apart == tokenize("Did M0's editor, M1, and M2 marry an actor?")
    assert apart == ("Did", "M0", "'s", "editor", ",", "M1", ",and", "M2", "marry", "a", "actor")


def test_length_is_counted_as_the_files_do(cfq_train: list[Example], cfq_folder: Path) -> None:
    with (cfq_folder / "cfq/mcd1/train/train_encode.txt").open() as lines:
        for line, row in zip(lines, cfq_train, strict=False):
            assert num_words(line) == row.length == len(line.split())


# Algebra


def attribute(*clauses: Clause) -> Attribute:
    found = Attribute((), "noun")
    for clause in clauses:
        found = conjoin(found, Attribute((clause,), "noun"))
    return found


CLAUSES = [
    Clause(("a",), "film.director"),
    Clause(("a",), "film.editor"),
    Clause(("film.director.film",), "M0"),
    Clause(("film.editor.film",), "M0"),
    Clause(("film.editor.film", "film.writer.film"), "", (Clause(("a",), "film.film"),)),
]


@given(st.permutations(CLAUSES))
def test_conjunction_has_no_order(clauses: list[Clause]) -> None:
    assert attribute(*clauses).conditions == attribute(*CLAUSES).conditions


def test_facts_are_stated_once_and_entities_as_often_as_named() -> None:
    film, director = Clause(("a",), "film.film"), Clause(("film.director.film",), "M0")
    assert attribute(film, film).conditions == (film,)
    assert attribute(director, director).conditions == (director, director)


def test_a_type_that_a_relation_implies_is_not_stated() -> None:
    for relation, kind in IMPLIED_TYPE.items():
        having, being = Clause((relation,), "M0"), Clause(("a",), kind)
        assert attribute(having, being).conditions == (having,)
        assert attribute(being).conditions == (being,)


def test_turning_twice_is_not_turning() -> None:
    flip, join, extract = (
        CFQ.language.algebra.by_name[name].function for name in ("flip", "join", "extract")
    )
    table = MeaningTable(CFQ.language.algebra)
    name = CFQ.words.ground(Primitive("Name", "M0"), 0, table)
    edited = Predicate(("film.editor.film",), "edited")
    directly, twice = join(edited, name), extract(name, flip(edited))
    assert isinstance(directly, Attribute)
    assert isinstance(twice, Attribute)
    assert directly.conditions == twice.conditions


def test_categories_decide_what_is_legal(cfq_oracle: Oracle, cfq_train: list[Example]) -> None:
    categories = CategoryTable(CFQ)
    for row in random.Random(2).sample(cfq_train, 250):
        forest = cfq_oracle.gold_forest(row)
        assert forest is not None
        for item in forest.items():
            for edge in item.edges:
                if edge.children:
                    numbers = tuple(categories.number(child.value) for child in edge.children)
                    steps = {s.operation: s.result for s in categories.steps(numbers)}
                    assert steps[edge.label] == categories.number(item.value)


# Lexicon


def symbols(lexicon: Lexicon, *unit: str) -> set[str]:
    return {entry.primitive.symbol for entry in lexicon.units.get(unit, ())}


def test_the_lexicon_has_units_of_one_and_of_several_words(cfq_oracle: Oracle) -> None:
    lexicon = cfq_oracle.lexicon
    assert symbols(lexicon, "executive", "producer") == {"film.producer.films_executive_produced"}
    assert symbols(lexicon, "country", "of", "nationality") == {"^ns:people.person.nationality"}
    assert symbols(lexicon, "film", "editor") == {"a film.editor"}
    assert symbols(lexicon, "editor") == {"film.editor.film"}
    assert symbols(lexicon, "female") == {"people.person.gender m_02zsn"}
    assert {"by", "'s", "whose", "Did"} <= lexicon.function_words.keys()
    assert sum(len(unit) > 1 for unit in lexicon.units) == 11


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


def test_a_relation_runs_as_its_word_says(cfq_oracle: Oracle) -> None:
    lexicon = cfq_oracle.lexicon
    for word in ("direct", "directed", "director"):
        assert symbols(lexicon, word) == {"film.director.film"}
    (employs,), (employee,) = symbols(lexicon, "employ"), symbols(lexicon, "employee")
    assert employs.startswith("business.employer")
    assert employee == inverse(employs)


def test_nouns_are_one_class_whether_they_relate_or_not(cfq_oracle: Oracle) -> None:
    lexicon = cfq_oracle.lexicon

    def classes(word: str) -> set[str]:
        entries = lexicon.units[tuple(word.split())]
        return {entry.primitive.feature.split(" => ")[0] for entry in entries}

    assert classes("film editor") == classes("editor") == classes("spouse") == classes("actor")
    assert classes("wrote") == classes("edited") != classes("edit")


def test_a_noun_implies_the_type_that_it_names(cfq_oracle: Oracle) -> None:
    features = {
        word: cfq_oracle.lexicon.units[word,][0].primitive.feature for word in ("editor", "writer")
    }
    assert features["editor"].endswith(" => film.editor")
    assert "=>" not in features["writer"]


def test_entities_need_no_training(cfq_oracle: Oracle) -> None:
    assert CFQ.words.unknown("M9") == (Primitive("Name", "M9"),)
    assert CFQ.words.unknown("M10") == ()
    assert CFQ.words.unknown("Spielberg") == ()


def test_directions_come_from_contexts() -> None:
    def use(word: str, context: str, num_words: int, direction: int) -> Use:
        return Use(sense(word), context, num_words, direction)

    def sense(word: str) -> tuple[tuple[str, ...], Primitive]:
        return (word,), Primitive("Predicate", word)

    uses = [
        # Two verbs that run alike, in two contexts of opposite direction; the plainer one decides.
        *(use(word, "Did M _ M", 1, 1) for word in ("see", "hear")),
        *(use(word, "What did M _", 2, -1) for word in ("see", "hear")),
        # One whose relation has its other name in the lexicon.
        use("own", "Did M _ M", 1, -1),
        # Another class.
        use("friend", "M 's _", 1, 1),
    ]
    classes = {found.name: found.directions for found in word_classes(uses)}
    assert classes == {
        "hear": {sense("hear"): 1, sense("see"): 1, sense("own"): -1},
        "friend": {sense("friend"): 1},
    }


def test_a_word_for_two_relations_keeps_both() -> None:
    relations = ("film.director.film", "film.editor.film")
    rows = [
        Example(("Did", "M0", "make", "M1"), count(f"M0 {relations[number % 4 == 0]} M1"), "", "")
        for number in range(40)
    ]
    assert symbols(CFQ.words.induce(rows), "make") == set(relations)


@pytest.mark.parametrize("size", [1, 20, 100])
def test_entities_are_themselves_however_few_rows_there_are(
    cfq_train: list[Example], size: int
) -> None:
    for seed in range(3):
        lexicon = CFQ.words.induce(random.Random(seed).sample(cfq_train, size))
        for unit, entries in lexicon.units.items():
            if any(is_entity(word) for word in unit):
                assert [e.primitive for e in entries] == [Primitive("Name", " ".join(unit))]
        assert not any(map(is_entity, lexicon.function_words))


# Coverage


@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_every_row_is_in_reach(cfq_oracle: Oracle, cfq_folder: Path, part: str) -> None:
    rows = CFQ.corpus.load(CFQ.corpus.benchmarks[0], part, lambda file: cfq_folder / file.path)
    sample = random.Random(part).sample(rows, 400)
    lost = [o for o in coverage(cfq_oracle, sample) if not isinstance(o, Reached)]
    assert lost == []
