"""Families of functions: what one word says, and types tell apart.

"Largest" is `largest` of cities, `longest` of rivers and `largest_one` of populations. Words are
aligned with families, so that a word is not kept from a function because training shows it mostly
with another sort of things. The families follow from the definitions of the functions.
"""

from collections.abc import Mapping

from lear.domains.geo.function_types import INVERSES

_GREATEST = ("largest", "largest_one", "longest", "highest")
_LEAST = ("smallest", "smallest_one", "shortest", "lowest")
_CAPITAL = ("capital", "capital_1", "capital_2")
# "Where is X?" is `loc_1(X)`: place, unlike other relations, is asked for by words of its own.
_DIRECTED = ("loc_1", "loc_2")
SUPERLATIVES = (("most", *_GREATEST), ("fewest", *_LEAST))
"""What a superlative word can stand for: its family, and the superlative of counts. Words for that
("most", "least") are aligned by themselves, since types allow it beside others."""

OF_SIZE = frozenset(("largest", "longest", "highest", "smallest", "shortest", "lowest"))
"""The superlatives of things by their own size, not by a count or a property that is named."""


def _families() -> dict[str, tuple[str, ...]]:
    pairs = (
        tuple(sorted((name, inverse)))
        for name, inverse in INVERSES.items()
        if name not in (*_DIRECTED, *_CAPITAL)
    )
    families = (_GREATEST, _LEAST, _CAPITAL, *pairs)
    return {member: family for family in families for member in family}


FAMILIES: Mapping[str, tuple[str, ...]] = _families()
"""Function -> all functions of its family; functions of no family are not listed."""


def family_name(target: str) -> str:
    """One name for all functions of a family; other targets are their own."""
    return FAMILIES.get(target, (target,))[0]
