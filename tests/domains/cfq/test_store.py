"""CFQ's queries are run: right, within limits, and with one line for what cannot be run."""

import gc
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from lear.benchmark import Example
from lear.domains.cfq import store as execution
from lear.domains.cfq.queries import inverse
from lear.domains.cfq.store import StoreLimits, StoreProcess, open_store, to_sparql
from lear.domains.cfq.triple_store import triples
from lear.errors import DataError, FormError, UsageError
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


pytest.importorskip("pyoxigraph", reason="needs pyoxigraph: pip install lear[sparql]")

FIND = DataFolder.choose(None).find
CHEAP = "SELECT count ( * ) WHERE { M0 a people.person }"
TRIPLE = b"<http://a/a> <http://a/b> <http://a/c> .\n"
DEEP_TRIPLE = b"<<( <a:a> <a:b>\n" * 300_000 + b"<a:c>" + b" )>>\n" * 300_000


def star(paths: int) -> str:
    """A query that a store joins all ways, with as many triples on one variable."""
    clauses = " . ".join(f"?x0 film.director.film ?x{n}" for n in range(1, paths + 1))
    return f"SELECT DISTINCT ?x0 WHERE {{ {clauses} }}"


def chain(length: int) -> str:
    clauses = " . ".join(f"?x{n} film.director.film ?x{n + 1}" for n in range(length))
    return f"SELECT DISTINCT ?x0 WHERE {{ {clauses} }}"


def with_path(mark: str, length: int) -> str:
    path = mark.join(["ns:film.director.film"] * length)[3:]
    return f"SELECT DISTINCT ?x0 WHERE {{ ?x0 {path} M0 }}"


@pytest.mark.parametrize(
    ("form", "said"),
    [
        (chain(101), "has 101 clauses, more than 100"),
        (chain(9_000), "has 9,000 clauses, more than 100"),
        (chain(50), "has 51 variables, more than 50"),
        (with_path("/", 21), "has 21 properties in one path, more than 20"),
        (with_path("|", 9_000), "has 9,000 properties in one path, more than 20"),
        ("SELECT " + "WHERE { " * 200_000, "not of the form SELECT"),
    ],
    ids=["clauses", "many clauses", "variables", "path", "alternatives", "no end"],
)
def test_a_large_query_is_not_given_to_the_store(form: str, said: str) -> None:
    with pytest.raises(FormError, match=said):
        open_store(None, FIND)(form)


def test_a_query_that_takes_too_long_is_ended_and_the_next_one_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("LEAR_STORE_SECONDS", "1")
    run = open_store(None, FIND)
    assert run(CHEAP) is True
    with pytest.raises(FormError, match=r"^the query takes more than 1 seconds \(LEAR_STORE_SEC"):
        run(star(8))
    assert run(CHEAP) is True


# Which of the two, the store or Python, is refused memory first depends on the limit.
@pytest.mark.parametrize("megabytes", [220, 240, 255])
def test_a_query_that_takes_too_much_memory_is_ended(tmp_path: Path, megabytes: int) -> None:
    things = [f"<http://rdf.freebase.com/ns/m.{n}>" for n in range(300)]
    relation = "<http://rdf.freebase.com/ns/film.director.film>"
    facts = tmp_path / "dense.nt"
    facts.write_text("".join(f"{a} {relation} {b} .\n" for a in things for b in things))
    store = StoreProcess(facts, StoreLimits(seconds=600, megabytes=megabytes))
    query = "SELECT DISTINCT ?a ?b ?c ?d WHERE { ?a ?p ?b . ?b ?p ?c . ?c ?p ?d }"
    with pytest.raises(FormError, match=rf"^the query needs more than {megabytes} MB .*_STORE_MB"):
        store.ask(query)


def test_a_process_that_died_is_replaced() -> None:
    store = StoreProcess(None, StoreLimits())
    for _ in range(2):
        store._process.kill()
        store._process.wait()
        assert store.ask("ASK { ?a ?b ?c }") is True


FORK = """
import os
from lear.domains.cfq.store import StoreLimits, StoreProcess
store = StoreProcess(None, StoreLimits())
assert store.ask("ASK { ?a ?b ?c }") is True
child = os.fork()
if child == 0:
    os._exit(0 if store.ask("ASK { ?a ?b ?c }") is True else 1)
assert os.waitpid(child, 0)[1] == 0
assert store._process.poll() is None, "the fork has ended it"
assert store.ask("ASK { ?a ?b ?c }") is True
"""


def test_a_fork_has_a_store_of_its_own() -> None:
    # In a process of its own: those with threads should not fork.
    result = subprocess.run([sys.executable, "-c", FORK], capture_output=True, check=False)
    assert (result.returncode, result.stderr) == (0, b"")


def test_no_process_is_left_behind() -> None:
    store = StoreProcess(None, StoreLimits())
    process: subprocess.Popen[bytes] = store._process
    del store
    gc.collect()
    assert process.poll() is not None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("facts.ttl", b"no triples", "facts.ttl: cannot be read as triples: .*line 1"),
        ("facts.xyz", TRIPLE, r"read from N-Triples \(.nt\) and Turtle \(.ttl\), not from .xyz"),
        ("bomb.rdf", b"<?xml version='1.0'?>", "not from .rdf"),
        ("facts", TRIPLE, "not from a file without"),
        ("facts.nt", b"\xff\xfe", "facts.nt:1: not UTF-8 text"),
        ("facts.nt", TRIPLE + b'<a:a> <a:b> "' + b"x" * 10**6, "facts.nt:2: a line of more than"),
        ("deep.ttl", b"<a:a> <a:b>" + b" (\n" * 10**6, "loading needs more than 200 MB"),
        ("deep.ttl", b"<a:a> <a:b> " + DEEP_TRIPLE + b" .", "loading (needs|crashes)"),
    ],
    ids=["text", "kind", "RDF/XML", "no kind", "bytes", "long line", "deep list", "deep triple"],
)
def test_hostile_facts_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, said: str
) -> None:
    monkeypatch.setenv("LEAR_STORE_MB", "200")
    facts = tmp_path / name
    facts.write_bytes(content)
    with pytest.raises(DataError, match=said) as caught:
        open_store(facts, FIND)
    assert "\n" not in str(caught.value)


def test_no_line_of_facts_is_read_but_in_the_process_that_has_limits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Path | None] = []

    def take(facts: Path | None, limits: StoreLimits) -> None:
        del limits
        given.append(facts)

    monkeypatch.setattr(execution, "StoreProcess", take)
    facts = tmp_path / "facts.nt"
    facts.write_bytes(b"\xff\n" * 100)
    open_store(facts, FIND)
    assert given == [facts]


def make_large(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(201 * 10**6)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (make_large, r"larger than the store may get: 200 MB \(LEAR_STORE_MB\)"),
        (Path.mkdir, "not a file"),
        (os.mkfifo, "not a file"),
        (lambda path: None, "cannot be read: No such file"),
    ],
    ids=["large", "folder", "pipe", "absent"],
)
def test_what_is_no_file_of_facts_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None], said: str
) -> None:
    monkeypatch.setenv("LEAR_STORE_MB", "200")
    facts = tmp_path / "facts.nt"
    make(facts)
    with pytest.raises(DataError, match=said):
        open_store(facts, FIND)


@pytest.mark.parametrize("name", ["facts.nt", "FACTS.TTL"])
def test_marks_and_line_ends_of_other_systems_are_read(tmp_path: Path, name: str) -> None:
    facts = tmp_path / name
    triple = TRIPLE.replace(b"\n", b"\r\n")
    facts.write_bytes(b"\xef\xbb\xbf" + triple)
    store = StoreProcess(facts, StoreLimits())
    assert store.ask("ASK { <http://a/a> <http://a/b> <http://a/c> }") is True


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("LEAR_STORE_SECONDS", "0"),
        ("LEAR_STORE_SECONDS", "nan"),
        ("LEAR_STORE_SECONDS", "soon"),
        ("LEAR_STORE_MB", "-1"),
    ],
)
def test_limits_that_are_none_are_refused(
    monkeypatch: pytest.MonkeyPatch, variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)
    with pytest.raises(UsageError, match=f"{variable} is a number from .* not '{value}'"):
        open_store(None, FIND)
