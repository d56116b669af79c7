"""CFQ's queries as text, and what Freebase's ontology says about the relations in them.

CFQ uses a fragment of SPARQL: `SELECT DISTINCT ?x0` or `SELECT count ( * )`, and a conjunction of
triples, types and `FILTER ( a != b )`. Queries are printed in the spelling of CFQ's preprocessing;
the spelling of `dataset.json` can be read too. Many relations have a name in each direction:
`film.director.film` leads from a director to a film, `film.film.directed_by` back.
"""

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from lear.errors import FormError

SPOUSE = (
    "people.person.spouse_s/ns:people.marriage.spouse"
    "|ns:fictional_universe.fictional_character.married_to"
    "/ns:fictional_universe.marriage_of_fictional_characters.spouses"
)
SIBLING = (
    "people.person.sibling_s/ns:people.sibling_relationship.sibling"
    "|ns:fictional_universe.fictional_character.siblings"
    "/ns:fictional_universe.sibling_relationship_of_fictional_characters.siblings"
)

_PAIRS = (
    ("film.director.film", "film.film.directed_by"),
    ("film.editor.film", "film.film.edited_by"),
    ("film.writer.film", "film.film.written_by"),
    ("film.producer.films_executive_produced", "film.film.executive_produced_by"),
    (
        "film.producer.film|ns:film.production_company.films",
        "film.film.produced_by|ns:film.film.production_companies",
    ),
    ("film.cinematographer.film", "film.film.cinematography"),
    ("film.film_art_director.films_art_directed", "film.film.film_art_direction_by"),
    ("film.film_costumer_designer.costume_design_for_film", "film.film.costume_design_by"),
    (
        "film.film_distributor.films_distributed/ns:film.film_film_distributor_relationship.film",
        "film.film.distributors/ns:film.film_film_distributor_relationship.distributor",
    ),
    ("film.actor.film/ns:film.performance.film", "film.film.starring/ns:film.performance.actor"),
    (
        "film.actor.film/ns:film.performance.character",
        "film.film_character.portrayed_in_films/ns:film.performance.actor",
    ),
    ("film.film.prequel", "film.film.sequel"),
    ("influence.influence_node.influenced", "influence.influence_node.influenced_by"),
    (
        "organization.organization_founder.organizations_founded",
        "organization.organization.founders",
    ),
    (
        "business.employer.employees/ns:business.employment_tenure.person",
        "people.person.employment_history/ns:business.employment_tenure.company",
    ),
    (
        "organization.organization.companies_acquired/ns:business.acquisition.company_acquired",
        "organization.organization.acquired_by/ns:business.acquisition.acquiring_company",
    ),
    (
        "people.person.parents|ns:fictional_universe.fictional_character.parents"
        "|ns:organization.organization.parent/ns:organization.organization_relationship.parent",
        "people.person.children|ns:fictional_universe.fictional_character.children"
        "|ns:organization.organization.child/ns:organization.organization_relationship.child",
    ),
    (SPOUSE, SPOUSE),
    (SIBLING, SIBLING),
)
_INVERSE = dict(_PAIRS) | {b: a for a, b in _PAIRS}

DISTINCT = frozenset({SPOUSE, SIBLING})
"""Irreflexive relations: CFQ adds a FILTER to each triple, since nobody is his own sibling."""

IMPLIED_TYPE = {
    "film.director.film": "film.director",
    "film.cinematographer.film": "film.cinematographer",
    "film.film_art_director.films_art_directed": "film.film_art_director",
    "film.film_costumer_designer.costume_design_for_film": "film.film_costumer_designer",
    "film.actor.film/ns:film.performance.character": "film.actor",
}
"""Relation -> the type of its subject, which CFQ then leaves out of the query."""

_CHILD_ORDER = (
    "film.film.executive_produced_by",
    "film.film.written_by",
    "film.film.distributors/ns:film.film_film_distributor_relationship.distributor",
    "film.film.produced_by|ns:film.film.production_companies",
    "film.film.edited_by",
    "film.film.directed_by",
    "film.editor.film",
    "film.writer.film",
    "film.producer.films_executive_produced",
    "film.film_distributor.films_distributed/ns:film.film_film_distributor_relationship.film",
    "film.actor.film/ns:film.performance.film",
    "film.producer.film|ns:film.production_company.films",
    "film.director.film",
    "organization.organization.founders",
    "business.employer.employees/ns:business.employment_tenure.person",
)
_RANK = {name: rank for rank, name in enumerate(_CHILD_ORDER)}

_PROPERTY = r"\^?(?:ns:)?[a-z_][a-z0-9_]*(?:\.[a-z0-9_]+)+"
_PATH = re.compile(rf"{_PROPERTY}(?:[/|]{_PROPERTY})*")


def is_path(text: str) -> bool:
    """Return whether a text is a property path: properties with `/`, `|`, and `^` for inverses."""
    return _PATH.fullmatch(text) is not None


def inverse(relation: str) -> str:
    """Return the name of a relation in the other direction; `^ns:name` if the ontology has none."""
    listed = _INVERSE.get(relation)
    if listed is not None:
        return listed
    return relation.removeprefix("^ns:") if relation.startswith("^ns:") else f"^ns:{relation}"


def undirected(relation: str) -> str:
    """Return the same name for a relation and its inverse."""
    return min(relation, inverse(relation), key=lambda name: (name.startswith("^"), name))


def owner(relation: str) -> str:
    """Return the type that a relation's name begins with: `film.editor` of `film.editor.film`."""
    return ".".join(relation.removeprefix("^ns:").split(".")[:2])


def child_rank(relation: str) -> tuple[int, str]:
    """Return the sort key of the children of a variable: the order in which CFQ numbers them."""
    return _RANK.get(relation, -1), relation


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
    """Return a query in the spelling of CFQ's preprocessing, from either spelling."""
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
    """Return the text, if it is a variable or an entity; else raise `FormError`."""
    if _VARIABLE.fullmatch(text) or is_entity(text):
        return text
    if _TOO_LARGE.fullmatch(text):
        raise FormError(f"more than ten entities, M0 to M9: {_shorten(text)}")
    raise FormError(f"neither a variable nor an entity: {_shorten(text)} in {_shorten(clause)}")


def print_query(head: Head, clauses: Sequence[str]) -> str:
    """Return the text of a query with these clauses, as CFQ writes it."""
    return f"{head} WHERE {{ {' . '.join(clauses)} }}"


def is_entity(term: str) -> bool:
    """Return whether a term is one of the entities M0 to M9."""
    return _ENTITY.fullmatch(term) is not None


def is_variable(term: str) -> bool:
    """Return whether a term is a variable."""
    return term.startswith("?")


def _shorten(text: str, max_length: int = 80) -> str:
    return repr(text if len(text) <= max_length else f"{text[:max_length]}...")
