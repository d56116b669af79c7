"""A triple store that answers queries, in a process of its own: see `store_process`.

A query cannot be interrupted, but a process can be ended. This one ends itself when a query takes
too long, also if nobody is left to wait for it. Run as a script, with lines of JSON:

    in:   SPARQL, as a string
    out:  {"error": ...} or {}, once the facts are loaded; then {"answer": ...} or {"error": ...};
          with "line" where one line of the facts is no text, or has no end
"""

import faulthandler
import json
import os
import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyoxigraph

from lear.domains.cfq.query_text import TYPE
from lear.domains.cfq.sparql_export import NAMESPACE, RDF_TYPE, iri
from lear.domains.cfq.store_process import LOADING
from lear.domains.cfq.world import triples
from lear.storage.text_lines import TextLine, first_bad_line


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
    lines = (f"<{iri(s)}> {_predicate(p)} <{iri(o)}> ." for s, p, o in triples())
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


def _predicate(name: str) -> str:
    return RDF_TYPE if name == TYPE else f"<{iri(name)}>"


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
