"""A small invented world to execute CFQ's queries on, in the vocabulary of the ontology.

Freebase is offline, and CFQ's entities are placeholders, so the real answers are not known. This
world has invented people, films and companies. M0 to M9 are people, films and companies at once, so
that any question can name them. The facts are drawn at random with a fixed seed.
"""

import random
from collections.abc import Iterator

from lear.domains.cfq.query_text import MAX_ENTITIES, Triple
from lear.domains.cfq.schema import SIBLING, SPOUSE, inverse

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
    """All facts of this world; the predicates are single properties, not property paths."""
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
    """Types, genders and nationalities."""
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
    """The triples that make the first alternative of a property path lead from begin to end."""
    properties = path.split("|")[0].split("/")
    nodes = [begin, *(f"{event}_{number}" for number in range(1, len(properties))), end]
    for name, subject, value in zip(properties, nodes, nodes[1:], strict=False):
        yield Triple(subject, name.removeprefix("ns:"), value)
