"""The names of Geobase as training rows: a name, and the FunQL of what it names."""

from collections.abc import Iterator
from pathlib import Path

from lear.domain import Example
from lear.domains.geo.facts import Facts, read_facts
from lear.domains.geo.functions import NAMES
from lear.domains.geo.names import NAME_ROW
from lear.domains.geo.text import tokenize

_NAMING = {sort: function for function, sort in NAMES.items()} | {"mountain": "placeid"}
# GeoQuery asks about no lake by its name, and some have the name of a state.
del _NAMING["lake"]


def name_rows(path: Path) -> list[Example]:
    """A row for each name in a file of facts, each pair of name and program once."""
    rows = dict.fromkeys(_pairs(read_facts(path)))
    return [Example(tokenize(name), form, NAME_ROW, str(path)) for name, form in rows]


def _pairs(facts: Facts) -> Iterator[tuple[str, str]]:
    for thing in facts.things():
        if thing.sort in _NAMING:
            state = ", _" if thing.sort == "city" else ""
            yield thing.name, f"{_NAMING[thing.sort]}('{thing.name}'{state})"
    for state, abbreviation in facts.abbreviation_by_state().items():
        yield abbreviation, f"stateid('{state}')"
