"""Queries of CFQ: clauses are kept, order and names of variables are not."""

import random
import re
from itertools import permutations
from pathlib import Path

import pytest

from lear.algebra.algebra import MeaningTable
from lear.benchmark import Example
from lear.domains.cfq.algebra import Question
from lear.domains.cfq.corpus import benchmark_named, tokenize
from lear.domains.cfq.domain import CFQ
from lear.domains.cfq.queries import DISTINCT, WHICH, Query, is_variable, normalise, read_query
from lear.errors import FormError
from lear.evaluation.coverage import altered

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


@pytest.mark.data
@pytest.mark.slow
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


@pytest.mark.data
def test_printing_keeps_every_clause(cfq_train: list[Example]) -> None:
    for row in random.Random(3).sample(cfq_train, 500):
        printed = CFQ.language.render(read(row.form, row.sentence))
        assert are_one(read_query(row.form), read_query(printed))


def test_a_type_that_goes_without_saying_is_not_gold_where_it_is_said() -> None:
    said = select("?x0 a film.director", "?x0 film.director.film M0")
    unsaid = select("?x0 film.director.film M0")
    assert read(said, "Who was M0") is not read(unsaid, "Who was M0")
    assert CFQ.language.render(read(said, "Who was M0")) == said


@pytest.mark.data
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


@pytest.mark.data
def test_filters_are_one_for_each_spouse_and_sibling(cfq_train: list[Example]) -> None:
    for row in cfq_train[:1500]:
        query = read_query(row.form)
        expected = sorted((t.subject, t.object) for t in query.triples if t.predicate in DISTINCT)
        assert sorted(query.filters) == expected
