"""What rewards and the lenient metric compare of CFQ meanings."""

from collections.abc import Hashable, Iterator

from lear.core.algebra import Meaning
from lear.domains.cfq.algebra import (
    Attribute,
    Conditions,
    Entity,
    Predicate,
    Question,
    Statement,
)
from lear.domains.cfq.query_text import TYPE
from lear.domains.cfq.schema import owner, undirected

VARIABLE = "?"


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """All chains of relations from a subject to an entity, a type or a constant."""
    subjects, conditions = _parts(meaning)
    return frozenset((subject, *chain) for subject in subjects for chain in _chains(conditions))


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """The names, relations without direction, types and other facts of a meaning."""
    subjects, conditions = _parts(meaning)
    values: set[Hashable] = {subject for subject in subjects if subject != VARIABLE}
    if isinstance(meaning, Predicate):
        values.update(map(undirected, meaning.relations))
    stack = [conditions]
    while stack:
        for relations, name, inner in stack.pop():
            if name.startswith("M") or not name:
                values.update(map(undirected, relations))
                values.update({name} - {""})
            else:
                values.add((relations, name))
            stack.append(inner)
    return frozenset(values)


def chains(meaning: Meaning) -> Hashable:
    """The chains that the published evaluation compares.

    It ignores the head, the FILTERs and the identity of variables. It also ignores a type of the
    root if one of the root's relations belongs to that type.
    """
    subjects, conditions = _parts(meaning)
    owners = {owner(relation) for clause in conditions for relation in clause.relations}
    kept = tuple(c for c in conditions if c.relations != (TYPE,) or c.name not in owners)
    return frozenset((subject, *chain) for subject in subjects for chain in _chains(kept))


def _parts(meaning: Meaning) -> tuple[tuple[str, ...], Conditions]:
    match meaning:
        case (
            Question(subjects=subjects, conditions=conditions)
            | Statement(subjects=subjects, conditions=conditions)
        ):
            return subjects or (VARIABLE,), conditions
        case Entity(names=names, description=conditions):
            return names or (VARIABLE,), conditions
        case Attribute(conditions=conditions) | Predicate(restriction=conditions):
            return (VARIABLE,), conditions
        case _:
            raise TypeError(f"not a meaning of CFQ: {meaning!r}")


def _chains(conditions: Conditions) -> Iterator[tuple[str, ...]]:
    """All chains of relations from a variable to a name, each ending with that name."""
    stack: list[tuple[tuple[str, ...], Conditions]] = [((), conditions)]
    while stack:
        path, clauses = stack.pop()
        for relations, name, inner in clauses:
            for relation in relations:
                if name:
                    yield (*path, relation, name)
                else:
                    stack.append(((*path, relation), inner))
