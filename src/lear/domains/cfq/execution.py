"""Executing queries on a triple store: the world that ships, or a file of the user's."""

from collections.abc import Callable
from pathlib import Path

from lear.domain.example import FindFile
from lear.domains.cfq.query_text import TYPE
from lear.domains.cfq.sparql_export import NAMESPACE, RDF_TYPE, iri, to_sparql
from lear.domains.cfq.world import triples
from lear.errors import DataError

Answer = bool | list[str]
"""Yes or no, or the names of the things that were asked for, sorted."""


def open_store(path: Path | None, find: FindFile) -> Callable[[str], Answer]:
    """A function that executes queries on a file of triples, or on the world that ships.

    Args:
        path: A file of triples; its ending says the format: .nt, .ttl, .rdf, .nq, .trig.
        find: Not used: the world that ships is not in the data folder.
    """
    del find
    try:
        import pyoxigraph
    except ModuleNotFoundError:
        raise DataError("running queries needs pyoxigraph: pip install 'lear[sparql]'") from None
    store = pyoxigraph.Store()
    if path is None:
        lines = (f"<{iri(s)}> {_predicate(p)} <{iri(o)}> ." for s, p, o in triples())
        store.load("\n".join(lines).encode(), pyoxigraph.RdfFormat.N_TRIPLES)
    else:
        try:
            store.load(path=str(path))
        except (OSError, SyntaxError, ValueError) as error:
            raise DataError(f"{path}: cannot be read as triples: {error}") from None

    def run(form: str) -> Answer:
        """The answer to a query in CFQ's spelling; raises `FormError` if it is no such query."""
        result = store.query(to_sparql(form))
        if isinstance(result, pyoxigraph.QueryBoolean):
            return bool(result)
        assert isinstance(result, pyoxigraph.QuerySolutions)  # to_sparql writes ASK and SELECT only
        return sorted(_name(solution[0]) for solution in result)

    return run


def _predicate(name: str) -> str:
    return RDF_TYPE if name == TYPE else f"<{iri(name)}>"


def _name(term: object) -> str:
    return str(getattr(term, "value", term)).removeprefix(NAMESPACE)
