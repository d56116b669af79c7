"""What Freebase's ontology says about relations: their inverses, and the types that they imply.

Many relations have a name in each direction: `film.director.film` leads from a director to a film,
`film.film.directed_by` back. Names are property paths in the spelling of CFQ's preprocessing:
without the first `ns:`.
"""

import re

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
    """Whether a text is a property path: properties joined by `/` and `|`, `^` for inverse ones."""
    return _PATH.fullmatch(text) is not None


def inverse(relation: str) -> str:
    """The name of a relation in the other direction; `^ns:name` if the ontology has none."""
    listed = _INVERSE.get(relation)
    if listed is not None:
        return listed
    return relation.removeprefix("^ns:") if relation.startswith("^ns:") else f"^ns:{relation}"


def undirected(relation: str) -> str:
    """The same name for a relation and its inverse."""
    return min(relation, inverse(relation), key=lambda name: (name.startswith("^"), name))


def owner(relation: str) -> str:
    """The type that a relation belongs to, by its name: `film.editor` of `film.editor.film`."""
    return ".".join(relation.removeprefix("^ns:").split(".")[:2])


def child_rank(relation: str) -> tuple[int, str]:
    """Sort key for the children of a variable: the order in which CFQ numbers them."""
    return _RANK.get(relation, -1), relation
