"""CFQ's queries are read as meanings, printed from them, and compared by their parts.

A clause leads from an outer variable to an inner one, so a query is a tree below its subjects:
`?x0`, or the entities that a yes/no question is about, which all have the same clauses.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Sequence
from math import gcd

from lear.algebra.algebra import Meaning, MeaningTable
from lear.domains.cfq.algebra import (
    Attribute,
    Clause,
    Conditions,
    Entity,
    Kind,
    Predicate,
    Question,
    Statement,
)
from lear.domains.cfq.queries import (
    ANSWER,
    DISTINCT,
    TYPE,
    WHETHER,
    WHICH,
    Query,
    Triple,
    child_rank,
    is_entity,
    is_variable,
    owner,
    print_query,
    read_query,
    undirected,
)
from lear.errors import FormError


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
    """Return the meaning of a query; its entities must occur in the question."""
    query = read_query(form)
    mentioned = {term for t in query.triples for term in (t.subject, t.object)}
    for term in sorted(mentioned.union(*query.filters)):
        if is_entity(term) and term not in tokens:
            raise FormError(f"entity {term} is missing from the question")
    return meaning_of(query, tokens, table)


def meaning_of(query: Query, tokens: Sequence[str], table: MeaningTable) -> Question:
    """Return the tree of a query's clauses; raises `FormError` if they are not a tree."""
    _check_filters(query)
    about: dict[str, list[Triple]] = defaultdict(list)
    for triple in query.triples:
        about[triple.subject].append(triple)
    subjects = [term for term in about if not is_variable(term)]
    roots = subjects or [_root_variable(query)]
    for name in list(subjects):
        times = _times(name, about[name], tokens)
        subjects += [name] * (times - 1)
        about[name] = sorted(about[name])[::times]
    if query.head == WHICH and roots != [ANSWER]:
        raise FormError(f"a question for {ANSWER} that is about {roots[0]}")
    builder = _Builder(about)
    conditions = {builder.conditions(root) for root in roots}
    if len(conditions) != 1:
        raise FormError(f"{roots[0]} and {roots[1]} have different clauses")
    if unread := about.keys() - builder.finished.keys():
        raise FormError(f"{min(unread)} is not connected with the rest of the query")
    kind: Kind = "which" if query.head == WHICH else "whether"
    return table.intern(Question(kind, tuple(sorted(subjects)), *conditions))


def _check_filters(query: Query) -> None:
    """Require one FILTER for each triple of an irreflexive relation, and no others."""
    expected = Counter((t.subject, t.object) for t in query.triples if t.predicate in DISTINCT)
    given = Counter(query.filters)
    for left, right in (expected - given) | (given - expected):
        problem = "lacks" if expected[left, right] > given[left, right] else "has a needless"
        raise FormError(f"the query {problem} FILTER ( {left} != {right} )")


def _root_variable(query: Query) -> str:
    """Return the only variable that is not an object."""
    objects = {triple.object for triple in query.triples}
    roots = sorted({t.subject for t in query.triples} - objects)
    if not roots:
        raise FormError("every variable is the object of another")
    if len(roots) > 1:
        raise FormError(f"{roots[1]} is not connected with the rest of the query")
    return roots[0]


def _times(name: str, triples: Sequence[Triple], tokens: Sequence[str]) -> int:
    """Return how often a question names a subject: "M1 and M1" states every triple twice."""
    if tokens.count(name) < 2:
        return 1
    times = gcd(*Counter(triples).values())
    return times if tokens.count(name) >= times else 1


class _Builder:
    """Builds the conditions of variables, inner ones first, from the triples about them."""

    def __init__(self, about: dict[str, list[Triple]]) -> None:
        self.about = about
        self.finished: dict[str, Conditions] = {}
        self.unfinished: set[str] = set()
        self.parents: dict[str, str] = {}

    def conditions(self, term: str) -> Conditions:
        """Return the conditions of a variable, or of an entity that is a subject."""
        if term in self.finished:
            return self.finished[term]
        if term in self.unfinished:
            raise FormError(f"{term} is a part of itself")
        self.unfinished.add(term)
        clauses: list[Clause] = []
        children: dict[str, list[str]] = defaultdict(list)
        for _, predicate, value in self.about.get(term, ()):
            if is_variable(value):
                children[value].append(predicate)
            else:
                clauses.append(Clause((predicate,), value))
        for child, relations in children.items():
            # All subjects of a yes/no question have the same children.
            parent = term if is_variable(term) else ""
            if self.parents.setdefault(child, parent) != parent:
                raise FormError(f"{child} is the object of two variables")
            clauses.append(Clause(tuple(sorted(relations)), "", self.conditions(child)))
        self.unfinished.discard(term)
        self.finished[term] = tuple(sorted(clauses))
        return self.finished[term]


def render(meaning: Meaning) -> str:
    """Return the query text of a question, exactly as CFQ writes it."""
    assert isinstance(meaning, Question)
    query = query_of(meaning)
    return print_query(query.head, _sorted_clauses(query))


OPEN = "_"
"""In a part of a query: a place that nothing fills yet. It prints as `?`, and is no variable."""


def render_part(meaning: Meaning) -> str:
    """Print any meaning as the clauses that it brings; places that are still open print as `?`."""
    match meaning:
        case Question():
            return render(meaning)
        case Entity(names=names) if names:
            return ", ".join(names)
        case Entity(description=description):
            return _open_clauses((OPEN,), description)
        case Attribute(conditions=conditions):
            return _open_clauses((OPEN,), conditions)
        case Predicate(relations=relations, restriction=restriction):
            return _open_clauses((OPEN,), (Clause(relations, OPEN), *restriction))
    assert isinstance(meaning, Statement)
    return _open_clauses(meaning.subjects or (OPEN,), meaning.conditions)


def _open_clauses(subjects: tuple[str, ...], conditions: Conditions) -> str:
    query = query_of(Question("whether", subjects, conditions))
    apart = tuple(terms for terms in query.filters if terms != (OPEN, OPEN))
    text = " . ".join(_sorted_clauses(query._replace(filters=apart)))
    return " ".join("?" if token == OPEN else token for token in text.split())


def query_of(question: Question) -> Query:
    """Return the query of a question, with variables numbered from the root on."""
    triples: list[Triple] = []
    filters: list[tuple[str, str]] = []
    num_variables = 0

    def new_variable() -> str:
        nonlocal num_variables
        num_variables += 1
        return f"?x{num_variables - 1}"

    def add(subjects: Sequence[str], clauses: Conditions) -> None:
        for clause in sorted(clauses, key=_variable_order):
            target = clause.name or new_variable()
            state(subjects, clause.relations, target)
            add((target,), clause.conditions)

    def state(subjects: Sequence[str], relations: tuple[str, ...], target: str) -> None:
        for subject in subjects:
            for relation in relations:
                triples.append(Triple(subject, relation, target))
                if relation in DISTINCT:
                    filters.append((subject, target))

    add(question.subjects or (new_variable(),), question.conditions)
    head = WHICH if question.kind == "which" else WHETHER
    return Query(head, tuple(triples), tuple(filters))


def _variable_order(clause: Clause) -> tuple[object, ...]:
    return tuple(map(child_rank, clause.relations)), clause


def _sorted_clauses(query: Query) -> list[str]:
    """Return clauses in ASCII order, with variables numbered in the order of the clauses."""
    clauses = _clause_texts(query, {})
    names: dict[str, str] = {}
    for clause in clauses:
        for token in clause.split():
            if is_variable(token):
                names.setdefault(token, f"?x{len(names)}")
    return _clause_texts(query, names)


def _clause_texts(query: Query, names: dict[str, str]) -> list[str]:
    triples = [
        f"{names.get(t.subject, t.subject)} {t.predicate} {names.get(t.object, t.object)}"
        for t in query.triples
    ]
    filters = [f"FILTER ( {names.get(a, a)} != {names.get(b, b)} )" for a, b in query.filters]
    return sorted((*triples, *filters))


VARIABLE = "?"


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """Return all chains of relations from a subject to an entity, a type or a constant."""
    subjects, conditions = _parts(meaning)
    return frozenset((subject, *chain) for subject in subjects for chain in _chains(conditions))


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """Return the names, relations without direction, types and other facts of a meaning."""
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
    """Return the chains that the published evaluation compares.

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
    """Yield all chains of relations from a variable to a name, each ending with that name."""
    stack: list[tuple[tuple[str, ...], Conditions]] = [((), conditions)]
    while stack:
        path, clauses = stack.pop()
        for relations, name, inner in clauses:
            for relation in relations:
                if name:
                    yield (*path, relation, name)
                else:
                    stack.append(((*path, relation), inner))
