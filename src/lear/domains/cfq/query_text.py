"""Reading and printing the text of CFQ's queries: a head and a list of clauses.

CFQ uses a fragment of SPARQL: `SELECT DISTINCT ?x0` or `SELECT count ( * )`, and a conjunction of
triples `subject path object`, types `subject a type` and `FILTER ( a != b )`. Queries are printed
in the spelling of CFQ's preprocessing; the spelling of `dataset.json` can be read too.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from lear.domains.cfq.schema import is_path
from lear.errors import FormError

Head = Literal["SELECT DISTINCT ?x0", "SELECT count ( * )"]
WHICH: Head = "SELECT DISTINCT ?x0"
WHETHER: Head = "SELECT count ( * )"
TYPE = "a"
MAX_ENTITIES = 10
"""Entities of a query: M0 to M9."""
ANSWER = "?x0"
"""The variable that a WHICH query asks for."""


class Triple(NamedTuple):
    """A subject, a predicate (`a` or a property path) and an object."""

    subject: str
    predicate: str
    object: str


class Query(NamedTuple):
    """A query, with its clauses in the order of the text."""

    head: Head
    triples: tuple[Triple, ...]
    filters: tuple[tuple[str, str], ...]
    """Pairs of terms that must differ."""


_VARIABLE = re.compile(r"\?x(?:0|[1-9][0-9]{0,3})")
_ENTITY = re.compile(r"M[0-9]")
_TOO_LARGE = re.compile(r"M[0-9]{2,}")
_CONSTANT = re.compile(r"m_[0-9a-z_]+")
_TYPE_NAME = re.compile(r"[a-z_]+(?:\.[a-z_]+)+")


def normalise(text: str) -> str:
    """A query in the spelling of CFQ's preprocessing, from either spelling."""
    spaced = text.replace("count(*)", "count ( * )").replace("\\n", " ")
    tokens = []
    for token in re.sub(r"([{}])", r" \1 ", spaced).split():
        name = token.removeprefix("ns:")
        tokens.append(f"m_{name[2:]}" if name.startswith("m.") else name)
    return " ".join(tokens)


def read_query(text: str) -> Query:
    """Read a query; raises `FormError` that names what is outside the fragment."""
    head, where, body = normalise(text).partition(" WHERE { ")
    if not (where and head.startswith("SELECT ") and body.endswith(" }")):
        raise FormError(f"not of the form SELECT ... WHERE {{ ... }}: {_shorten(text)}")
    if head not in (WHICH, WHETHER):
        raise FormError(f"unsupported head: {_shorten(head)}")
    triples: list[Triple] = []
    filters: list[tuple[str, str]] = []
    for clause in body.removesuffix(" }").removesuffix(" .").split(" . "):
        match clause.split():
            case ["FILTER", "(", left, "!=", right, ")"]:
                filters.append((_term(left, clause), _term(right, clause)))
            case [subject, predicate, value]:
                triples.append(_triple(subject, predicate, value, clause))
            case _:
                raise FormError(f"unsupported clause: {_shorten(clause)}")
    if not triples:
        raise FormError("a query without a triple")
    return Query(WHICH if head == WHICH else WHETHER, tuple(triples), tuple(filters))


def _triple(subject: str, predicate: str, value: str, clause: str) -> Triple:
    _term(subject, clause)
    if predicate == TYPE:
        if not _TYPE_NAME.fullmatch(value):
            raise FormError(f"not a type: {_shorten(clause)}")
    elif not is_path(predicate):
        raise FormError(f"property path does not parse: {_shorten(predicate)}")
    elif not _CONSTANT.fullmatch(value):
        _term(value, clause)
    return Triple(subject, predicate, value)


def _term(text: str, clause: str) -> str:
    """The text, if it is a variable or an entity; else raise `FormError`."""
    if _VARIABLE.fullmatch(text) or is_entity(text):
        return text
    if _TOO_LARGE.fullmatch(text):
        raise FormError(f"more than ten entities, M0 to M9: {_shorten(text)}")
    raise FormError(f"neither a variable nor an entity: {_shorten(text)} in {_shorten(clause)}")


def print_query(head: Head, clauses: Sequence[str]) -> str:
    """The text of a query with these clauses, as CFQ writes it."""
    return f"{head} WHERE {{ {' . '.join(clauses)} }}"


def is_entity(term: str) -> bool:
    """Whether a term is one of the entities M0 to M9."""
    return _ENTITY.fullmatch(term) is not None


def is_variable(term: str) -> bool:
    """Whether a term is a variable."""
    return term.startswith("?")


def _shorten(text: str, max_length: int = 80) -> str:
    return repr(text if len(text) <= max_length else f"{text[:max_length]}...")
