"""The CFQ domain: the search guide, and all parts together.

An inner description is complete, so gold must have exactly its conditions. An outer one is not, so
its conditions must be among those of some variable of gold. The guide rejects one kind of
derivation: a copula that states a part of the conditions of an inner variable ("a person that was a
actor"). CFQ's rows with such derivations have others too.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace

from lear.algebra.algebra import Meaning
from lear.domain import (
    Corpus,
    Domain,
    Execution,
    Language,
    Metrics,
    Syntax,
    Words,
    second_sentence,
    type_name,
)
from lear.domains.cfq import total
from lear.domains.cfq.algebra import (
    CFQ_ALGEBRA,
    HEADS,
    Attribute,
    Clause,
    Conditions,
    Entity,
    Predicate,
    Question,
    Statement,
    argument_symbol,
    category,
    head_symbol,
)
from lear.domains.cfq.corpus import BENCHMARKS, benchmark_named, load, tokenize
from lear.domains.cfq.forms import chains, conjuncts, primitives, read, render, render_part
from lear.domains.cfq.lexicon import ground, hint, induce, unknown
from lear.domains.cfq.queries import TYPE, inverse, owner
from lear.domains.cfq.store import open_store
from lear.domains.cfq.total import TOTAL_ALGEBRA, to_strict


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """Return a test that meanings in derivations of `gold` pass, but for the kind named above."""
    assert isinstance(gold, Question)
    variables = [_Variable(conditions) for conditions in _variables(gold.conditions)]
    root = variables[0]
    descriptions = {variable.conditions for variable in variables[1:]}
    names = frozenset(gold.subjects).union(*(variable.names for variable in variables))
    cache: dict[Conditions, bool] = {}

    def is_included(conditions: Conditions) -> bool:
        if conditions not in cache:
            cache[conditions] = any(variable.includes(conditions) for variable in variables)
        return cache[conditions]

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Attribute(conditions=conditions):
                return is_included(conditions)
            case Predicate(relations=relations, restriction=restriction):
                return any(variable.has(relations) for variable in variables) and (
                    not restriction or is_included(restriction)
                )
            case Entity(description=()):
                return all(name in names for name in meaning.names)
            case Entity(description=description):
                return description in descriptions or root.includes(description)
            case Statement(subjects=subjects, conditions=conditions):
                return subjects == gold.subjects and conditions == gold.conditions
            case _:
                return meaning is gold

    return is_part


class _Variable:
    """What gold says about one variable."""

    def __init__(self, conditions: Conditions) -> None:
        self.conditions = conditions
        self.clauses = Counter(conditions)
        relations = {relation for clause in conditions for relation in clause.relations}
        # A type that the query does not state, since a relation implies it, may be in the question.
        self.implied = {Clause((TYPE,), owner(relation)) for relation in relations}
        self.names = {clause.name for clause in conditions if clause.name}
        self.bundles = list(_bundles(conditions))

    def includes(self, conditions: Conditions) -> bool:
        """Return whether conditions are among those of the variable, implied types apart."""
        if not self.clauses.keys() >= set(conditions) - self.implied:
            return False
        counts = Counter(conditions)
        return all(counts[c] <= self.clauses[c] for c in counts if c not in self.implied)

    def has(self, relations: tuple[str, ...]) -> bool:
        """Return whether all of these relations lead to one value, or all lead back from it."""
        return any(bundle.issuperset(relations) for bundle in self.bundles)


def _bundles(conditions: Conditions) -> Iterator[frozenset[str]]:
    """Yield the relations that lead to each value, and their inverses."""
    by_name: dict[str, set[str]] = defaultdict(set)
    for clause in conditions:
        if clause.name:
            by_name[clause.name].update(clause.relations)
    described = (clause.relations for clause in conditions if not clause.name)
    for bundle in (*by_name.values(), *described):
        yield frozenset(bundle)
        yield frozenset(map(inverse, bundle))


def _variables(conditions: Conditions) -> Iterator[Conditions]:
    """Yield the conditions of every variable, the root's first."""
    stack = [conditions]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(clause.conditions for clause in current if clause.conditions)


CORPUS = Corpus(BENCHMARKS, load, benchmark_named)
METRICS = Metrics(conjuncts, primitives, lenient=chains)
EXECUTION = Execution(open_store)

TOTAL_CFQ = Domain(
    name="cfq",
    language=Language(TOTAL_ALGEBRA, read, render, finishing={"to_strict": to_strict}),
    words=Words(
        induce,
        total.ground,
        unknown,
        join_units=total.join_units,
        joined=total.joined,
        seen_as=total.seen_as,
        tokenize=tokenize,
        second_sentence=second_sentence,
    ),
    corpus=CORPUS,
    syntax=Syntax(category=total.category),
    metrics=METRICS,
    execution=EXECUTION,
)

CLASSLESS_CFQ = replace(TOTAL_CFQ, syntax=Syntax(category=total.category, argument=type_name))
"""The symbols of leaves are the paper's three types, without word classes."""

CFQ = Domain(
    name="cfq",
    language=Language(CFQ_ALGEBRA, read, render, guide, render_part=render_part),
    words=Words(induce, ground, unknown, hint, tokenize=tokenize, second_sentence=second_sentence),
    corpus=CORPUS,
    syntax=Syntax(category=category, argument=argument_symbol, head=head_symbol, heads=HEADS),
    metrics=METRICS,
    execution=EXECUTION,
    other_algebras={"total": TOTAL_CFQ, "classless": CLASSLESS_CFQ},
)
