"""Reading and printing COGS logical forms, exact to the character.

Reading ignores the order of clauses, and printing restores it: definite nouns first, each followed
by `;`, then all other clauses, joined by AND. Both are sorted by the positions of their arguments;
a clause with one argument comes before those with two. A name has the position of its token, so
reading needs the sentence. A gap stands where its noun phrase would: that is the one thing that
reading learns from the order of clauses. A lone word has a lambda form that depends on its type and
frame.
"""

import re
from collections.abc import Iterator, Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.domains.cogs.algebra import (
    Entity,
    Event,
    Frame,
    Gap,
    Infinitive,
    Name,
    Noun,
    NounPhrase,
    Verb,
    WhClause,
    children,
)
from lear.domains.cogs.clauses import Argument, Atom, render_atom, split_form
from lear.domains.cogs.clauses_to_meaning import read_clauses
from lear.domains.cogs.form_facts import ASKED, LABELS
from lear.errors import FormError

LONE_NOUN = "LAMBDA a . {0} ( a )"
LONE_VERB: dict[Frame, str] = {
    "agent": "LAMBDA a . LAMBDA e . {0} . agent ( e , a )",
    "theme": "LAMBDA a . LAMBDA e . {0} . theme ( e , a )",
    "agent theme": "LAMBDA a . LAMBDA b . LAMBDA e . "
    "{0} . agent ( e , b ) AND {0} . theme ( e , a )",
}
# The files have no lone ditransitive verb: it is printed as a transitive one.
LONE_VERB["agent theme recipient"] = LONE_VERB["agent theme"]


def render(meaning: Meaning) -> str:
    """The form of a complete meaning, exactly as COGS writes it."""
    if isinstance(meaning, Name):
        return meaning.name
    if isinstance(meaning, Noun):
        return LONE_NOUN.format(meaning.lemma)
    if isinstance(meaning, Verb):
        return LONE_VERB[meaning.frame].format(meaning.lemma)
    return _clauses(meaning)


def render_part(meaning: Meaning) -> str:
    """Any meaning as clauses; what has none yet is the word by itself."""
    clauses = _clauses(meaning).removesuffix(" ; ")
    return clauses or str(getattr(meaning, "name", getattr(meaning, "lemma", "")))


def _clauses(meaning: Meaning) -> str:
    texts = [(key, render_atom(atom), atom.is_definite) for key, atom in _keyed_atoms(meaning)]
    texts.sort()
    definites = [text + " ; " for _, text, is_definite in texts if is_definite]
    rest = [text for _, text, is_definite in texts if not is_definite]
    return "".join(definites) + " AND ".join(rest)


def atoms(meaning: Meaning) -> frozenset[Atom]:
    """The set of clauses of a meaning, complete or not."""
    return frozenset(atom for _, atom in _keyed_atoms(meaning))


SortKey = tuple[float, ...]
"""The positions of a clause's arguments, by which COGS sorts clauses."""


def _keyed_atoms(meaning: Meaning) -> Iterator[tuple[SortKey, Atom]]:
    """The clauses of a meaning with their sort keys, not sorted."""
    stack: list[tuple[Meaning, Argument]] = [(meaning, ASKED)]  # with what a gap stands for
    # An infinitive has the agent of the verb above it, which is visited first.
    shared_agent: dict[Infinitive, NounPhrase | Gap | None] = {}
    while stack:
        part, missing = stack.pop()
        if isinstance(part, Entity):
            yield (part.position,), Atom((part.lemma,), (part.position,), part.is_definite)
            for relation, modifier in part.modifiers:
                is_clause = isinstance(modifier, WhClause)
                nmod = ("nmod",) if is_clause else ("nmod", relation)
                yield _relation(part, nmod, modifier, missing)
                if not isinstance(modifier, Gap):
                    stack.append((modifier, part.position if is_clause else missing))
            continue
        if isinstance(part, Event):
            agent = shared_agent.get(part) if isinstance(part, Infinitive) else part.agent
            fillers = (agent, part.theme, part.recipient, part.clause, part.infinitive)
            for label, filler in zip(LABELS, fillers, strict=True):
                if filler is not None:
                    yield _relation(part, (label,), filler, missing)
            if part.infinitive is not None:
                shared_agent[part.infinitive] = agent
        stack.extend((child, missing) for child in children(part))


def _relation(
    head: Entity | Event,
    label: tuple[str, ...],
    argument: NounPhrase | Gap | Event,
    missing: Argument,
) -> tuple[SortKey, Atom]:
    """The clause of a head and its argument; `missing` is what a gap stands for."""
    predicate = (head.lemma, *label)
    match argument:
        case Gap(after=after):
            return (head.position, after + 0.5), Atom(predicate, (head.position, missing))
        case Name(position=position, name=name):
            return (head.position, position), Atom(predicate, (head.position, name))
        case _:
            arguments = (head.position, argument.position)
            return arguments, Atom(predicate, arguments)


def read(form: str, tokens: Sequence[str], table: MeaningTable) -> Meaning:
    """The meaning of a form, given its sentence."""
    lone = _read_lone(form, tokens)
    if lone is not None:
        return table.intern(lone)
    clauses = split_form(form)
    for atom in clauses:
        if any(isinstance(a, int) and a >= len(tokens) for a in atom.arguments):
            raise FormError(f"the sentence has no token for {render_atom(atom)!r}")
    meaning = read_clauses(clauses, tokens, table)
    reached = atoms(meaning)
    for atom in clauses:
        if atom not in reached:
            raise FormError(f"clause is not connected to the rest: {render_atom(atom)!r}")
    return meaning


def _read_lone(form: str, tokens: Sequence[str]) -> Noun | Verb | Name | None:
    """The meaning of a lone word from its lambda form; None if there are several words."""
    if len(tokens) != 1:
        return None
    if (form,) == tuple(tokens):
        return Name(0, form)
    for frame, template in ((None, LONE_NOUN), *LONE_VERB.items()):
        pattern = re.escape(template).replace(r"\{0\}", r"([^ ()*,;]+)", 1)
        if match := re.fullmatch(pattern.replace(r"\{0\}", r"\1"), form):
            return Noun(0, match[1]) if frame is None else Verb(0, match[1], frame=frame)
    raise FormError(f"neither the word itself nor its lambda form: {form!r}")
