"""From meanings of the total algebra of CFQ to questions of the strict one: a finishing step.

The first word of a sentence says what is asked for. Types that a relation implies are left out,
as the strict algebra leaves them out.
"""

from collections.abc import Sequence

from lear.core.algebra import Meaning
from lear.domains.cfq import algebra as strict
from lear.domains.cfq.schema import inverse
from lear.domains.cfq.total_algebra import (
    Attribute,
    Directed,
    Fact,
    Items,
    Names,
    Predicate,
    Relation,
    Statement,
)

WHO = "Who"
ASKS_FOR_THINGS = (WHO, "What", "Which")
"""The first words of questions for things; other questions ask whether something holds."""


def to_strict(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
    """The question that a sentence asks."""
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
    """The clauses of a variable, and the types that it is implied to have."""
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
