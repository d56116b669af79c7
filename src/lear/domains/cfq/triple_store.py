"""A process that loads triples and answers queries, and the invented world that ships.

`lear.domains.cfq.store` runs it as a script, since a query cannot be interrupted but a process can
be ended. It ends itself when a query takes too long. The input is lines of JSON strings, SPARQL.
The output is {"error": ...} or {} once the facts are loaded, with "line" where one line of them is
no text or has no end; then {"answer": ...} or {"error": ...} for each query. The real answers of
CFQ are not known: M0 to M9 are people, films and companies at once, so any question can name them.
"""

import faulthandler
import json
import os
import random
import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyoxigraph

from lear.domains.cfq.queries import MAX_ENTITIES, SIBLING, SPOUSE, Triple, inverse
from lear.domains.cfq.store import LOADING, NAMESPACE, iri
from lear.storage.files import TextLine, first_bad_line

SEED = 2020
PEOPLE = tuple(f"person_{number}" for number in range(1, 13))
FILMS = tuple(f"film_{number}" for number in range(1, 13))
COMPANIES = tuple(f"company_{number}" for number in range(1, 7))
PLACEHOLDERS = tuple(f"M{number}" for number in range(MAX_ENTITIES))

_PERSON_TYPES = (
    "film.actor",
    "film.director",
    "film.editor",
    "film.producer",
    "film.writer",
    "film.cinematographer",
    "film.film_art_director",
    "film.film_costumer_designer",
    "fictional_universe.fictional_character",
)
_COMPANY_TYPES = ("film.production_company", "film.film_distributor")
GENDERS = ("m_05zppz", "m_02zsn")
COUNTRIES = (
    "m_09c7w0", "m_07ssc", "m_0d060g", "m_0d05w3", "m_059j2", "m_0f8l9c",
    "m_0345h", "m_03rjj", "m_03_3d", "m_0b90_r", "m_06mkj", "m_0d0vqn",
)  # fmt: skip

# Relation, its possible subjects and objects, and its probability for each pair.
_RELATIONS = (
    ("film.director.film", PEOPLE, FILMS, 0.12),
    ("film.editor.film", PEOPLE, FILMS, 0.12),
    ("film.writer.film", PEOPLE, FILMS, 0.12),
    ("film.producer.films_executive_produced", PEOPLE, FILMS, 0.12),
    ("film.producer.film|ns:film.production_company.films", (*PEOPLE, *COMPANIES), FILMS, 0.12),
    ("film.cinematographer.film", PEOPLE, FILMS, 0.1),
    ("film.film_art_director.films_art_directed", PEOPLE, FILMS, 0.1),
    ("film.film_costumer_designer.costume_design_for_film", PEOPLE, FILMS, 0.1),
    (
        "film.film_distributor.films_distributed/ns:film.film_film_distributor_relationship.film",
        COMPANIES, FILMS, 0.2,
    ),
    ("film.actor.film/ns:film.performance.film", PEOPLE, FILMS, 0.15),
    ("film.actor.film/ns:film.performance.character", PEOPLE, PEOPLE, 0.1),
    ("film.film.prequel", FILMS, FILMS, 0.05),
    ("influence.influence_node.influenced", PEOPLE, PEOPLE, 0.12),
    ("organization.organization_founder.organizations_founded", PEOPLE, COMPANIES, 0.15),
    ("business.employer.employees/ns:business.employment_tenure.person", COMPANIES, PEOPLE, 0.2),
    (
        "organization.organization.companies_acquired/ns:business.acquisition.company_acquired",
        COMPANIES, COMPANIES, 0.15,
    ),
    (
        "people.person.parents|ns:fictional_universe.fictional_character.parents"
        "|ns:organization.organization.parent/ns:organization.organization_relationship.parent",
        PEOPLE, PEOPLE, 0.08,
    ),
    (SPOUSE, PEOPLE, PEOPLE, 0.06),
    (SIBLING, PEOPLE, PEOPLE, 0.06),
)  # fmt: skip


def triples() -> Iterator[Triple]:
    """Yield all facts of this world; the predicates are single properties, not property paths."""
    rng = random.Random(SEED)
    yield from _descriptions(rng)
    num_events = 0
    for relation, subjects, objects, probability in _RELATIONS:
        for first in (*subjects, *PLACEHOLDERS):
            for second in (*objects, *PLACEHOLDERS):
                if rng.random() < probability and first != second:
                    for path, begin, end in (
                        (relation, first, second),
                        (inverse(relation), second, first),
                    ):
                        num_events += 1
                        yield from _path(path, begin, end, f"event_{num_events}")


def _descriptions(rng: random.Random) -> Iterator[Triple]:
    """Yield types, genders and nationalities."""
    for name in (*PEOPLE, *PLACEHOLDERS):
        yield Triple(name, "a", "people.person")
        for kind in rng.sample(_PERSON_TYPES, 3):
            yield Triple(name, "a", kind)
        yield Triple(name, "people.person.gender", rng.choice(GENDERS))
        for country in rng.sample(COUNTRIES, rng.choice((1, 1, 2))):
            yield Triple(name, "people.person.nationality", country)
    for name in (*FILMS, *PLACEHOLDERS):
        yield Triple(name, "a", "film.film")
    for name in (*COMPANIES, *PLACEHOLDERS):
        yield Triple(name, "a", "business.employer")
        yield Triple(name, "a", rng.choice(_COMPANY_TYPES))


def _path(path: str, begin: str, end: str, event: str) -> Iterator[Triple]:
    """Yield the triples by which the first alternative of a path leads from begin to end."""
    properties = path.split("|")[0].split("/")
    nodes = [begin, *(f"{event}_{number}" for number in range(1, len(properties))), end]
    for name, subject, value in zip(properties, nodes, nodes[1:], strict=False):
        yield Triple(subject, name.removeprefix("ns:"), value)


def main() -> None:
    """Load facts, and answer the queries of standard input until it ends."""
    seconds, megabytes = float(sys.argv[1]), int(sys.argv[2])
    # Whoever is at the terminal interrupts the process that asks, which then ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(megabytes)
    store = pyoxigraph.Store()
    try:
        with _at_most(LOADING * seconds):
            bad = _load(store, sys.argv[3])
    except (OSError, SyntaxError, ValueError) as error:
        _say({"error": str(error)})
        return
    _say({} if bad is None else {"line": bad.number, "error": bad.error})
    for line in sys.stdin:
        try:
            with _at_most(seconds):
                answer = _answer(store, json.loads(line))
            _say({"answer": answer})
        except (OSError, SyntaxError, ValueError) as error:
            _say({"error": str(error)})


def _load(store: pyoxigraph.Store, facts: str) -> TextLine | None:
    """Load a file whose ending says its format, or the world that ships if there is none.

    A line that keeps the file from being loaded is returned.
    """
    if facts:
        return _load_file(store, Path(facts))
    lines = (f"<{iri(s)}> <{iri(p)}> <{iri(o)}> ." for s, p, o in triples())
    store.load("\n".join(lines).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    return None


def _load_file(store: pyoxigraph.Store, path: Path) -> TextLine | None:
    with path.open("rb") as stream:
        if bad := first_bad_line(stream):
            return bad
        stream.seek(0)
        if stream.read(len(BOM_UTF8)) != BOM_UTF8:
            stream.seek(0)
        extension = path.suffix.removeprefix(".").lower()
        store.load(stream, pyoxigraph.RdfFormat.from_extension(extension))
    return None


def _answer(store: pyoxigraph.Store, query: str) -> bool | list[str]:
    result = store.query(query)
    if isinstance(result, pyoxigraph.QueryBoolean):
        return bool(result)
    assert isinstance(result, pyoxigraph.QuerySolutions)  # to_sparql writes ASK and SELECT only
    return sorted(_name(solution[0]) for solution in result)


def _name(term: object) -> str:
    return str(getattr(term, "value", term)).removeprefix(NAMESPACE)


def _say(message: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


@contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """End this process if the block takes longer, whatever it waits for."""
    _end_after(seconds)
    try:
        yield
    finally:
        _end_after(0)


def _end_after(seconds: float) -> None:
    """End this process then; 0 is never."""
    if hasattr(signal, "setitimer"):
        # Nobody handles the signal, so the system ends the process, and no thread has to start.
        signal.setitimer(signal.ITIMER_REAL, seconds)
    elif seconds:  # Windows
        faulthandler.dump_traceback_later(seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit_memory(megabytes: int) -> None:
    try:
        import resource
    except ImportError:  # Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    wanted = megabytes * 10**6
    limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    with suppress(OSError, ValueError):  # macOS has no such limit
        resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    # A store that runs out of memory aborts; nobody wants a gigabyte of core dump for it.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        # The store aborts where it is refused memory; so must Python, or the cause is lost.
        os.abort()
