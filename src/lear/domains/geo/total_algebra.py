"""The paper's algebra of GEO: entities, predicates and propositions; operations never refuse.

The operations are those of the paper's appendix: CONCAT in both orders, FillIn, UNION,
INTERSECTION and EXCLUDE. Any two constituents combine, in any bracketing. The types of FunQL forbid
nothing here, but they advise: where some operation gives a well-typed meaning, the others need not
be tried (`is_well_typed`; `model.legality` decides). Meanings are those of the strict algebra.
"""

from lear.core.algebra import Algebra, Meaning
from lear.domains.geo.algebra import (
    Entity,
    Negated,
    Negation,
    Predicate,
    Proposition,
    chain_of_meaning,
)
from lear.domains.geo.categories import argument_symbol as kinds_of
from lear.domains.geo.function_chain import Chain, Fork
from lear.domains.geo.names import city_in_state
from lear.domains.geo.type_check import chain_kinds, signature

Argument = Entity | Proposition
Phrase = Entity | Predicate | Proposition
AnyMeaning = Entity | Predicate | Proposition | Negation | Negated


def concat(outer: Predicate, inner: Predicate) -> Predicate:
    """`largest state => largest(state(?))`."""
    return Predicate(outer.functions + inner.functions)


def concat_inverse(inner: Predicate, outer: Predicate) -> Predicate:
    """`state with the largest population => largest_one(population_1(state(?)))`."""
    return Predicate(outer.functions + inner.functions)


def fill_in(left: Phrase, right: Phrase) -> Proposition | None:
    """`capital of texas => capital(loc_2(stateid('texas')))`."""
    match left, right:
        case Predicate() as outer, Entity() | Proposition() as inner:
            return _filled(outer.functions, inner)
        case Entity() | Proposition() as inner, Predicate() as outer:
            return _filled(outer.functions, inner)
        case _:
            return None


def _filled(functions: tuple[str, ...], inner: Argument) -> Proposition:
    chain = chain_of_meaning(inner)
    return Proposition(Chain(functions + chain.functions, chain.end))


def union(left: Entity, right: Entity) -> Entity | None:
    """`austin texas => cityid('austin', 'tx')`."""
    text = city_in_state(left.text, right.text, right.abbreviation)
    return None if text is None else Entity(text)


def intersection(left: Argument, right: Argument) -> Proposition:
    """`rivers in texas longer than the red => river(loc_2(...)) & longer(...)`."""
    return _fork("intersection", left, right)


def negate(left: AnyMeaning, right: AnyMeaning) -> Negated | None:
    """`not border texas => not next_to_2(stateid('texas'))`."""
    match left, right:
        case Negation(operation=operation), Negation():
            return Negated(operation, Chain(()))
        case Negation(operation=operation), phrase:
            return Negated(operation, chain_of_meaning(phrase))
        case phrase, Negation(operation=operation):
            return Negated(operation, chain_of_meaning(phrase))
        case _:
            return None


def negate_outside(outer: Predicate, inner: Negated) -> Negated:
    """`border no states => not next_to_2(state(?))`."""
    chain = Chain(outer.functions + inner.chain.functions, inner.chain.end)
    return Negated(inner.operation, chain)


def exclude(left: AnyMeaning, right: AnyMeaning) -> Proposition | None:
    """`states that do not border texas => state(?) - next_to_2(stateid('texas'))`."""
    match left, right:
        case Negation() | Negated(), Negation():
            return None
        case Negation(), Negated():
            return None
        case whole, Negated(operation=operation):
            return _fork(operation, whole, right)
        case Negated(operation=operation), whole:
            return _fork(operation, whole, left)
        case _:
            return None


def _fork(operation: str, left: Meaning, right: Meaning) -> Proposition:
    return Proposition(Chain((), Fork(operation, chain_of_meaning(left), chain_of_meaning(right))))


def is_complete(meaning: Meaning) -> bool:
    """Every meaning can be an answer but a negating word alone: there are no dead ends."""
    return not isinstance(meaning, Negation)


def is_well_typed(meaning: Meaning) -> bool:
    """Whether a meaning has a type of FunQL."""
    match meaning:
        case Negation() | Entity():
            return True
        case Predicate(functions=functions):
            return bool(signature(functions).results)
        case _:
            return bool(chain_kinds(chain_of_meaning(meaning)))


def category(meaning: Meaning) -> str:
    """The kinds of a meaning, or only its type where it is ill-typed."""
    if not is_well_typed(meaning):
        return f"{type(meaning).__name__} without a type"
    flags = ""
    if isinstance(meaning, Entity):
        flags = "a" if meaning.abbreviation else ""
        if city_in_state(meaning.text, meaning.text, "xx") is not None:
            flags += "c"  # a city that can take a state
    return f"{type(meaning).__name__} {kinds_of(meaning)} {flags}".strip()


def leaf_symbol(meaning: Meaning) -> str:
    """The type."""
    return type(meaning).__name__


TOTAL_ALGEBRA = Algebra.of(
    "geo-total",
    (
        concat,
        concat_inverse,
        fill_in,
        union,
        intersection,
        negate,
        negate_outside,
        exclude,
    ),
    is_complete,
)
