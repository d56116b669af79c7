"""The algebra of GEO: meanings, the paper's operations, and what grammars and scores see of them.

The operations are those of the paper's appendix, restricted by the types of FunQL; `keep` drops
function words. Two restrictions keep the number of derivations of a meaning small: function words
are dropped next to single units only, and a chain whose words are in its order is built from its
inner end.
"""

import re
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import Literal

from lear.algebra.algebra import Algebra, Meaning, MeaningTable
from lear.domains.geo.functions import (
    ARGUMENT_KINDS,
    SIDES,
    SINGLE,
    Chain,
    Fork,
    Kind,
    Kinds,
    Signature,
    Status,
    can_nest,
    chain_kinds,
    chain_of,
    entity_kinds,
    is_bare_property,
    is_one,
    is_open,
    needs_noun,
    read_program,
    signature,
    takes_from,
    takes_subject,
    text_of,
)
from lear.domains.geo.words import city_in_state

Origin = Literal["unit", "forward", "backward"]
"""How a predicate was built: as a single unit, or from words in or against its chain's order."""


class Entity(Meaning, frozen=True):
    """A named thing; `text` is its FunQL."""

    text: str
    abbreviation: str = ""
    """If it is a state: its abbreviation."""
    is_unit: bool = False
    """True if it is a single unit, not a city with its state."""


class Predicate(Meaning, frozen=True):
    """Functions without an argument yet, from the outside in."""

    functions: tuple[str, ...]
    origin: Origin = "unit"


class Proposition(Meaning, frozen=True):
    """Functions with their argument."""

    chain: Chain
    is_behind: bool = False
    """True if it is a relation before its argument, as "in texas": its noun was before it."""


class Negation(Meaning, frozen=True):
    """A negating word: "not", "excluding"."""

    operation: str


class Negated(Meaning, frozen=True):
    """A negated phrase: the set to exclude."""

    operation: str
    chain: Chain


def chain_of_meaning(meaning: Meaning) -> Chain:
    """Return the chain that a meaning stands for."""
    match meaning:
        case Entity():
            return Chain((), meaning.text)
        case Predicate():
            return Chain(meaning.functions)
        case Proposition() | Negated():
            return meaning.chain
    raise TypeError(f"no meaning of GEO: {meaning!r}")


def is_country(entity: Entity) -> bool:
    """Return whether an entity is a country: there is one, so everything is in it."""
    return entity_kinds(entity.text) == {Kind("country", Status.NAME)}


def keep(phrase: Entity | Predicate | Negation) -> Entity | Predicate | Negation | None:
    """`the river => river`."""
    match phrase:
        case Entity(is_unit=True) | Predicate(origin="unit") | Negation():
            return phrase
    return None


def concat(outer: Predicate, inner: Predicate) -> Predicate | None:
    """`largest state => largest(state(?))`."""
    if outer.origin == "forward" or not takes_from("right", outer.functions):
        return None
    return _nested(outer, inner, "forward")


def concat_inverse(inner: Predicate, outer: Predicate) -> Predicate | None:
    """`state with the largest population => largest_one(population_1(state(?)))`."""
    # "Population" takes its noun before "largest", which may come after both.
    if outer.origin == "backward" or is_bare_property(inner.functions):
        return None
    if not takes_from("left", outer.functions):
        return None
    # A clause follows its noun: "state with" is no clause that "lowest point" could be the noun of.
    if inner.origin == "backward" and is_open(inner.functions):
        return None
    # Who borders is one: "the largest state borders", but no "states" that "states border".
    if takes_subject(outer.functions) and not is_one(inner.functions):
        return None
    return _nested(outer, inner, "backward")


def fill_in(outer: Predicate, inner: Entity | Proposition) -> Proposition | None:
    """`capital of texas => capital(loc_2(stateid('texas')))`."""
    if outer.origin == "forward" or not takes_from("right", outer.functions):
        return None
    filled = _filled(outer, inner)
    if filled is not None and is_open(outer.functions):
        return Proposition(filled.chain, is_behind=True)
    return filled


def fill_in_inverse(inner: Entity | Proposition, outer: Predicate) -> Proposition | None:
    """`the mississippi runs through => traverse_1(riverid('mississippi'))`."""
    if outer.origin == "backward" or not takes_from("left", outer.functions):
        return None
    # "The state with the lowest point" is no point: nothing stands before its noun that has its
    # argument after it.
    if isinstance(inner, Proposition) and inner.is_behind:
        return None
    return _filled(outer, inner)


def fill_in_place(inner: Entity, outer: Predicate) -> Predicate | Proposition | None:
    """`texas cities => city(loc_2(stateid('texas')))`."""
    if inner.is_unit and is_country(inner):
        return outer  # "us cities" are just cities
    return _filled(Predicate((*outer.functions, "loc_2")), inner) if inner.is_unit else None


def intersection(left: Proposition, right: Predicate | Proposition) -> Proposition | None:
    """`rivers in texas longer than the red => river(loc_2(...)) & longer(...)`."""
    # The right side must be open: a finished set does not restrict another one. The left side is
    # no predicate, since `fill_in` restricts those, and more than one thing, which a name is not.
    is_open = any(k.status is Status.OPEN for k in chain_kinds(chain_of_meaning(right)))
    several = (Status.SET, Status.OPEN)
    is_restrictable = any(k.status in several for k in chain_kinds(chain_of_meaning(left)))
    return _fork("intersection", left, right) if is_open and is_restrictable else None


def negate(negation: Negation, phrase: Entity | Predicate | Proposition) -> Negated | None:
    """`not border texas => not next_to_2(stateid('texas'))`."""
    chain = chain_of_meaning(phrase)
    return Negated(negation.operation, chain) if chain_kinds(chain) else None


def negate_outside(outer: Predicate, inner: Negated) -> Negated | None:
    """`border no states => not next_to_2(state(?))`."""
    chain = Chain(outer.functions + inner.chain.functions, inner.chain.end)
    is_legal = chain_kinds(chain) and takes_from("right", outer.functions)
    return Negated(inner.operation, chain) if is_legal else None


def exclude(left: Predicate | Proposition, right: Negated) -> Proposition | None:
    """`states that do not border texas => state(?) - next_to_2(stateid('texas'))`."""
    # Only a set can have an exception.
    is_set = any(k.status is Status.SET for k in chain_kinds(chain_of_meaning(left)))
    return _fork(right.operation, left, right) if is_set else None


def exclude_inverse(left: Negated, right: Predicate | Proposition) -> Proposition | None:
    """`excluding texas all states => state(?) - stateid('texas')`."""
    return exclude(right, left)


def union(left: Entity, right: Entity) -> Entity | None:
    """`austin texas => cityid('austin', 'tx')`."""
    text = city_in_state(left.text, right.text, right.abbreviation)
    return None if text is None else Entity(text)


def _nested(outer: Predicate, inner: Predicate, origin: Origin) -> Predicate | None:
    # "Largest" takes its noun before anything takes it: there is no "in the largest" of "states".
    if can_nest(outer.functions, inner.functions) and not needs_noun(inner.functions):
        return Predicate(outer.functions + inner.functions, origin)
    return None


def _filled(outer: Predicate, inner: Entity | Proposition) -> Proposition | None:
    chain = chain_of_meaning(inner)
    if chain_kinds(chain).isdisjoint(signature(outer.functions).accepted):
        return None
    return Proposition(Chain(outer.functions + chain.functions, chain.end))


def _fork(operation: str, left: Meaning, right: Meaning) -> Proposition | None:
    chain = Chain((), Fork(operation, chain_of_meaning(left), chain_of_meaning(right)))
    return Proposition(chain) if chain_kinds(chain) else None


def is_complete(meaning: Meaning) -> bool:
    """Return whether a meaning is a question: about a set, a number or a place, no bare name."""
    if not isinstance(meaning, Predicate | Proposition):
        return False
    kinds = chain_kinds(chain_of_meaning(meaning))
    if any(kind.status in (Status.SET, Status.ONE, Status.NUMBER) for kind in kinds):
        return True
    # "Where is ...?" is loc_1(...), which is open.
    return Kind("country", Status.OPEN) in kinds


GEO_ALGEBRA = Algebra.of(
    "geo",
    (
        keep,
        concat,
        concat_inverse,
        fill_in,
        fill_in_inverse,
        fill_in_place,
        intersection,
        negate,
        negate_outside,
        exclude,
        exclude_inverse,
        union,
    ),
    is_complete,
)


_MARKS = {
    Status.NAME: "!",
    Status.SET: "",
    Status.OPEN: "?",
    Status.NUMBER: "#",
    Status.ONE: "1",
    Status.NAMED: "!1",
    Status.COUNTED: "^",
    Status.OPEN_COUNTED: "?^",
}


_SYMBOL_MARKS = _MARKS | dict.fromkeys(SINGLE, _MARKS[Status.SET])
"""Networks see one thing as they see a set: only types tell them apart."""


def category(meaning: Meaning) -> str:
    """Return the symbol, and what else decides which operations are legal."""
    if isinstance(meaning, Predicate):
        sides = "".join(side[0] for side in SIDES if takes_from(side, meaning.functions))
        return f"{sides} {_symbol(meaning, is_fine=True)}"
    if not isinstance(meaning, Entity):
        return _symbol(meaning, is_fine=True)
    flags = f"{'u' if meaning.is_unit else ''}{flags_of(meaning)}"
    return f"{argument_symbol(meaning)} {flags}".strip()


def flags_of(entity: Entity) -> str:
    """Return marks of a state that a city can take, and of a city that can take a state."""
    takes_state = city_in_state(entity.text, entity.text, "xx") is not None
    return f"{'a' if entity.abbreviation else ''}{'c' if takes_state else ''}"


def argument_symbol(meaning: Meaning) -> str:
    """Return the kinds of a meaning, and for a predicate also those of its argument."""
    return _symbol(meaning, is_fine=False)


def _symbol(meaning: Meaning, *, is_fine: bool) -> str:
    if isinstance(meaning, Predicate):  # as nearly all are
        return f"{meaning.origin} {_signature(signature(meaning.functions), is_fine)}"
    if isinstance(meaning, Negation):
        return "not"
    if isinstance(meaning, Negated):
        return "not " + _kinds(chain_kinds(meaning.chain), is_fine)
    if isinstance(meaning, Entity):
        return "name " + _kinds(entity_kinds(meaning.text), is_fine)
    kinds = _kinds(chain_kinds(chain_of_meaning(meaning)), is_fine)
    is_behind = isinstance(meaning, Proposition) and meaning.is_behind
    return f"{kinds} <" if is_fine and is_behind else kinds


@lru_cache(maxsize=20_000)
def _signature(signature: Signature, is_fine: bool) -> str:  # noqa: FBT001
    by_result: dict[str, set[str]] = {}
    for kind, results in signature.results:
        taken = by_result.setdefault(_kinds(results, is_fine), set())
        taken.add(_kinds(frozenset({kind}), is_fine))
    return " & ".join(
        f"{','.join(sorted(kinds))} > {given}" for given, kinds in sorted(by_result.items())
    )


@lru_cache(maxsize=20_000)
def _kinds(kinds: Kinds, is_fine: bool) -> str:  # noqa: FBT001
    marks = _MARKS if is_fine else _SYMBOL_MARKS
    return "|".join(sorted({f"{kind.sort}{marks[kind.status]}" for kind in kinds}))


_NUMBERS = {kind: number for number, kind in enumerate(ARGUMENT_KINDS)}
_OUTSIDE = len(ARGUMENT_KINDS)
_UNION, _PLACE, _NEGATE, _EXCLUDE, _EXCLUDE_INVERSE, _INTERSECTION = (
    1 << (2 * _OUTSIDE + n) for n in range(6)
)


def joints(meaning: Meaning) -> tuple[int, int]:
    """Return the bits of a meaning on the left, and on the right."""
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
    """Return the bit of a set without its sort, which alone can restrict another one."""
    return _INTERSECTION if any(kind.status is Status.OPEN for kind in kinds) else 0


@lru_cache(maxsize=10_000)
def _bits(kinds: Kinds) -> int:
    return sum(1 << _NUMBERS[kind] for kind in kinds)


_WORD = re.compile(r"\w+|'[^']*'")


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """Return the functions and entities of a meaning, each paired with the function around it."""
    pairs: set[Hashable] = set()
    stack: list[tuple[str, Chain]] = [("answer", chain_of_meaning(meaning))]
    while stack:
        outer, (functions, end) = stack.pop()
        for function in functions:
            pairs.add((outer, function))
            outer = function
        if isinstance(end, Fork):
            pairs.add((outer, end.operation))
            stack += ((f"{end.operation} left", end.left), (f"{end.operation} right", end.right))
        elif end is not None:
            pairs.add((outer, end))
    return frozenset(pairs)


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """Return the functions and entities of a meaning."""
    return frozenset(without_brackets(meaning))


def without_brackets(meaning: Meaning) -> tuple[str, ...]:
    """Return the program without brackets and commas, which the published evaluation removes."""
    return tuple(_WORD.findall(text_of(chain_of_meaning(meaning))))


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
    """Return the proposition of a program; the question is not needed."""
    del tokens
    return table.intern(Proposition(chain_of(read_program(form))))


def render(meaning: Meaning) -> str:
    """Return the program of a meaning; an open end prints as `?`."""
    return f"answer({text_of(chain_of_meaning(meaning))})"


def render_part(meaning: Meaning) -> str:
    """Print any meaning as it stands in a program; an open end prints as `?`."""
    if isinstance(meaning, Negation):
        return meaning.operation
    return text_of(chain_of_meaning(meaning))
