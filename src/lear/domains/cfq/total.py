"""The paper's algebra of CFQ, whose operations never refuse, and how its results become questions.

The types are those of the paper's Table 1, with predicates in two states: relations without their
argument, and conditions that hold of a variable. The operation gives a relation its direction:
"edited M0" joins, "edited by M0" joins the turned relation. The first word of a sentence says what
is asked for (`to_strict`). Units are those of the strict algebra, and a list of names is one unit.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.domains.cfq import algebra as strict
from lear.domains.cfq.lexicon import IMPLIES
from lear.domains.cfq.queries import inverse, is_entity
from lear.lexicon.lexicon import Lexicon, Unit


class Fact(NamedTuple):
    """A type, a gender or a nationality of a variable."""

    relation: str
    value: str


class Directed(NamedTuple):
    """A relation of a unit, in the unit's direction or turned round."""

    relation: str
    implied: str
    """The type that it implies of its first variable; empty if it implies none."""
    is_turned: bool = False


class Link(NamedTuple):
    """Relations from a variable to names, or to another variable with its conditions."""

    relations: tuple[Directed, ...]
    names: tuple[str, ...] = ()
    inner: "tuple[Fact | Link, ...]" = ()


Items = tuple[Fact | Link, ...]
"""What holds of a variable, in the order of words."""


class Names(Meaning, frozen=True):
    """An entity: M0, or M0 and M1."""

    names: tuple[str, ...]


class Attribute(Meaning, frozen=True):
    """Facts about a variable: film editor, female."""

    items: Items
    word_class: str = ""
    """The class of a unit; empty for what operations make."""


class Relation(Meaning, frozen=True):
    """Relations that lack an argument: directed and edited, female spouse."""

    relations: tuple[Directed, ...]
    restriction: Items = ()
    """What holds of the first variable."""
    word_class: str = ""


class Predicate(Meaning, frozen=True):
    """Conditions on a variable, with a relation among them: directed M0."""

    items: Items


class Statement(Meaning, frozen=True):
    """Conditions with their subjects: M0 directed M1."""

    subjects: tuple[str, ...]
    items: Items


Conditions = Attribute | Predicate
Phrase = Names | Conditions | Relation


def list_names(left: Names, right: Names) -> Names:
    """`M0 and M1  =>  M0 M1`."""
    return Names(left.names + right.names)


def conjoin(
    left: Attribute | Predicate | Statement, right: Attribute | Predicate | Statement
) -> Attribute | Predicate | Statement:
    """`film editor that directed M0  =>  a film.editor, film.director.film M0`."""
    items = left.items + right.items
    subjects = [part.subjects for part in (left, right) if isinstance(part, Statement)]
    if subjects:
        return Statement(sum(subjects, ()), items)
    is_attribute = isinstance(left, Attribute) and isinstance(right, Attribute)
    return Attribute(items) if is_attribute else Predicate(items)


def unite(left: Relation, right: Relation) -> Relation:
    """`directed and edited  =>  film.director.film film.editor.film`.

    Relations of one direction stay as they are: what joins them to their argument turns them all.
    """
    return Relation(left.relations + right.relations, left.restriction + right.restriction)


def unite_left_turned(left: Relation, right: Relation) -> Relation:
    """`was founded by and employed  =>  organization.founders, business.employer.employees`."""
    return unite(replace(left, relations=_turned(left.relations)), right)


def unite_right_turned(left: Relation, right: Relation) -> Relation:
    """`employed and was founded by  =>  business.employer.employees, organization.founders`."""
    return unite(left, replace(right, relations=_turned(right.relations)))


def restrict(attribute: Attribute, relation: Relation) -> Relation:
    """`female editor  =>  film.editor.film, people.person.gender m_02zsn`."""
    return Relation(relation.relations, attribute.items + relation.restriction)


def join(left: Names | Relation, right: Names | Relation) -> Predicate | None:
    """`directed M0  =>  film.director.film M0`."""
    return _linked(left, right, is_turned=False)


def join_turned(left: Names | Relation, right: Names | Relation) -> Predicate | None:
    """`directed by M0  =>  film.film.directed_by M0`."""
    return _linked(left, right, is_turned=True)


def lead(left: Conditions | Relation, right: Conditions | Relation) -> Predicate | None:
    """`directed a film  =>  film.director.film [a film.film]`."""
    return _linked(left, right, is_turned=False)


def lead_turned(left: Conditions | Relation, right: Conditions | Relation) -> Predicate | None:
    """`directed by a film editor  =>  film.film.directed_by [a film.editor]`."""
    return _linked(left, right, is_turned=True)


def _linked(left: Phrase, right: Phrase, *, is_turned: bool) -> Predicate | None:
    """Return relations with their argument; what restricts them is said of their first variable.

    Turned relations have their argument there: a described one gets the restriction, names do not.
    """
    relation, value = (left, right) if isinstance(left, Relation) else (right, left)
    if not isinstance(relation, Relation) or isinstance(value, Relation):
        return None
    names = value.names if isinstance(value, Names) else ()
    items = () if isinstance(value, Names) else value.items
    if is_turned:
        inner = relation.restriction + items if items else ()
        return Predicate((Link(_turned(relation.relations), names, inner),))
    return Predicate((*relation.restriction, Link(relation.relations, names, items)))


def state(
    left: Names | Attribute | Predicate, right: Names | Attribute | Predicate
) -> Statement | None:
    """`M0 directed M1  =>  M0: film.director.film M1`."""
    match left, right:
        case (Names(names=names), Attribute(items=items) | Predicate(items=items)):
            return Statement(names, items)
        case (Attribute(items=items) | Predicate(items=items), Names(names=names)):
            return Statement(names, items)
        case _:
            return None


def absorb(
    left: Names | Relation | Statement, right: Names | Relation | Statement
) -> Statement | None:
    """`M0 (M1 directed M2)  =>  M0 M1: film.director.film M2`.

    Names before a statement are subjects too, names behind it continue its last list. A relation
    without an argument comes too late.
    """
    match left, right:
        case (Names(names=names), Statement() as whole):
            return replace(whole, subjects=names + whole.subjects)
        case (Statement() as whole, Names(names=names)):
            return replace(whole, items=_with_names(whole.items, names))
        case (Statement() as whole, Relation()) | (Relation(), Statement() as whole):
            return whole
        case _:
            return None


def _with_names(items: Items, names: tuple[str, ...]) -> Items:
    """Return names added to the last list of names, if there is one."""
    for place in reversed(range(len(items))):
        item = items[place]
        if isinstance(item, Link):
            if item.names:
                changed = item._replace(names=item.names + names)
            else:
                changed = item._replace(inner=_with_names(item.inner, names))
            return (*items[:place], changed, *items[place + 1 :])
    return items


def _turned(relations: tuple[Directed, ...]) -> tuple[Directed, ...]:
    return tuple(relation._replace(is_turned=not relation.is_turned) for relation in relations)


def is_complete(meaning: Meaning) -> bool:
    """Return True: every meaning can be an answer."""
    del meaning
    return True


def category(meaning: Meaning) -> str:
    """Return the type, and the word class of a unit."""
    if isinstance(meaning, Attribute | Relation) and meaning.word_class:
        return f"{type(meaning).__name__}:{meaning.word_class}"
    return type(meaning).__name__


TOTAL_ALGEBRA = Algebra.of(
    "cfq-total",
    (
        list_names, conjoin, unite, unite_left_turned, unite_right_turned, restrict,
        join, join_turned, lead, lead_turned, state, absorb,
    ),
    is_complete,
)  # fmt: skip


WHO = "Who"
ASKS_FOR_THINGS = (WHO, "What", "Which")
"""The first words of questions for things; other questions ask whether something holds."""


def to_strict(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
    """Return the question that a sentence asks."""
    subjects: tuple[str, ...] = ()
    match meaning:
        case Statement(subjects=subjects, items=items):
            pass
        case Attribute(items=items) | Predicate(items=items) | Relation(restriction=items):
            pass
        case Names(names=subjects):
            items = ()
        case _:
            raise TypeError(f"not a meaning of CFQ: {meaning!r}")
    implied, clauses = _clauses(items)
    head = tokens[0] if tokens else ""
    if head not in ASKS_FOR_THINGS:
        conditions = strict.conditions(clauses, implied)
        return strict.Question("whether", tuple(sorted(subjects)), conditions)
    if head == WHO:
        clauses = (*clauses, strict.PERSON)
    return strict.Question("which", (), strict.conditions(clauses, implied))


def _clauses(items: Items) -> tuple[strict.Types, tuple[strict.Clause, ...]]:
    """Return the clauses of a variable, and the types that it is implied to have."""
    implied: list[str] = []
    clauses: list[strict.Clause] = []
    for item in items:
        if isinstance(item, Fact):
            clauses.append(strict.Clause((item.relation,), item.value))
            continue
        implied += (r.implied for r in item.relations if r.implied and not r.is_turned)
        relations = tuple(sorted(map(_name, item.relations)))
        if item.names:
            clauses += (strict.Clause((r,), name) for r in relations for name in item.names)
        else:
            inner_implied, inner = _clauses(item.inner)
            turned = tuple(r.implied for r in item.relations if r.implied and r.is_turned)
            conditions = strict.conditions(inner, (*inner_implied, *turned))
            clauses.append(strict.Clause(relations, "", conditions))
    return tuple(implied), tuple(clauses)


def _name(relation: Directed) -> str:
    return inverse(relation.relation) if relation.is_turned else relation.relation


LIST_WORDS = ("and", ",", ",and")


def seen_as(word: str) -> str:
    """Return one word for all list words."""
    return LIST_WORDS[0] if word in LIST_WORDS else word


def join_units(units: Iterator[Unit], lexicon: Lexicon) -> Iterator[Unit]:
    """Yield units, with each list of names as one."""
    del lexicon
    pending: list[str] = []
    """A list of names so far, with a list word at its end or without."""
    for unit in units:
        word = unit[0] if len(unit) == 1 else ""
        ends_with_name = bool(pending) and pending[-1] not in LIST_WORDS
        if (word in LIST_WORDS) if ends_with_name else is_entity(word):
            pending.append(word)
        else:
            yield from _flushed(pending)
            pending = [word] if is_entity(word) else []
            if not pending:
                yield unit
    yield from _flushed(pending)


def _flushed(pending: list[str]) -> Iterator[Unit]:
    """Yield a list as one unit; a list word that no name follows is none of it."""
    if pending and pending[-1] in LIST_WORDS:
        yield tuple(pending[:-1])
        yield (pending[-1],)
    elif pending:
        yield tuple(pending)


def joined(unit: Unit) -> Sequence[Primitive]:
    """Return the primitive of a list of names: the names in it."""
    return (Primitive("Name", " ".join(filter(is_entity, unit))),)


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive, the same at every token."""
    del position
    match primitive.type:
        case "Name":
            return table.intern(Names(tuple(primitive.symbol.split())))
        case "Attribute":
            relation, value = primitive.symbol.split()
            return table.intern(Attribute((Fact(relation, value),), primitive.feature))
        case _:
            word_class, _, implied = primitive.feature.partition(IMPLIES)
            relations = (Directed(primitive.symbol, implied),)
            return table.intern(Relation(relations, word_class=word_class))
