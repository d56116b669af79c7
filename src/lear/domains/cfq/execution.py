"""Executing queries on a triple store: the world that ships, or a file of the user's."""

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from lear.domain.example import FindFile
from lear.domains.cfq.sparql_export import to_sparql
from lear.domains.cfq.store_process import MEGABYTES, Answer, StoreLimits, StoreProcess
from lear.errors import DataError

FORMATS = (".nt", ".ttl")
"""N-Triples and Turtle, by the ends of their names. RDF/XML has entities, and a file of a few lines
can stand for gigabytes."""


def open_store(path: Path | None, find: FindFile) -> Callable[[str], Answer]:
    """A function that executes queries on a file of triples, or on the world that ships.

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
