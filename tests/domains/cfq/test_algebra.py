"""The algebra of CFQ: conjunction, implied types, turned relations; every row is in reach."""

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lear.algebra.algebra import MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.cfq.algebra import Attribute, Clause, Predicate, conjoin
from lear.domains.cfq.domain import CFQ
from lear.domains.cfq.queries import DISTINCT, IMPLIED_TYPE, inverse, is_path, undirected
from lear.evaluation.coverage import Reached, coverage
from lear.forest.oracle import Oracle
from lear.grammar.categories import CategoryTable

SPOUSE = next(name for name in sorted(DISTINCT) if "spouse" in name)


def test_inverse_goes_back_and_forth() -> None:
    for name in ("film.director.film", SPOUSE, "people.person.nationality", "film.film.prequel"):
        assert inverse(inverse(name)) == name
        assert undirected(name) == undirected(inverse(name))
        assert is_path(name)
        assert is_path(inverse(name))
    assert inverse(SPOUSE) == SPOUSE


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


@pytest.mark.data
def test_categories_decide_what_is_legal(cfq_oracle: Oracle, cfq_train: list[Example]) -> None:
    categories = CategoryTable(CFQ)
    for row in random.Random(2).sample(cfq_train, 250):
        forest = cfq_oracle.gold_forest(row)
        assert forest is not None
        for item in forest.items():
            for edge in item.edges:
                if edge.children:
                    numbers = tuple(categories.number(child.value) for child in edge.children)
                    legal = {c.operation: c.result for c in categories.combinations(numbers)}
                    assert legal[edge.label] == categories.number(item.value)


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("part", ["train", "dev", "test"])
def test_every_row_is_in_reach(cfq_oracle: Oracle, cfq_folder: Path, part: str) -> None:
    rows = CFQ.corpus.load(CFQ.corpus.benchmarks[0], part, lambda file: cfq_folder / file.path)
    sample = random.Random(part).sample(rows, 400)
    lost = [o for o in coverage(cfq_oracle, sample) if not isinstance(o, Reached)]
    assert lost == []
