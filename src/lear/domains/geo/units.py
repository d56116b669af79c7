"""The units of Geobase's quantities, and the unit of a program's answer.

The file states none. Its figures tell: see docs/geo.md, "Units".
"""

from collections.abc import Mapping

from lear.domains.geo.function_chain import Chain, chain_of
from lear.domains.geo.function_types import FUNCTIONS
from lear.domains.geo.program import read_program
from lear.domains.geo.type_check import check

PEOPLE = "people"
SQUARE_MILES = "square miles"
SQUARE_KM = "square km"
KM = "km"
METRES = "metres"

_AREAS = {"state": SQUARE_MILES, "lake": SQUARE_KM, "country": SQUARE_KM}
UNITS: Mapping[str, Mapping[str, str]] = {
    "population_1": dict.fromkeys(("state", "city", "country"), PEOPLE),
    "area_1": _AREAS,
    "density_1": {"state": f"{PEOPLE} per square mile", "country": f"{PEOPLE} per square km"},
    "len": {"river": KM},
    "elevation_1": dict.fromkeys(("place", "mountain"), METRES),
    "size": _AREAS | {"city": PEOPLE, "river": KM},
}
"""Property -> sort of things -> the unit. Cities have no area, and so no density."""
_OF_NUMBERS = ("largest", "smallest", "sum")
"""Functions from numbers to a number of the same unit."""


def unit_of(form: str) -> str | None:
    """The unit of a program's answer; None for names and counts, and where names are anonymised.

    Raises `FormError` if the form is no well-typed program.
    """
    chain = chain_of(read_program(form))
    check(chain)
    functions = chain.functions
    while functions and functions[0] in _OF_NUMBERS:
        functions = functions[1:]
    if not functions or functions[0] not in UNITS:
        return None
    property_, *inner = functions
    arguments = check(Chain(tuple(inner), chain.end)) & FUNCTIONS[property_].keys()
    units = {UNITS[property_].get(kind.sort) for kind in arguments}
    return units.pop() if len(units) == 1 else None
