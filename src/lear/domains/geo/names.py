"""Names of things in FunQL, and the words that they consist of."""

import re

from lear.domains.geo.tokenizer import tokenize

_ANONYMOUS = re.compile(r"var\d+")
_ANONYMOUS_NAME = re.compile(r"(?:[a-z]+_)*var\d+")
_NAME = re.compile(r"(\w+)id\('([^']*)'(?:, ('[^']*'|_))?\)")


def city_in_state(city: str, state: str, abbreviation: str) -> str | None:
    """The FunQL of a city in a given state, from that of both; None if they are not that."""
    if _ANONYMOUS.fullmatch(city) and _ANONYMOUS.fullmatch(state):
        return f"{city}, {state}"
    found = _NAME.fullmatch(city)
    if found and found[1] == "city" and found[3] == "_" and abbreviation:
        return f"cityid('{found[2]}', '{abbreviation}')"
    return None


def parts_of_name(text: str) -> tuple[str, ...]:
    """What a name is put together from: a city in a given state is a city and a state."""
    found = _NAME.fullmatch(text)
    if found and found[1] == "city":
        return (f"cityid('{found[2]}', _)",)
    return tuple(text.split(", "))


def sort_of_name(text: str) -> str:
    """What sort of things a name is of; empty for what is no name."""
    found = _NAME.fullmatch(text)
    return found[1] if found else ""


def words_of_name(text: str) -> tuple[str, ...]:
    """The words of a name; what is no name has none."""
    found = _NAME.fullmatch(text)
    if found:
        return tokenize(found[2])
    return tuple(text.split("_")) if _ANONYMOUS_NAME.fullmatch(text) else ()
