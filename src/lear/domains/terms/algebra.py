"""The operations of every language of terms: a part takes another one, before or behind it.

A head takes what is on its right first, then what is on its left, so that one term has one
derivation. Two open parts are composed only where the argument is on the other side: in *state
with the largest population*, `largest` and `population` are composed before `state` is taken.
"""

from itertools import islice
from typing import Literal

from lear.algebra.algebra import Algebra, Meaning
from lear.domains.terms.fragments import Fragments
from lear.domains.terms.tree import Tree

State = Literal["unit", "right", "left", "forward", "backward"]
"""What a part was made of: a single unit; a head with arguments on its right only, or also on its
left; two open parts, the outer one first, or last."""
HEADS = {
    "take": 0,
    "give": 1,
    "take_otherwise": 0,
    "give_otherwise": 1,
    "compose": 0,
    "compose_inverse": 1,
}
"""Operation -> which of its arguments is the head."""


class Part(Meaning, frozen=True):
    """A term, or a part of one with arguments missing."""

    tree: Tree
    state: State = "unit"


class Whole(Meaning, frozen=True):
    """A whole form."""

    tree: Tree


def make_algebra(fragments: Fragments) -> Algebra:
    """The operations on the parts of one language."""

    def keep(part: Part) -> Part | None:
        """`the light => light`."""
        return part if part.state == "unit" else None

    def take(head: Part, argument: Part) -> Part | None:
        """`dim the light => dim(light)`."""
        return _taken(fragments, head, argument, 0)

    def give(argument: Part, head: Part) -> Part | None:
        """`kitchen light => light(kitchen)`."""
        return _given(fragments, argument, head, 0)

    def take_otherwise(head: Part, argument: Part) -> Part | None:
        """`from two subtract one => subtract(1, 2)`.

        Not the first place that it fits into.
        """
        return _taken(fragments, head, argument, 1)

    def give_otherwise(argument: Part, head: Part) -> Part | None:
        """`one less than two => less(2, 1)`.

        Not the first place that it fits into.
        """
        return _given(fragments, argument, head, 1)

    def compose(outer: Part, inner: Part) -> Part | None:
        """`largest population => largest(population(?))`."""
        tree = fragments.composed(outer.tree, inner.tree) if _may_compose(outer, inner) else None
        return None if tree is None else Part(tree, "forward")

    def compose_inverse(inner: Part, outer: Part) -> Part | None:
        """`population largest => largest(population(?))`."""
        tree = fragments.composed(outer.tree, inner.tree) if _may_compose(outer, inner) else None
        return None if tree is None else Part(tree, "backward")

    def is_complete(meaning: Meaning) -> bool:
        if isinstance(meaning, Whole):
            return True
        return isinstance(meaning, Part) and fragments.completed(meaning.tree) is not None

    return Algebra.of(
        "terms",
        (keep, take, give, take_otherwise, give_otherwise, compose, compose_inverse),
        is_complete,
    )


def _may_compose(outer: Part, inner: Part) -> bool:
    # An inner part that has an argument already would be torn from the other one: *if it is hot,
    # stir and then wash* is not `seq(stir, if(hot, wash))`.
    return outer.state not in ("forward", "backward") and inner.state not in ("right", "left")


def _taken(fragments: Fragments, head: Part, argument: Part, which: int) -> Part | None:
    # What is unsaid around a head is a new head.
    is_closed = head.state not in ("unit", "right", "backward")
    ways = fragments.ways(head.tree, argument.tree, is_right=True, min_above=int(is_closed))
    tree = next(islice(ways, which, None), None)
    return None if tree is None else Part(tree, "right")


def _given(fragments: Fragments, argument: Part, head: Part, which: int) -> Part | None:
    is_closed = head.state == "backward"
    ways = fragments.ways(head.tree, argument.tree, is_right=False, min_above=int(is_closed))
    tree = next(islice(ways, which, None), None)
    return None if tree is None else Part(tree, "left")
