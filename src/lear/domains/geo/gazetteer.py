"""The gazetteer of GEO: names of Geobase, each with the FunQL of what it names."""

from collections.abc import Iterator
from pathlib import Path

from lear.domain.example import Gazetteer, NamedThing
from lear.domains.geo.facts import Facts, read_facts
from lear.domains.geo.functions import NAMES
from lear.domains.geo.tokenizer import tokenize

_NAMING = {sort: function for function, sort in NAMES.items()} | {"mountain": "placeid"}
# GeoQuery asks about no lake by its name, and some have the name of a state.
del _NAMING["lake"]


def read_gazetteer(path: Path) -> Gazetteer:
    """Each pair of a name and what it names in a file of facts, once."""
    pairs = dict.fromkeys(_pairs(read_facts(path)))
    return tuple(NamedThing(tokenize(name), form) for name, form in pairs)


def _pairs(facts: Facts) -> Iterator[tuple[str, str]]:
    for thing in facts.things():
        if thing.sort in _NAMING:
            state = ", _" if thing.sort == "city" else ""
            yield thing.name, f"{_NAMING[thing.sort]}('{thing.name}'{state})"
    for state, abbreviation in facts.abbreviation_by_state().items():
        yield abbreviation, f"stateid('{state}')"
