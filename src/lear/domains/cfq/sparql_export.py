"""CFQ's queries as SPARQL 1.1 that a triple store can execute.

Names become full IRIs: CFQ's preprocessing drops prefixes, and some stores reject prefixed names
with several dots. `SELECT count ( * )` becomes `ASK`: a yes/no question needs one match only.
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
MAX_CLAUSES = 100
"""Of a query that is given to a store; with thousands, stores hang or crash. CFQ's have 24."""
MAX_VARIABLES = 50
"""Of such a query; CFQ's have 6."""
MAX_PROPERTIES = 20
"""Of one property path in it; CFQ's have 4."""
_PROPERTY = re.compile(r"(\^?)(?:ns:)?([^/|^]+)")


def to_sparql(form: str) -> str:
    """The SPARQL of a form; raises `FormError` if it is outside of CFQ's fragment."""
    return query_to_sparql(read_query(form))


def query_to_sparql(query: Query) -> str:
    """The SPARQL of a query; raises `FormError` if it is large, or in several pieces."""
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
    """The IRI of a type, a relation, an entity or a constant (`m_x` is `m.x`)."""
    return f"{NAMESPACE}{f'm.{name[2:]}' if name.startswith('m_') else name}"


def _term(term: str) -> str:
    return term if is_variable(term) else f"<{iri(term)}>"


def _path(path: str) -> str:
    if path == TYPE:
        return RDF_TYPE
    return _PROPERTY.sub(lambda match: f"{match[1]}<{iri(match[2])}>", path)
