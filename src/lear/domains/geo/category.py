"""What a grammar sees of meanings: their types."""

import re
from functools import lru_cache

from lear.algebra import Meaning
from lear.domains.geo.algebra import Entity, Negated, Negation, Predicate, chain_of_meaning
from lear.domains.geo.functions import SET_OPERATIONS, Kinds, Status
from lear.domains.geo.names import city_in_state
from lear.domains.geo.typing import chain_kinds, entity_kinds, signature

_MARKS = {
    Status.NAME: "!",
    Status.SET: "",
    Status.OPEN: "?",
    Status.NUMBER: "#",
    Status.COUNTED: "^",
    Status.OPEN_COUNTED: "?^",
}


_SUPERLATIVES = re.compile(r"(?:larg|small|long|short|high|low)est(?:_one)?\(")


def kind_of_question(form: str) -> str:
    """A rough sort of programs, to see which ones are hard."""
    if any(f"{operation}(" in form for operation in SET_OPERATIONS):
        return "set operation"
    if "most(" in form or "fewest(" in form:
        return "most or fewest"
    if _SUPERLATIVES.search(form):
        return "superlative"
    return "count or sum" if "count(" in form or "sum(" in form else "plain"


def category(meaning: Meaning) -> str:
    """Decides what can be done with a meaning: its types, and how it came about."""
    flags = ""
    if isinstance(meaning, Entity):
        flags = f"{'u' if meaning.is_unit else ''}{'a' if meaning.abbreviation else ''}"
        if city_in_state(meaning.text, meaning.text, "xx") is not None:
            flags += "c"  # can be the city of a city in a state
    return f"{closed(meaning)} {flags}".strip()


def closed(meaning: Meaning) -> str:
    """The types of a meaning: what it gives, and for a predicate what it takes."""
    if isinstance(meaning, Negation):
        return "not"
    if isinstance(meaning, Negated):
        return "not " + _kinds(chain_kinds(meaning.chain))
    if isinstance(meaning, Entity):
        return "name " + _kinds(entity_kinds(meaning.text))
    if isinstance(meaning, Predicate):
        return f"{meaning.origin} {_signature(meaning.functions)}"
    return _kinds(chain_kinds(chain_of_meaning(meaning)))


@lru_cache(maxsize=100_000)
def _signature(functions: tuple[str, ...]) -> str:
    by_result: dict[str, list[str]] = {}
    for kind, results in signature(functions):
        by_result.setdefault(_kinds(results), []).append(_kinds(frozenset({kind})))
    return " & ".join(
        f"{','.join(sorted(taken))} > {given}" for given, taken in sorted(by_result.items())
    )


@lru_cache(maxsize=100_000)
def _kinds(kinds: Kinds) -> str:
    return "|".join(sorted(f"{kind.sort}{_MARKS[kind.status]}" for kind in kinds))
