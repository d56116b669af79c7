"""Running CFQ's queries: full SPARQL, on a store of our own making or of the user's."""

import random
from pathlib import Path

import pytest

from lear.benchmark import Example
from lear.domains.cfq.queries import inverse
from lear.domains.cfq.store import open_store, to_sparql
from lear.domains.cfq.triple_store import triples
from lear.errors import FormError
from lear.storage.datasets import DataFolder

pyoxigraph = pytest.importorskip("pyoxigraph", reason="needs pyoxigraph: pip install lear[sparql]")

FIND = DataFolder.choose(None).find


def test_paths_become_full_names() -> None:
    form = (
        "SELECT DISTINCT ?x0 WHERE { ?x0 a film.actor . ?x0 ^ns:people.person.gender M0 . "
        "?x0 film.producer.film|ns:film.production_company.films M1 . FILTER ( ?x0 != M1 ) }"
    )
    ns = "http://rdf.freebase.com/ns/"
    assert to_sparql(form) == (
        "SELECT DISTINCT ?x0 WHERE { "
        f"?x0 <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <{ns}film.actor> . "
        f"?x0 ^<{ns}people.person.gender> <{ns}M0> . "
        f"?x0 <{ns}film.producer.film>|<{ns}film.production_company.films> <{ns}M1> . "
        f"FILTER ( ?x0 != <{ns}M1> ) }}"
    )


@pytest.mark.data
def test_every_query_can_be_run(cfq_train: list[Example]) -> None:
    run = open_store(None, FIND)
    answers = [run(row.form) for row in random.Random(1).sample(cfq_train, 1000)]
    assert {type(answer) for answer in answers} == {bool, list}
    assert True in answers
    assert False in answers
    assert any(isinstance(answer, list) and answer for answer in answers)


def test_the_world_is_the_same_each_time_and_in_both_directions() -> None:
    assert list(triples()) == list(triples())
    run = open_store(None, FIND)
    for relation in ("film.director.film", "film.actor.film/ns:film.performance.film"):
        for number in range(10):
            there = run(f"SELECT DISTINCT ?x0 WHERE {{ ?x0 {relation} M{number} }}")
            assert isinstance(there, list)
            for name in (n for n in there if n.startswith("M")):
                form = f"SELECT count ( * ) WHERE {{ M{number} {inverse(relation)} {name} }}"
                assert run(form) is True


def test_filters_hold() -> None:
    run = open_store(None, FIND)
    clauses = "?x0 film.director.film ?x1 . ?x1 film.film.directed_by M1"
    without = run(f"SELECT DISTINCT ?x0 WHERE {{ {clauses} }}")
    with_filter = run(f"SELECT DISTINCT ?x0 WHERE {{ {clauses} . FILTER ( ?x0 != M1 ) }}")
    assert isinstance(without, list)
    assert with_filter == [name for name in without if name != "M1"] != without


def test_facts_of_the_user_are_used(tmp_path: Path) -> None:
    ns = "http://rdf.freebase.com/ns/"
    facts = tmp_path / "facts.ttl"
    facts.write_text(f"@prefix ns: <{ns}> .\nns:M0 <{ns}film.director.film> ns:M1 .\n")
    run = open_store(facts, FIND)
    assert run("SELECT count ( * ) WHERE { M0 film.director.film M1 }") is True
    assert run("SELECT count ( * ) WHERE { M1 film.director.film M0 }") is False


def test_what_cannot_be_run_is_said() -> None:
    with pytest.raises(FormError, match="unsupported clause"):
        open_store(None, FIND)("SELECT DISTINCT ?x0 WHERE { drop all }")
