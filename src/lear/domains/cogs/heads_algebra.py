"""The total algebra of COGS without associative chains, to measure what they are worth.

A modifier or a complement belongs to the head of what stands before it, as in the strict algebra:
"a cake in a box" + "on a table" puts the cake on the table. So one bracketing is right, not all.
"""

from lear.algebra.algebra import Algebra
from lear.domains.cogs.algebra import Preposition
from lear.domains.cogs.total import (
    WITHOUT_CHAINS,
    Chain,
    Complement,
    Entity,
    Events,
    is_complete,
    linked,
)


def modify_in(left: Entity, right: Entity) -> Entity:
    """`a cake in a box  =>  cake . nmod . in ( x _ 1 , x _ 4 )`."""
    return _modify("in", left, right)


def modify_on(left: Entity, right: Entity) -> Entity:
    """`a cake on a table  =>  cake . nmod . on ( x _ 1 , x _ 4 )`."""
    return _modify("on", left, right)


def modify_beside(left: Entity, right: Entity) -> Entity:
    """`a cake beside a chair  =>  cake . nmod . beside ( x _ 1 , x _ 4 )`."""
    return _modify("beside", left, right)


def _modify(preposition: Preposition, left: Entity, right: Entity) -> Entity:
    return linked(preposition, left, right, _joined_at_head)


def _joined_at_head(left: Chain, right: Chain) -> Chain:
    """Two chains, of which the second modifies the head of the first."""
    first, *rest = right
    return (*left, first._replace(distance=len(left)), *rest)


def ccomp(left: Events, right: Events) -> Events:
    """`Emma said that Tom slept  =>  say . ccomp ( x _ 1 , x _ 4 )`."""
    return _complement("ccomp", left, right)


def xcomp(left: Events, right: Events) -> Events:
    """`Emma wanted to sleep  =>  want . xcomp ( x _ 1 , x _ 3 )`."""
    return _complement("xcomp", left, right)


def _complement(complement: Complement, left: Events, right: Events) -> Events:
    first, *rest = right.verbs
    added = first._replace(complement=complement, distance=len(left.verbs))
    return Events((*left.verbs, added, *rest))


HEADS_ALGEBRA = Algebra.of(
    "cogs-heads",
    (modify_in, modify_on, modify_beside, *WITHOUT_CHAINS, ccomp, xcomp),
    is_complete,
)
