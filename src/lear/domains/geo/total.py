"""The paper's algebra of GEO, whose operations never refuse, and its lexicon: a table by hand.

Any two constituents combine, in any bracketing. The types of FunQL only advise: where some
operation gives a well-typed meaning, the others need not be tried (`is_well_typed`). Meanings are
those of the strict algebra. `phrase_table.toml` was written from the training rows of the query
split alone; names come from training rows and the gazetteer, as in the induced lexicon.
"""

import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.benchmark import Example, Gazetteer
from lear.domains.geo.algebra import (
    GEO_ALGEBRA,
    Entity,
    Negated,
    Negation,
    Predicate,
    Proposition,
    chain_of_meaning,
    flags_of,
    union,
)
from lear.domains.geo.algebra import argument_symbol as kinds_of
from lear.domains.geo.functions import Chain, Fork, chain_kinds, signature
from lear.domains.geo.lexicon import find_names, primitive_of, targets_of
from lear.domains.geo.lexicon import ground as strict_ground
from lear.lexicon.lexicon import NOTHING, UNKNOWN, Lexicon, Unit

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
    """Return whether a meaning can be an answer: all can but a negating word alone."""
    return not isinstance(meaning, Negation)


def is_well_typed(meaning: Meaning) -> bool:
    """Return whether a meaning has a type of FunQL."""
    match meaning:
        case Negation() | Entity():
            return True
        case Predicate(functions=functions):
            return bool(signature(functions).results)
        case _:
            return bool(chain_kinds(chain_of_meaning(meaning)))


def category(meaning: Meaning) -> str:
    """Return the kinds of a meaning, or only its type where it is ill-typed."""
    if not is_well_typed(meaning):
        return f"{type(meaning).__name__} without a type"
    flags = flags_of(meaning) if isinstance(meaning, Entity) else ""
    return f"{type(meaning).__name__} {kinds_of(meaning)} {flags}".strip()


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


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive; a city and its state are as good as a single unit."""
    if primitive.type == "Entity":
        return table.intern(Entity(primitive.symbol, primitive.feature))
    return strict_ground(primitive, position, table)


def by_hand(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the phrase table with the names of training rows; other words are function words."""
    counts: Counter[tuple[Unit, Primitive]] = Counter()
    for phrase, values in read_phrase_table().items():
        for rank, value in enumerate(values):  # counts keep the order of the table
            primitive = primitive_of(value) if value else NOTHING
            counts[tuple(phrase.split()), primitive] = len(values) - rank
    counts.update(find_names(examples, [targets_of(example) for example in examples], gazetteer))
    content_words = {unit[0] for unit, _ in counts if len(unit) == 1}
    words = Counter(token for example in examples for token in example.tokens)
    function_words = {word: count for word, count in words.items() if word not in content_words}
    return Lexicon.from_counts(GEO_ALGEBRA.name, counts, {**function_words, UNKNOWN: 1})


def read_phrase_table() -> dict[str, list[str]]:
    """Phrase -> what it may stand for, as the file has it."""
    text = (files("lear.domains.geo") / "phrase_table.toml").read_text(encoding="utf-8")
    phrases: dict[str, list[str]] = tomllib.loads(text)["phrases"]
    return phrases
