"""The paper's algebra of CFQ: entities, relations, attributes and predicates; none refuses.

The types are those of the paper's Table 1, with predicates in two states: relations without their
argument, and conditions that hold of a variable. Once names and conditions meet, conditions have
subjects. Its two kinds of operations are here too: conjunction, and JOIN, which is told apart by
what is joined and by direction. The direction of a relation comes from the operation, as in the
strict algebra: "edited M0" joins, "edited by M0" joins the turned relation.

Any two constituents combine. Lists come out the same under any bracketing: names that meet a
predicate may continue its list ("directed M0" + "and M1"), and a relation may share the argument of
a predicate ("directed and" + "edited M0"). `total_to_strict` makes a question of the result.
"""

from typing import NamedTuple

from msgspec.structs import replace

from lear.core.algebra import Algebra, Meaning


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
    """Of a unit; empty for what operations make."""


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
    """`directed and edited  =>  film.director.film film.editor.film`."""
    return Relation(left.relations + right.relations, left.restriction + right.restriction)


def unite_turned(left: Relation, right: Relation) -> Relation:
    """`founded by and employed  =>  organization.founders, business.employer.employees`."""
    return unite(replace(left, relations=_turned(left.relations)), right)


def restrict(left: Attribute | Relation, right: Attribute | Relation) -> Relation | None:
    """`female editor  =>  film.editor.film, people.person.gender m_02zsn`."""
    match left, right:
        case (Attribute() as attribute, Relation() as relation):
            items = attribute.items + relation.restriction
        case (Relation() as relation, Attribute() as attribute):
            items = relation.restriction + attribute.items
        case _:
            return None
    return Relation(relation.relations, items)


def join(left: Names | Relation, right: Names | Relation) -> Predicate | None:
    """`directed M0  =>  film.director.film M0`."""
    return _joined(left, right, is_turned=False)


def join_turned(left: Names | Relation, right: Names | Relation) -> Predicate | None:
    """`directed by M0  =>  film.film.directed_by M0`."""
    return _joined(left, right, is_turned=True)


def _joined(
    left: Names | Relation, right: Names | Relation, *, is_turned: bool
) -> Predicate | None:
    match left, right:
        case (Relation() as relation, Names(names=names)):
            return _linked(relation, names, (), is_turned=is_turned)
        case (Names(names=names), Relation() as relation):
            return _linked(relation, names, (), is_turned=is_turned)
        case _:
            return None


def lead(left: Conditions | Relation, right: Conditions | Relation) -> Predicate | None:
    """`directed a film  =>  film.director.film [a film.film]`."""
    return _led(left, right, is_turned=False)


def lead_turned(left: Conditions | Relation, right: Conditions | Relation) -> Predicate | None:
    """`directed by a film editor  =>  film.film.directed_by [a film.editor]`."""
    return _led(left, right, is_turned=True)


def _led(
    left: Conditions | Relation, right: Conditions | Relation, *, is_turned: bool
) -> Predicate | None:
    match left, right:
        case (Relation() as relation, Attribute(items=items) | Predicate(items=items)):
            return _linked(relation, (), items, is_turned=is_turned)
        case (Attribute(items=items) | Predicate(items=items), Relation() as relation):
            return _linked(relation, (), items, is_turned=is_turned)
        case _:
            return None


def _linked(
    relation: Relation, names: tuple[str, ...], items: Items, *, is_turned: bool
) -> Predicate:
    """Relations with their argument; what restricts them is said of their first variable."""
    if is_turned:
        inner = relation.restriction + items if items else ()
        return Predicate((Link(_turned(relation.relations), names, inner),))
    return Predicate((*relation.restriction, Link(relation.relations, names, items)))


def share(
    left: Predicate | Relation | Statement, right: Predicate | Relation | Statement
) -> Predicate | Statement | None:
    """`directed and (edited M0)  =>  film.director.film film.editor.film M0`."""
    return _shared(left, right, is_turned=False)


def share_turned(
    left: Predicate | Relation | Statement, right: Predicate | Relation | Statement
) -> Predicate | Statement | None:
    """`directed and (was edited by M0)  =>  film.director.film film.film.edited_by M0`."""
    return _shared(left, right, is_turned=True)


def _shared(
    left: Predicate | Relation | Statement,
    right: Predicate | Relation | Statement,
    *,
    is_turned: bool,
) -> Predicate | Statement | None:
    """Relations get the argument of the link beside them; turned against it, or alike."""
    match left, right:
        case (Relation() as relation, Predicate() | Statement() as whole):
            place = _first_link(whole.items)
        case (Predicate() | Statement() as whole, Relation() as relation):
            place = _last_link(whole.items)
        case _:
            return None
    items = list(whole.items)
    if place is not None:
        link = items[place]
        assert isinstance(link, Link)
        added = relation.relations
        if link.relations[0].is_turned != is_turned:
            added = _turned(added)
        items[place] = link._replace(relations=link.relations + added)
    return replace(whole, items=tuple(items) + relation.restriction)


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


def continue_list(
    left: Names | Predicate | Statement, right: Names | Predicate | Statement
) -> Predicate | Statement | None:
    """`(directed M0) and M1  =>  film.director.film M0, film.director.film M1`."""
    match left, right:
        case (Names(names=names), Statement() as whole):
            return replace(whole, subjects=names + whole.subjects)
        case (Names(names=names), Predicate() as whole):
            items = _with_names(whole.items, names, is_first=True)
        case (Predicate() | Statement() as whole, Names(names=names)):
            items = _with_names(whole.items, names, is_first=False)
        case _:
            return None
    if items is not None:
        return replace(whole, items=items)
    if isinstance(whole, Statement):  # M0 , a film editor , and M1
        return replace(whole, subjects=whole.subjects + names)
    return None


def _with_names(items: Items, names: tuple[str, ...], *, is_first: bool) -> Items | None:
    """Names added to the first or the last list of names; None if there is no list."""
    places = range(len(items)) if is_first else reversed(range(len(items)))
    for place in places:
        item = items[place]
        if not isinstance(item, Link):
            continue
        if item.names:
            together = names + item.names if is_first else item.names + names
            changed = item._replace(names=together)
        else:
            inner = _with_names(item.inner, names, is_first=is_first)
            if inner is None:
                continue
            changed = item._replace(inner=inner)
        return (*items[:place], changed, *items[place + 1 :])
    return None


def _turned(relations: tuple[Directed, ...]) -> tuple[Directed, ...]:
    return tuple(relation._replace(is_turned=not relation.is_turned) for relation in relations)


def _first_link(items: Items) -> int | None:
    return next((place for place, item in enumerate(items) if isinstance(item, Link)), None)


def _last_link(items: Items) -> int | None:
    places = (place for place, item in enumerate(items) if isinstance(item, Link))
    return max(places, default=None)


def is_complete(meaning: Meaning) -> bool:
    """Every meaning can be an answer: there are no dead ends."""
    del meaning
    return True


def category(meaning: Meaning) -> str:
    """The type, with the word class of a unit, and whether a predicate has a list of names."""
    if isinstance(meaning, Predicate):
        return f"Predicate{'' if _with_names(meaning.items, (), is_first=True) is None else '+'}"
    return argument_symbol(meaning)


def argument_symbol(meaning: Meaning) -> str:
    """The type, and the word class of a unit."""
    if isinstance(meaning, Attribute | Relation) and meaning.word_class:
        return f"{type(meaning).__name__}:{meaning.word_class}"
    return type(meaning).__name__


TOTAL_ALGEBRA = Algebra.of(
    "cfq-total",
    (
        list_names, conjoin, unite, unite_turned, restrict, join, join_turned, lead, lead_turned,
        share, share_turned, state, continue_list,
    ),
    is_complete,
)  # fmt: skip
