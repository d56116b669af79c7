"""Answers as people read them: thousands separated, with the unit, and that of the other system.

`answer_text([266807], "square miles")` is `266,807 square miles (691,027 square km)`.
"""

import math
from collections.abc import Mapping

import msgspec

DIGITS = 3
"""Significant digits of numbers that are not whole; what is before the point is always whole."""
_FACTORS = {
    ("square miles", "square km"): 2.589988110336,
    ("miles", "km"): 1.609344,
    ("feet", "metres"): 0.3048,
    ("people per square mile", "people per square km"): 1 / 2.589988110336,
}
CONVERSIONS: Mapping[str, tuple[str, float]] = {
    **{unit: (other, factor) for (unit, other), factor in _FACTORS.items()},
    **{other: (unit, 1 / factor) for (unit, other), factor in _FACTORS.items()},
}
"""Unit -> the unit of the other system, and how many of those it is."""


def answer_text(answer: object, unit: str | None = None) -> str:
    """An answer of `Execute` in one line, with its unit from `Execution.unit`.

    Names are separated by commas. Where there are numbers, parts are separated by semicolons, since
    a comma separates thousands.
    """
    if not isinstance(answer, list | tuple):
        return _part_text(answer, unit)
    if not answer:
        return "none"
    separator = "; " if any(map(_is_number, answer)) else ", "
    return separator.join(_part_text(part, unit) for part in answer)


def number_text(number: float) -> str:
    """A number with thousands separated; one that is not whole is rounded."""
    if number == int(number):
        return f"{int(number):,}"
    places = max(0, DIGITS - 1 - math.floor(math.log10(abs(number))))
    return f"{number:,.{places}f}"


def _is_number(part: object) -> bool:
    return isinstance(part, int | float) and not isinstance(part, bool)


def _part_text(part: object, unit: str | None) -> str:
    if isinstance(part, bool):
        return "yes" if part else "no"
    if isinstance(part, int | float):
        return _quantity_text(part, unit)
    return part if isinstance(part, str) else msgspec.json.encode(part).decode()


def _quantity_text(number: float, unit: str | None) -> str:
    if unit is None:
        return number_text(number)
    shown = f"{number_text(number)} {unit}"
    if unit not in CONVERSIONS:
        return shown
    other, factor = CONVERSIONS[unit]
    return f"{shown} ({number_text(number * factor)} {other})"
