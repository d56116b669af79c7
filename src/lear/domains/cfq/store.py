"""CFQ's queries are executed: as SPARQL 1.1, on a triple store in a process that can be ended.

Names become full IRIs, since some stores reject prefixed names with several dots.
`SELECT count ( * )` becomes `ASK`: a yes/no question needs one match only.
"""

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import lear
from lear.benchmark import FindFile
from lear.domains.cfq.queries import (
    ANSWER,
    TYPE,
    WHETHER,
    Query,
    is_entity,
    is_variable,
    read_query,
)
from lear.errors import DataError, FormError, UsageError

NAMESPACE = "http://rdf.freebase.com/ns/"
RDF_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
MAX_CLAUSES = 100
"""The most clauses of a query; with thousands, stores hang or crash. CFQ's have 24."""
MAX_VARIABLES = 50
"""The most variables of a query; CFQ's have 6."""
MAX_PROPERTIES = 20
"""The most properties of one path; CFQ's have 4."""
_PROPERTY = re.compile(r"(\^?)(?:ns:)?([^/|^]+)")


def to_sparql(form: str) -> str:
    """Return the SPARQL of a form.

    Raises `FormError` if it is outside of CFQ's fragment, large, or in several pieces.
    """
    query = read_query(form)
    _check_size(query)
    _check_connected(query)
    head = "ASK" if query.head == WHETHER else "SELECT DISTINCT ?x0"
    clauses = [
        f"{_term(t.subject)} {_path(t.predicate)} {_term(t.object)} ." for t in query.triples
    ]
    clauses += [f"FILTER ( {_term(a)} != {_term(b)} )" for a, b in query.filters]
    return f"{head} WHERE {{ {' '.join(clauses)} }}"


def _check_size(query: Query) -> None:
    terms = [term for triple in query.triples for term in (triple.subject, triple.object)]
    paths = [_PROPERTY.findall(triple.predicate) for triple in query.triples]
    for number, most, what in (
        (len(query.triples) + len(query.filters), MAX_CLAUSES, "clauses"),
        (len(set(filter(is_variable, terms))), MAX_VARIABLES, "variables"),
        (max(map(len, paths)), MAX_PROPERTIES, "properties in one path"),
    ):
        if number > most:
            raise FormError(f"the query has {number:,} {what}, more than {most}")


def _check_connected(query: Query) -> None:
    """Require that all variables are connected: a cross product would take a store too long."""
    ends = {term for triple in query.triples for term in (triple.subject, triple.object)}
    terms = {term for term in ends if is_variable(term) or is_entity(term)}
    if query.head != WHETHER and ANSWER not in terms:
        raise FormError(f"the query says nothing of {ANSWER}")
    variables = sorted(term for term in terms if is_variable(term))
    reached = {term for term in terms if is_entity(term)} | set(variables[:1])
    grown = True
    while grown:
        grown = False
        for subject, _, value in query.triples:
            if (subject in reached) != (value in reached) and value in terms:
                reached |= {subject, value}
                grown = True
    lost = [term for term in variables if term not in reached]
    if lost:
        raise FormError(f"{lost[0]} is not connected with the rest of the query")


def iri(name: str) -> str:
    """Return the IRI of a type, a relation, an entity or a constant (`m_x` is `m.x`)."""
    if name == TYPE:
        return RDF_TYPE
    return f"{NAMESPACE}{f'm.{name[2:]}' if name.startswith('m_') else name}"


def _term(term: str) -> str:
    return term if is_variable(term) else f"<{iri(term)}>"


def _path(path: str) -> str:
    return _PROPERTY.sub(lambda match: f"{match[1]}<{iri(match[2])}>", path)


Answer = bool | list[str]
"""Yes or no, or the names of the things that were asked for, sorted."""
SECONDS = "LEAR_STORE_SECONDS"
MEGABYTES = "LEAR_STORE_MB"
LOADING = 60
"""How many times as long as a query the facts may take to load."""


class StoreLimits(NamedTuple):
    """What a store may use."""

    seconds: float = 5.0
    """For one query."""
    megabytes: int = 1000
    """The memory for all facts and one query."""

    @classmethod
    def from_environment(cls) -> "StoreLimits":
        """Return the limits that the environment sets, else the defaults."""
        default = cls()
        return cls(
            _number(SECONDS, default.seconds, 0.001, 10**6),
            int(_number(MEGABYTES, default.megabytes, 100, 10**7)),
        )


class StoreProcess:
    """A triple store in a process of its own; a query that ends the process is a `FormError`.

    The process starts at once, and again when it was ended. Threads take turns. A fork of this
    process starts a store of its own.
    """

    def __init__(self, facts: Path | None, limits: StoreLimits) -> None:
        """Start it; `facts` is a file, None for the world that ships."""
        self.facts = facts
        self.limits = limits
        self._turn = threading.Lock()
        self._start()

    def ask(self, sparql: str) -> Answer:
        """Return the answer to a query."""
        with self._turn:
            if self._owner != os.getpid() or self._process.poll() is not None:
                self._end()
                self._start()
            started = time.monotonic()
            reply = self._exchange(json.dumps(sparql).encode() + b"\n")
            seconds = time.monotonic() - started
        if reply is None:
            raise FormError(f"the query {self._cause_of_death(seconds, self.limits.seconds)}")
        if "error" in reply:
            raise FormError(f"the query cannot be run: {reply['error']}")
        answer: Answer = reply["answer"]
        return answer

    def _start(self) -> None:
        """Start the process, and wait until it has loaded the facts."""
        facts = "" if self.facts is None else str(self.facts.resolve())
        options = [str(self.limits.seconds), str(self.limits.megabytes), facts]
        # It finds what this process finds, and nothing in the folder that it happens to be in.
        package = str(Path(lear.__file__).parent.parent)
        paths = os.pathsep.join([*filter(None, sys.path), package])
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "lear.domains.cfq.triple_store", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": paths},
        )
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _end, self._process, self._owner)
        started = time.monotonic()
        reply = self._exchange(b"")
        if reply is None:
            cause = self._cause_of_death(time.monotonic() - started, LOADING * self.limits.seconds)
            raise DataError(f"{self.facts or 'the facts that ship'}: loading {cause}")
        if "line" in reply:
            raise DataError(f"{self.facts}:{reply['line']}: {reply['error']}")
        if "error" in reply:
            raise DataError(f"{self.facts}: cannot be read as triples: {reply['error']}")

    def _exchange(self, message: bytes) -> dict[str, Any] | None:
        """Send a message, and wait for the reply; None if the process ended over it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(message)
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except BrokenPipeError:
            line = b""
        except BaseException:
            # Whoever is interrupted here must not find this answer when he asks for another.
            self._end()
            raise
        if line.endswith(b"\n"):
            reply: dict[str, Any] = json.loads(line)
            return reply
        self._process.wait()
        self._end()
        return None

    def _cause_of_death(self, seconds: float, most_seconds: float) -> str:
        if seconds >= most_seconds:
            return f"takes more than {most_seconds:g} seconds ({SECONDS})"
        if self._process.returncode == -signal.SIGABRT:  # as stores do when memory is refused
            return f"needs more than {self.limits.megabytes:,} MB of memory ({MEGABYTES})"
        return f"crashes the triple store (exit code {self._process.returncode})"


def _end(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() == owner:  # not in a fork of the process that started it
        process.kill()
        process.communicate()


def _number(variable: str, default: float, least: float, most: float) -> float:
    """Return the number that a variable of the environment is set to."""
    text = os.environ.get(variable, "")
    try:
        value = float(text) if text else default
    except ValueError:
        value = -1
    if not least <= value <= most:
        raise UsageError(f"{variable} is a number from {least:g} to {most:g}, not {text!r}")
    return value


FORMATS = (".nt", ".ttl")
"""N-Triples and Turtle, by the ends of their names. RDF/XML has entities, and a file of a few lines
can stand for gigabytes."""


def open_store(path: Path | None, find: FindFile) -> Callable[[str], Answer]:
    """Return a function that executes queries on a file of triples, or on the world that ships.

    It raises `FormError` for what is no query in CFQ's spelling, and for what takes too long.

    Args:
        path: A file of triples; its ending says the format: .nt or .ttl.
        find: Not used: the world that ships is not in the data folder.
    """
    del find
    if find_spec("pyoxigraph") is None:
        raise DataError("running queries needs pyoxigraph: pip install 'lear[sparql]'")
    limits = StoreLimits.from_environment()
    if path is not None:
        _check_facts(path, limits.megabytes)
    store = StoreProcess(path, limits)
    return lambda form: store.ask(to_sparql(form))


def _check_facts(path: Path, megabytes: int) -> None:
    """Raise `DataError` unless a file may be given to the store, which reads it within limits."""
    if path.suffix.lower() not in FORMATS:
        raise DataError(
            f"{path}: facts are read from N-Triples (.nt) and Turtle (.ttl), "
            f"not from {path.suffix or 'a file without such an ending'}"
        )
    if path.exists() and not path.is_file():
        raise DataError(f"{path}: cannot be read: not a file")
    if path.exists() and path.stat().st_size > megabytes * 10**6:
        raise DataError(f"{path}: larger than the store may get: {megabytes:,} MB ({MEGABYTES})")
    try:
        path.open("rb").close()
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}") from None
