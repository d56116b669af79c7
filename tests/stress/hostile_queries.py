"""Queries and files of facts that are expensive or hostile: an answer or one line, soon."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from lear.domains.cfq.domain import CFQ
from lear.domains.cfq.triple_store import triples
from lear.storage.datasets import DataFolder
from tests.stress.damage import damaged
from tests.stress.forks import in_child
from tests.stress.results import Sizes, StageResult, scratch_folder

TIME_LIMIT = 30.0
"""What takes longer has hung."""
MAX_MEMORY_MB = 1_000
NUMBERS = (2, 4, 8, 12, 20, 50, 100, 101, 1_000, 10_000)
"""Of clauses, variables or levels."""
NS = "http://rdf.freebase.com/ns/"
ANY_QUERY = "SELECT DISTINCT ?x0 WHERE { ?x0 film.director.film ?x1 }"


class Case(NamedTuple):
    """A query on a file of facts, or on the world that ships."""

    title: str
    query: str = ANY_QUERY
    store: tuple[str, bytes] | None = None
    """How the file's name ends, and what is in it."""


def stress(sizes: Sizes) -> StageResult:
    """Execute so many."""
    result = StageResult("queries", {"queries and stores": 0, "crashes, hangs, over 1 GB": 0})
    with scratch_folder() as root:
        for number, case in zip(range(sizes.queries), cases(sizes.seed), strict=False):
            store = None
            if case.store is not None:
                store = root / f"facts-{number}{case.store[0]}"
                store.write_bytes(case.store[1])
            ended = in_child(lambda s=store, c=case: _execute(s, c.query), TIME_LIMIT)  # type: ignore[misc]
            is_over = ended.peak_mb > MAX_MEMORY_MB
            result.count("queries and stores")
            result.count("answered" if ended.exit_code == 0 else "refused")
            if is_over or ended.is_late or not (ended.exit_code == 0 or ended.is_ours):
                result.count("crashes, hangs, over 1 GB")
                memory = f"{ended.peak_mb:.0f} MB"
                late = f"more than {TIME_LIMIT:g} s" if ended.is_late else ""
                end = ended.error or late or f"exit code {ended.exit_code}"
                result.breach(f"{case.title}: {end}, {memory}")
    return result


def _execute(store: Path | None, query: str) -> None:
    assert CFQ.execution is not None
    CFQ.execution.open_store(store, DataFolder.choose(None).find)(query)


def cases(seed: int) -> Iterator[Case]:
    """Cases without end: first those that are known to be hard, then random ones."""
    rng = random.Random(seed)
    relations = sorted({name for _, name, _ in triples() if name != "a"})
    makers = (_star, _chain, _cycle, _clique, _union, _path, _filters)
    for number in NUMBERS:
        for maker in makers:
            yield Case(f"{maker.__name__} of {number}", maker(number, rng.choice(relations)))
    yield from _odd_queries()
    yield from _hard_stores()
    good_store = "".join(f"<{NS}M{n}> <{NS}p> <{NS}M{n + 1}> .\n" for n in range(50)).encode()
    while True:
        query = rng.choice(makers)(rng.choice(NUMBERS[:8]), rng.choice(relations))
        if rng.random() < 0.5:
            ending = rng.choice((".nt", ".ttl", ".nq", ".trig", ".rdf"))
            yield Case(f"damaged facts{ending}", query, (ending, damaged(good_store, rng)))
        else:
            text = damaged(query.encode(), rng).decode("utf-8", "replace")
            yield Case(f"damaged query {text[:80]!r}", text)


def _select(clauses: Iterator[str] | list[str]) -> str:
    return f"SELECT DISTINCT ?x0 WHERE {{ {' . '.join(clauses)} }}"


def _star(number: int, relation: str) -> str:
    return _select([f"?x0 {relation} ?x{n + 1}" for n in range(number)])


def _chain(number: int, relation: str) -> str:
    return _select([f"?x{n} {relation} ?x{n + 1}" for n in range(number)])


def _cycle(number: int, relation: str) -> str:
    return _select([f"?x{n} {relation} ?x{(n + 1) % number}" for n in range(number)])


def _clique(number: int, relation: str) -> str:
    side = max(2, int(number**0.5))
    pairs = [(a, b) for a in range(side) for b in range(side) if a != b]
    return _select([f"?x{a} {relation} ?x{b}" for a, b in pairs])


def _union(number: int, relation: str) -> str:
    return _select([f"?x0 {'|ns:'.join([relation] * number)} ?x1", "?x1 a people.person"])


def _path(number: int, relation: str) -> str:
    return _select([f"?x0 {'/ns:'.join([relation] * number)} ?x1"])


def _filters(number: int, relation: str) -> str:
    variables = [f"?x{n}" for n in range(min(number, 12))]
    clauses = [f"{variable} {relation} M{n}" for n, variable in enumerate(variables)]
    pairs = [(a, b) for a in variables for b in variables if a < b] * (number // 60 + 1)
    return _select([*clauses, *(f"FILTER ( {a} != {b} )" for a, b in pairs)])


def _odd_queries() -> Iterator[Case]:
    for query in (
        *("", " ", "{", "}" * 10_000, "SELECT", "x" * 1_000_000, "\x00", "SELECT " * 100_000),
        "SELECT DISTINCT ?x0 WHERE { ?x0 film.director.film M1 } } ; DROP ALL",
        "SELECT DISTINCT ?x0 WHERE { ?x0 <http://a> ?x1 }",
        f"SELECT DISTINCT ?x0 WHERE {{ ?x0 {'(' * 10_000} M1 }}",
        "SELECT count ( * ) WHERE { SERVICE <http://example.org> { ?s ?p ?o } }",
        "SELECT DISTINCT ?x0 WHERE { ?x0 film.director.film+ ?x1 }",
        f"SELECT DISTINCT ?x0 WHERE {{ ?x0 {'^' * 10_000}film.director.film ?x1 }}",
        f"SELECT DISTINCT ?x0 WHERE {{ ?x0 film.director.film M{'9' * 100_000} }}",
        "SELECT DISTINCT ?x99999999999999 WHERE { ?x0 a people.person }",
        "LOAD <file:///etc/passwd>",
    ):
        yield Case(f"query {query[:40]!r}", query)


def _hard_stores() -> Iterator[Case]:
    """Files of facts that take long, much memory, or a deep stack to read."""
    triple = f"<{NS}M0> <{NS}film.director.film> "
    many = "".join(f"<{NS}M{n}> <{NS}p> <{NS}M{n + 1}> .\n" for n in range(200_000))
    entities = "".join(
        f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' if n else '<!ENTITY e1 "aaaaaaaaaa">'
        for n in range(10)
    )
    rdf = 'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/"'
    bomb = f'<?xml version="1.0"?><!DOCTYPE r [{entities}]><rdf:RDF {rdf}>'
    bomb += "<rdf:Description><e:p>&e10;</e:p></rdf:Description></rdf:RDF>"
    stores = {
        "many triples": (".nt", many),
        "nested lists": (".ttl", f"{triple}{'(' * 200_000}{')' * 200_000} ."),
        "nested blank nodes": (".ttl", f"{triple}{'[ <p:p> ' * 100_000}{']' * 100_000} ."),
        "nested quoted triples": (".ttl", f"{'<< ' * 100_000}"),
        "one long literal": (".nt", f'{triple}"{"x" * 30_000_000}" .\n'),
        "a line without end": (".nt", "<" * 10_000_000),
        "nested entities": (".rdf", bomb),
        "nested elements": (".rdf", f"<rdf:RDF {rdf}>" + "<e:p><rdf:Bag>" * 50_000),
        "many prefixes": (".ttl", "".join(f"@prefix p{n}: <h:{n}> .\n" for n in range(50_000))),
        "nested graphs": (".trig", "{ " * 100_000),
        "nothing": (".ttl", ""),
        "lines without anything": (".nt", "\n" * 30_000_000),
        "another kind": (".csv", "a,b"),
        "no kind": ("", "a"),
    }
    for title, (ending, text) in stores.items():
        yield Case(f"facts: {title}", store=(ending, text.encode()))
    for ending in (".nt", ".ttl", ".nq", ".trig", ".rdf"):
        yield Case(f"facts: noise{ending}", store=(ending, bytes(range(256)) * 1_000))
