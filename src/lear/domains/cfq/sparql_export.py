"""CFQ's queries as SPARQL 1.1 that a triple store runs.

The preprocessing of CFQ drops prefixes and writes `count ( * )`; here names become full IRIs (some
stores do not take prefixed names with several dots) and the count gets a variable to go to.
"""

import re

from lear.domains.cfq.query_text import (
    ANSWER,
    TYPE,
    WHETHER,
    Query,
    is_entity,
    is_variable,
    read_query,
)
from lear.errors import FormError

NAMESPACE = "http://rdf.freebase.com/ns/"
RDF_TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
_STEP = re.compile(r"(\^?)(?:ns:)?([^/|^]+)")


def to_sparql(form: str) -> str:
    """A query in full; raises `FormError` where it is outside of CFQ's fragment."""
    return query_to_sparql(read_query(form))


def query_to_sparql(query: Query) -> str:
    """A query in full; raises `FormError` where it asks for nothing, or for everything."""
    _check_connected(query)
    # A yes/no question asks whether there is anything: one match is enough to know.
    head = "ASK" if query.head == WHETHER else "SELECT DISTINCT ?x0"
    clauses = [
        f"{_term(t.subject)} {_path(t.predicate)} {_term(t.object)} ." for t in query.triples
    ]
    clauses += [f"FILTER ( {_term(a)} != {_term(b)} )" for a, b in query.filters]
    return f"{head} WHERE {{ {' '.join(clauses)} }}"


def _check_connected(query: Query) -> None:
    """Every variable must hang on an entity or on the others: a store has no time for products."""
    terms = {term for t in query.triples for term in (t.subject, t.object) if not _is_name(term)}
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


def _is_name(term: str) -> bool:
    return not is_variable(term) and not is_entity(term)


def iri(name: str) -> str:
    """The full name of a type, a relation, an entity or a constant (`m_x` is `m.x`)."""
    return f"{NAMESPACE}{f'm.{name[2:]}' if name.startswith('m_') else name}"


def _term(term: str) -> str:
    return term if is_variable(term) else f"<{iri(term)}>"


def _path(path: str) -> str:
    if path == TYPE:
        return RDF_TYPE
    return _STEP.sub(lambda step: f"{step[1]}<{iri(step[2])}>", path)
