"""The algebra of CFQ: attributes, predicates and entities, operations, and what a grammar sees.

The paper's Table 1 has three types, conjunction and JOIN. Strict scoring also needs statements and
questions with their heads, the direction of relations (`flip`, `extract`, `own`), and words that
mark a phrase without adding to it. A unit has one direction, and operations invert it. A meaning
also has the class of its head word, so that the grammar can learn that "did" takes a bare verb;
"M0", "M0 and M1" and "a film editor" are all an Entity to it.
"""

from collections.abc import Iterable
from typing import Literal, NamedTuple

from lear.algebra.algebra import Algebra, Meaning
from lear.domains.cfq.queries import IMPLIED_TYPE, TYPE, inverse


class Clause(NamedTuple):
    """Relations from a variable to one value."""

    relations: tuple[str, ...]
    name: str
    """The value: a type (of relation `a`), a constant or an entity; empty for a variable."""
    conditions: "Conditions" = ()
    """Where the value is a variable: its conditions."""


Conditions = tuple[Clause, ...]
"""What holds of a variable, in canonical order: the same conditions are equal tuples."""


Types = tuple[str, ...]
Kind = Literal["which", "whether"]


class Attribute(Meaning, frozen=True):
    """Conditions on one variable: `film editor`, `female`, `directed M0`."""

    conditions: Conditions
    head_class: str
    """The class of its head word, and how operations have changed it."""
    is_word: bool = False
    """True if it is a single unit, which can stand before the noun that it modifies."""
    implied: Types = ()
    """Types of the variable that the query does not state, since its relations imply them."""
    is_heavy: bool = False
    """True if it ends with a complement: `editor of M0`, `actor that M0 married`."""


class Predicate(Meaning, frozen=True):
    """Relations from one variable to another: `directed and edited`, `female spouse`."""

    relations: tuple[str, ...]
    head_class: str
    """The class of its head word, as in attributes."""
    restriction: Conditions = ()
    """Further conditions on the first variable."""
    implied: Types = ()
    """Types of the first variable that the query does not state: an editor of M0 is an editor."""


class Entity(Meaning, frozen=True):
    """A noun phrase: names (`M0 and M1`) or a description (`a film editor`)."""

    names: tuple[str, ...]
    """Empty if there is a description."""
    description: Conditions = ()
    implied: Types = ()
    is_heavy: bool = False
    """True if its description ends with a complement."""


class Statement(Meaning, frozen=True):
    """Conditions with their subjects: `M0 directed M1`; without names the subject is a variable."""

    subjects: tuple[str, ...]
    conditions: Conditions
    head_class: str


class Question(Meaning, frozen=True):
    """A whole query: which things, or whether (yes or no)."""

    kind: Kind
    subjects: tuple[str, ...]
    conditions: Conditions


PERSON = Clause((TYPE,), "people.person")
# Values of `head_class` that operations give; FLIPPED is a suffix of the word class.
MARKED = "marked"
EXTRACTED = "extracted"
OWNED = "owned"
EQUAL = "equal"
FLIPPED = "^"


def conditions(clauses: Iterable[Clause], implied: Types = ()) -> Conditions:
    """Return clauses in canonical order, without repeated facts and without implied types."""
    ordered = sorted(clauses)
    unstated = set(implied)
    for clause in ordered:
        unstated.update(IMPLIED_TYPE[r] for r in clause.relations if r in IMPLIED_TYPE)
    kept: list[Clause] = []
    for clause in ordered:
        is_repeated = bool(kept) and kept[-1] == clause and is_fact(clause)
        is_unstated = clause.relations == (TYPE,) and clause.name in unstated
        if not is_unstated and not is_repeated:
            kept.append(clause)
    return tuple(kept)


def is_fact(clause: Clause) -> bool:
    """Return whether a clause states a type, a gender or a nationality."""
    return bool(clause.name) and not clause.name.startswith("M")


def is_closed(head_class: str) -> bool:
    """Return whether a phrase of this class takes no complement inside."""
    return head_class in (MARKED, EXTRACTED, OWNED)


def is_changed(head_class: str) -> bool:
    """Return whether an operation has flipped or marked a predicate: it is no bare noun or verb."""
    return head_class == MARKED or head_class.endswith(FLIPPED)


def _leads_to(relations: tuple[str, ...], entity: Entity) -> tuple[Clause, ...]:
    """Return the conditions on a variable that has these relations to an entity."""
    if entity.description:
        return (Clause(relations, "", entity.description),)
    return tuple(Clause((relation,), name) for relation in relations for name in entity.names)


def _inverted(relations: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(map(inverse, relations)))


def _together(first: Types, second: Types) -> Types:
    return tuple(sorted({*first, *second}))


def list_names(names: Entity, name: Entity) -> Entity | None:
    """`M0 and M1  =>  M0 M1`."""
    if names.description or len(name.names) != 1:
        return None
    return Entity(tuple(sorted((*names.names, *name.names))))


def unite(predicates: Predicate, predicate: Predicate) -> Predicate | None:
    """`directed and edited  =>  film.director.film film.editor.film`."""
    # One at a time, so that a list has one order of construction.
    if len(predicate.relations) != 1 or predicates.restriction or predicate.restriction:
        return None
    if predicates.head_class != predicate.head_class and MARKED not in (
        predicates.head_class,
        predicate.head_class,
    ):
        return None
    relations = tuple(sorted((*predicates.relations, *predicate.relations)))
    implied = _together(predicates.implied, predicate.implied)
    return Predicate(relations, predicates.head_class, implied=implied)


def restrict(condition: Attribute, predicate: Predicate) -> Predicate | None:
    """`female editor  =>  film.editor.film, people.person.gender m_02zsn`."""
    if not condition.is_word or is_changed(predicate.head_class):
        return None
    restriction = conditions((*condition.conditions, *predicate.restriction))
    return Predicate(predicate.relations, predicate.head_class, restriction, predicate.implied)


def modify(condition: Attribute, head: Attribute) -> Attribute | None:
    """`female film editor  =>  a film.editor, people.person.gender m_02zsn`."""
    if not condition.is_word:
        return None
    return _conjunction(condition, head, head.head_class, is_heavy=head.is_heavy)


def conjoin(head: Attribute, condition: Attribute) -> Attribute:
    """`film editor that directed M0  =>  a film.editor, film.director.film M0`."""
    return _conjunction(head, condition, head.head_class, is_heavy=not is_closed(head.head_class))


def _conjunction(
    first: Attribute, second: Attribute, head_class: str, *, is_heavy: bool
) -> Attribute:
    implied = _together(first.implied, second.implied)
    together = conditions((*first.conditions, *second.conditions), implied)
    return Attribute(together, head_class, implied=implied, is_heavy=is_heavy)


def join(predicate: Predicate, entity: Entity) -> Attribute:
    """`directed M0  =>  film.director.film M0`."""
    joined = (*predicate.restriction, *_leads_to(predicate.relations, entity))
    return Attribute(
        conditions(joined, predicate.implied),
        predicate.head_class,
        implied=predicate.implied,
        is_heavy=not is_closed(predicate.head_class),
    )


def possess(entity: Entity, predicate: Predicate) -> Entity | None:
    """`M0 's editor  =>  film.editor.film M0`."""
    if is_changed(predicate.head_class):
        return None
    joined = join(predicate, entity)
    return Entity((), joined.conditions, joined.implied)


def extract(entity: Entity, predicate: Predicate) -> Attribute | None:
    """`(that) M0 directed  =>  film.film.directed_by M0`."""
    if predicate.restriction:
        return None
    return Attribute(conditions(_leads_to(_inverted(predicate.relations), entity)), EXTRACTED)


def flip(predicate: Predicate) -> Predicate | None:
    """`directed by  =>  film.film.directed_by`."""
    if predicate.restriction or is_changed(predicate.head_class):
        return None
    return Predicate(_inverted(predicate.relations), predicate.head_class + FLIPPED)


def own(predicate: Predicate, condition: Attribute) -> Attribute | None:
    """`(whose) editor directed M0  =>  film.film.edited_by [film.director.film M0]`."""
    if is_changed(predicate.head_class):
        return None
    owned = conditions((*predicate.restriction, *condition.conditions), predicate.implied)
    return Attribute((Clause(_inverted(predicate.relations), "", owned),), OWNED)


def describe(condition: Attribute) -> Entity:
    """`a film editor  =>  a film.editor`."""
    return Entity((), condition.conditions, condition.implied, condition.is_heavy)


def be(entity: Entity) -> Attribute | None:
    """`was a film editor  =>  a film.editor`."""
    if not entity.description:
        return None
    return Attribute(entity.description, MARKED, implied=entity.implied)


def mark(predicate: Predicate) -> Predicate | None:
    """`(that M0) was directed by  =>  film.film.directed_by`."""
    if not predicate.head_class.endswith(FLIPPED):
        return None
    return Predicate(predicate.relations, MARKED)


def support(condition: Attribute) -> Attribute | None:
    """`was directed by M0  =>  film.film.directed_by M0`."""
    if condition.head_class != EXTRACTED and not condition.head_class.endswith(FLIPPED):
        return None
    return Attribute(condition.conditions, MARKED)


def state(subject: Entity, condition: Attribute) -> Statement:
    """`M0 directed M1  =>  M0: film.director.film M1`."""
    implied = _together(subject.implied, condition.implied)
    together = conditions((*subject.description, *condition.conditions), implied)
    return Statement(subject.names, together, condition.head_class)


def equate(first: Entity, second: Entity) -> Statement | None:
    """`M0 M1 's editor  =>  M0: film.editor.film M1`."""
    if first.names and second.names:
        return None
    implied = _together(first.implied, second.implied)
    together = conditions((*first.description, *second.description), implied)
    return Statement(first.names or second.names, together, EQUAL)


def ask_which(condition: Attribute) -> Question:
    """`What was edited by M0  =>  SELECT DISTINCT ?x0: film.film.edited_by M0`."""
    return Question("which", (), condition.conditions)


def ask_who(condition: Attribute) -> Question:
    """`Who edited M0  =>  SELECT DISTINCT ?x0: a people.person, film.editor.film M0`."""
    together = conditions((*condition.conditions, PERSON), condition.implied)
    return Question("which", (), together)


def ask_whether(statement: Statement) -> Question:
    """`Did M0 edit M1  =>  SELECT count ( * ): M0: film.editor.film M1`."""
    return Question("whether", statement.subjects, statement.conditions)


def is_complete(meaning: Meaning) -> bool:
    """Return whether a meaning is a question."""
    return isinstance(meaning, Question)


CFQ_ALGEBRA = Algebra.of(
    "cfq",
    (
        list_names, unite, restrict, modify, conjoin, join, possess, extract, flip, own, describe,
        be, mark, support, state, equate, ask_which, ask_who, ask_whether,
    ),
    is_complete,
)  # fmt: skip


HEADS = {"possess": 0}
"""Operation -> the index of its head. Only `possess` needs to see whether the head has a
complement: "a sibling of M0 's editor" means a sibling of the editor, not the sibling's editor."""


def category(meaning: Meaning) -> str:
    """Return the symbol, and whatever else decides which operations are legal."""
    symbol = argument_symbol(meaning)
    match meaning:
        case Entity(names=names, is_heavy=is_heavy):
            return f"{symbol} {min(len(names), 2)}{'+' if is_heavy else ''}"
        case Predicate(relations=relations, restriction=restriction):
            size = "one" if len(relations) == 1 else "list"
            return f"{symbol} {size}{' restricted' if restriction else ''}"
        case Attribute(is_word=is_word, is_heavy=is_heavy):
            return f"{symbol} {'word' if is_word else 'phrase'}{'+' if is_heavy else ''}"
        case _:
            return symbol


def argument_symbol(meaning: Meaning) -> str:
    """Return the type, with the class of the head word."""
    match meaning:
        case Attribute() | Predicate() | Statement():
            return f"{type(meaning).__name__}:{meaning.head_class}"
        case _:
            return type(meaning).__name__


def head_symbol(meaning: Meaning) -> str:
    """Return the argument symbol, with `+` if there is a complement."""
    is_heavy = isinstance(meaning, Entity) and meaning.is_heavy
    return f"{argument_symbol(meaning)}{'+' if is_heavy else ''}"
