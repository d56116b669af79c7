"""Which meanings can be a part of a derivation of a given CFQ question.

What is described inside another description is complete, so it must be in gold as it is; what is
still open must be a part of what gold says of some variable. One kind of derivation is left out:
that a copula states a part of what holds of an inner variable ("a person that was a actor"). Rows
of CFQ that can be read so can be read otherwise too.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator

from lear.core.algebra import Meaning
from lear.domains.cfq.algebra import (
    Attribute,
    Clause,
    Conditions,
    Entity,
    Predicate,
    Question,
    Statement,
)
from lear.domains.cfq.query_text import TYPE
from lear.domains.cfq.schema import inverse, owner


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """A test that parts of derivations of `gold` pass, but for the kind that is left out."""
    assert isinstance(gold, Question)
    variables = [_Variable(found) for found in _variables(gold.conditions)]
    root = variables[0]
    descriptions = {variable.conditions for variable in variables[1:]}
    names = frozenset(gold.subjects).union(*(variable.names for variable in variables))
    known: dict[Conditions, bool] = {}

    def is_open(conditions: Conditions) -> bool:
        if conditions not in known:
            known[conditions] = any(variable.includes(conditions) for variable in variables)
        return known[conditions]

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Attribute(conditions=conditions):
                return is_open(conditions)
            case Predicate(relations=relations, restriction=restriction):
                return any(variable.has(relations) for variable in variables) and (
                    not restriction or is_open(restriction)
                )
            case Entity(names=found, description=description):
                if description:
                    return description in descriptions or root.includes(description)
                return all(name in names for name in found)
            case Statement(subjects=subjects, conditions=conditions):
                return subjects == gold.subjects and conditions == gold.conditions
            case _:
                return meaning is gold

    return is_part


class _Variable:
    """What gold says of one variable."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.clauses = Counter(conditions)
        relations = {relation for clause in conditions for relation in clause.relations}
        # A type that goes without saying may have been said on the way.
        self.unsaid = {Clause((TYPE,), owner(relation)) for relation in relations}
        self.names = {clause.name for clause in conditions if clause.name}
        self.bundles = list(_bundles(conditions))

    def includes(self, conditions: Conditions) -> bool:
        """Whether conditions are a part of these."""
        if not self.clauses.keys() >= set(conditions) - self.unsaid:
            return False
        found = Counter(conditions)
        return all(found[c] <= self.clauses[c] for c in found if c not in self.unsaid)

    def has(self, relations: tuple[str, ...]) -> bool:
        """Whether all of these relations lead to one thing, or all from it."""
        return any(bundle.issuperset(relations) for bundle in self.bundles)


def _bundles(conditions: Conditions) -> Iterator[frozenset[str]]:
    """The relations that lead to one and the same thing, in both directions."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for clause in conditions:
        if clause.name:
            by_name[clause.name].update(clause.relations)
    described = (clause.relations for clause in conditions if not clause.name)
    for bundle in (*by_name.values(), *described):
        yield frozenset(bundle)
        yield frozenset(map(inverse, bundle))


def _variables(conditions: Conditions) -> Iterator[Conditions]:
    """The conditions of every variable, the root's first."""
    stack = [conditions]
    while stack:
        found = stack.pop()
        yield found
        stack.extend(clause.conditions for clause in found if clause.conditions)
