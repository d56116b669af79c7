"""The gazetteer of GEO: the names in Geobase, with their FunQL."""

from collections.abc import Iterator

from lear.domain.example import Gazetteer, NamedThing
from lear.domains.geo.facts import Facts
from lear.domains.geo.function_types import NAMES
from lear.domains.geo.tokenizer import tokenize

_NAMING = {sort: function for function, sort in NAMES.items()} | {"mountain": "placeid"}
# GeoQuery never names a lake, and some lakes have the name of a state.
del _NAMING["lake"]


def names_in(facts: Facts) -> Gazetteer:
    """All names of some facts, each pair of name and FunQL once."""
    pairs = dict.fromkeys(_pairs(facts))
    return tuple(NamedThing(tokenize(name), form) for name, form in pairs)


def _pairs(facts: Facts) -> Iterator[tuple[str, str]]:
    for thing in facts.things():
        if thing.sort in _NAMING:
            state = ", _" if thing.sort == "city" else ""
            yield thing.name, f"{_NAMING[thing.sort]}('{thing.name}'{state})"
    for state, abbreviation in facts.abbreviation_by_state().items():
        yield abbreviation, f"stateid('{state}')"
