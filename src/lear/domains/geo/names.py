"""Names of things in FunQL, and their words."""

import re

from lear.domains.geo.tokenizer import tokenize

_ANONYMOUS = re.compile(r"var\d+")
_ANONYMOUS_NAME = re.compile(r"(?:[a-z]+_)*var\d+")
_NAME = re.compile(r"(\w+)id\('([^']*)'(?:, ('[^']*'|_))?\)")


def city_in_state(city: str, state: str, abbreviation: str) -> str | None:
    """The FunQL of a city in a given state, from that of both; None if they are not such names."""
    if _ANONYMOUS.fullmatch(city) and _ANONYMOUS.fullmatch(state):
        return f"{city}, {state}"
    name = _NAME.fullmatch(city)
    if name and name[1] == "city" and name[3] == "_" and abbreviation:
        return f"cityid('{name[2]}', '{abbreviation}')"
    return None


def parts_of_name(text: str) -> tuple[str, ...]:
    """The names that `city_in_state` builds a name from: the city alone, or `var0` and `var1`."""
    name = _NAME.fullmatch(text)
    if name and name[1] == "city":
        return (f"cityid('{name[2]}', _)",)
    return tuple(text.split(", "))


def sort_of_name(text: str) -> str:
    """The sort of a name; empty if it is no name."""
    name = _NAME.fullmatch(text)
    return name[1] if name else ""


def words_of_name(text: str) -> tuple[str, ...]:
    """The words of a name; none if it is no name."""
    name = _NAME.fullmatch(text)
    if name:
        return tokenize(name[2])
    return tuple(text.split("_")) if _ANONYMOUS_NAME.fullmatch(text) else ()
