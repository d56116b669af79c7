"""What a meaning of GEO can be joined with, as bits: most pairs of meanings fit no operation.

Two kinds of bits are shared by a meaning on the left and one on the right. `inside k` is shared if
the left one takes arguments of kind k and the right one is such an argument; `outside k` if it is
the other way round. The remaining operations have a bit each.
"""

from functools import lru_cache

from lear.core.algebra import Meaning
from lear.domains.geo.algebra import Entity, Negated, Negation, Predicate, chain_of_meaning
from lear.domains.geo.function_types import Kinds, Status
from lear.domains.geo.type_check import ARGUMENT_KINDS, chain_kinds, signature

_NUMBERS = {kind: number for number, kind in enumerate(ARGUMENT_KINDS)}
_OUTSIDE = len(ARGUMENT_KINDS)
_UNION, _PLACE, _NEGATE, _EXCLUDE, _EXCLUDE_INVERSE, _INTERSECTION = (
    1 << (2 * _OUTSIDE + n) for n in range(6)
)


def joints(meaning: Meaning) -> tuple[int, int]:
    """The bits of a meaning on the left, and on the right."""
    if isinstance(meaning, Negation):
        return _NEGATE, 0
    if isinstance(meaning, Predicate):
        takes, gives = signature(meaning.functions).accepted, signature(meaning.functions).given
        as_outer_left = _bits(takes) if meaning.origin != "forward" else 0
        as_outer_right = _bits(takes) if meaning.origin != "backward" else 0
        left = as_outer_left | _bits(gives) << _OUTSIDE | _EXCLUDE
        right = _bits(gives) | as_outer_right << _OUTSIDE | _PLACE | _NEGATE | _EXCLUDE_INVERSE
        kinds = chain_kinds(chain_of_meaning(meaning))
        return left, right | _if_open(kinds)
    kinds = chain_kinds(chain_of_meaning(meaning))
    if isinstance(meaning, Negated):
        return _EXCLUDE_INVERSE, _bits(kinds) | _EXCLUDE
    left, right = _bits(kinds) << _OUTSIDE, _bits(kinds) | _NEGATE
    if isinstance(meaning, Entity):
        return left | _UNION | _PLACE, right | _UNION
    return left | _EXCLUDE | _INTERSECTION, right | _EXCLUDE_INVERSE | _if_open(kinds)


def _if_open(kinds: Kinds) -> int:
    """What only a set without its sort can be: a restriction of another one."""
    return _INTERSECTION if any(kind.status is Status.OPEN for kind in kinds) else 0


@lru_cache(maxsize=10_000)
def _bits(kinds: Kinds) -> int:
    return sum(1 << _NUMBERS[kind] for kind in kinds)
