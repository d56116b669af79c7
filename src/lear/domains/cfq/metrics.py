"""What rewards and the lenient metric compare of a CFQ meaning."""

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
    """Every chain from a subject to a constant: the conjunctive components of a query."""
    subjects, conditions = _parts(meaning)
    return frozenset((subject, *chain) for subject in subjects for chain in _chains(conditions))


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """Names, relations in whichever direction, types and other facts of a meaning."""
    subjects, conditions = _parts(meaning)
    found: set[Hashable] = {subject for subject in subjects if subject != VARIABLE}
    if isinstance(meaning, Predicate):
        found.update(map(undirected, meaning.relations))
    stack = [conditions]
    while stack:
        for relations, name, inner in stack.pop():
            if name.startswith("M") or not name:
                found.update(map(undirected, relations))
                found.update({name} - {""})
            else:
                found.add((relations, name))
            stack.append(inner)
    return frozenset(found)


def chains(meaning: Meaning) -> Hashable:
    """What the published evaluation compares: chains, without what it leaves out.

    The head and the FILTERs are gone, which variable is which is lost, and a type of the root is
    dropped where a relation of it belongs to that type.
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
    """Relations from a variable down to a constant, one chain each."""
    stack: list[tuple[tuple[str, ...], Conditions]] = [((), conditions)]
    while stack:
        path, found = stack.pop()
        for relations, name, inner in found:
            for relation in relations:
                if name:
                    yield (*path, relation, name)
                else:
                    stack.append(((*path, relation), inner))
