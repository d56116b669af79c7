"""Reading and printing COGS logical forms, exact to the character.

A form is a set of clauses: `* girl ( x _ 1 )` is Atom(("girl",), (1,), is_definite=True) and
`eat . agent ( x _ 2 , Emma )` is Atom(("eat", "agent"), (2, "Emma")). Reading ignores their order,
and printing restores it: definite nouns first, each followed by `;`, then all other clauses, joined
by AND. Both are sorted by the positions of their arguments; a clause with one argument comes before
those with two. A name has the position of its token, so reading needs the sentence. A gap stands
where its noun phrase would: that is the one thing that reading learns from the order of clauses. A
lone word has a lambda form that depends on its type and frame.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise, permutations, product
from typing import Any, NamedTuple

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import post_order
from lear.domains.cogs.algebra import (
    BEFORE_VERB,
    Clause,
    Entity,
    Event,
    Frame,
    Gap,
    Infinitive,
    Name,
    Noun,
    NounPhrase,
    Preposition,
    Question,
    Relation,
    Sentence,
    Verb,
    WhClause,
    children,
    fillers_of,
)
from lear.errors import FormError

Argument = int | str
"""A variable, by its token position, or a name."""


class Atom(NamedTuple):
    """One clause of a form: a dotted predicate over variables and names."""

    predicate: tuple[str, ...]
    arguments: tuple[Argument, ...]
    is_definite: bool = False


_ATOM = re.compile(r"(\* )?([^ ()*,;]+(?: \. [^ ()*,;]+)*) \( ([^()]+) \)")
_VARIABLE = re.compile(r"x _ (0|[1-9][0-9]{0,8})")
_NAME = re.compile(r"[^ ()*,;]+")


def read_atom(text: str) -> Atom:
    """Read the text of one clause."""
    match = _ATOM.fullmatch(text)
    if match is None:
        raise FormError(f"not a clause: {text!r}")
    definite, predicate, arguments = match.groups()
    return Atom(
        tuple(predicate.split(" . ")),
        tuple(_read_argument(argument) for argument in arguments.split(" , ")),
        definite is not None,
    )


def _read_argument(text: str) -> Argument:
    if variable := _VARIABLE.fullmatch(text):
        return int(variable[1])
    if _NAME.fullmatch(text):
        return text
    raise FormError(f"neither a variable nor a name: {text!r}")


def render_atom(atom: Atom) -> str:
    """Return the text of one clause."""
    star = "* " if atom.is_definite else ""
    arguments = " , ".join([f"x _ {a}" if isinstance(a, int) else a for a in atom.arguments])
    return f"{star}{' . '.join(atom.predicate)} ( {arguments} )"


def split_form(form: str) -> list[Atom]:
    """Return the clauses of a form in their order; those of definite nouns must come first."""
    *definites, rest = form.split(" ; ")
    atoms = [read_atom(text) for text in (*definites, *rest.split(" AND "))]
    for index, atom in enumerate(atoms):
        if atom.is_definite != (index < len(definites)):
            raise FormError(f"misplaced definite clause: {render_atom(atom)!r}")
    return atoms


PREPOSITIONS: tuple[Preposition, ...] = ("in", "on", "beside")
ROLES = ("agent", "theme", "recipient")
COMPLEMENTS = ("ccomp", "xcomp")
LABELS = (*ROLES, *COMPLEMENTS)
"""The labels of an event's arguments, in the order of its fields."""
ASKED = "?"
"""In a question, the argument that is asked for."""


@dataclass
class EventFacts:
    """What the clauses say about one verb: its lemma, and label -> argument, in their order."""

    lemma: str
    fillers: dict[str, Argument] = field(default_factory=dict)


@dataclass
class Facts:
    """The clauses by the variable (token position) that they are about."""

    nouns: dict[int, Atom] = field(default_factory=dict)
    modifiers: dict[int, list[tuple[Relation, Argument]]] = field(default_factory=dict)
    events: dict[int, EventFacts] = field(default_factory=dict)
    controllers: dict[Argument, int] = field(default_factory=dict)
    """Verb inside an xcomp -> the verb above it, whose agent it shares."""

    def add(self, atom: Atom) -> None:
        """Add one clause; if it contradicts an earlier one, raise `FormError`."""
        text = render_atom(atom)
        position, *others = atom.arguments
        if not isinstance(position, int):
            raise FormError(f"first argument is not a variable: {text!r}")
        match (*atom.predicate[1:],), others:
            case (), []:
                if position in self.nouns or position in self.events:
                    raise FormError(f"variable is taken already: {text!r}")
                self.nouns[position] = atom
            case _ if atom.is_definite:
                raise FormError(f"only nouns are definite: {text!r}")
            case ("nmod", preposition), [filler] if preposition in PREPOSITIONS:
                typed = PREPOSITIONS[PREPOSITIONS.index(preposition)]
                self.modifiers.setdefault(position, []).append((typed, filler))
            case ("nmod",), [int() as verb]:
                self.modifiers.setdefault(position, []).append(("that", verb))
            case (label,), [filler] if label in LABELS:
                self._add_filler(position, atom.predicate[0], label, filler, text)
            case _:
                raise FormError(f"unexpected clause: {text!r}")

    def fillers(self, position: int) -> Iterator[tuple[str, Argument]]:
        """Give label and filler of what a verb has; an infinitive has no agent of its own."""
        for label, filler in self.events[position].fillers.items():
            if label != "agent" or position not in self.controllers:
                yield label, filler

    def mentions(self) -> Iterator[tuple[int, str, Argument]]:
        """Give head, label and filler of all that the sentence mentions, so of no shared agents."""
        for position, modifiers in sorted(self.modifiers.items()):
            for relation, filler in modifiers:
                yield position, relation, filler
        for position in sorted(self.events):
            for label, filler in sorted(self.fillers(position)):
                yield position, label, filler

    def relative_verbs(self) -> set[Argument]:
        """Return the verbs of relative clauses."""
        modifiers = (modifier for group in self.modifiers.values() for modifier in group)
        return {verb for relation, verb in modifiers if relation == "that"}

    def main_verbs(self) -> list[int]:
        """Return the verbs that are neither in relative clauses nor complements of others."""
        inner = self.relative_verbs()
        for event in self.events.values():
            inner.update(filler for label, filler in event.fillers.items() if label in COMPLEMENTS)
        return [position for position in self.events if position not in inner]

    def _add_filler(
        self, position: int, lemma: str, label: str, filler: Argument, text: str
    ) -> None:
        event = self.events.setdefault(position, EventFacts(lemma))
        if position in self.nouns or event.lemma != lemma or label in event.fillers:
            raise FormError(f"contradicts an earlier clause: {text!r}")
        event.fillers[label] = filler
        if label == "xcomp":
            self.controllers[filler] = position


AnyClause = Clause | Infinitive | WhClause
Slot = tuple[int, str, str]
"""The place where a name is mentioned: position of the head, label, name."""
Whole = Sentence | Question | Entity

MAX_NAME_PLACEMENTS = 1000
"""Ways to assign names to tokens that are tried, where a name occurs several times."""


def read_clauses(clauses: list[Atom], tokens: Sequence[str], table: MeaningTable) -> Whole:
    """Return the meaning that clauses describe; those not connected to its head are ignored.

    A form does not say at which token a name stands. Where a name occurs several times, take the
    first placement in which every phrase is contiguous.
    """
    facts = Facts()
    for atom in clauses:
        facts.add(atom)
    placements = list(islice(_name_placements(facts, tokens), MAX_NAME_PLACEMENTS))
    meanings = (
        _Builder(
            facts,
            {slot: table.intern(Name(position, slot[2])) for slot, position in placement.items()},
            table,
        ).whole()
        for placement in placements
    )
    first = next(meanings)
    if len(placements) == 1 or is_projective(first):
        return first
    return next(filter(is_projective, meanings), first)


def _name_placements(facts: Facts, tokens: Sequence[str]) -> Iterator[dict[Slot, int]]:
    """Give all ways to assign a token to each mention of a name, no token twice."""
    slots: dict[str, list[Slot]] = {}
    for head, label, filler in facts.mentions():
        if isinstance(filler, str) and filler != ASKED:
            slots.setdefault(filler, []).append((head, label, filler))
    choices = []
    for name, mentions in slots.items():
        positions = [position for position, token in enumerate(tokens) if token == name]
        if len(positions) < len(mentions):
            raise FormError(f"the sentence has too few words {name!r}")
        orders = islice(permutations(positions, len(mentions)), MAX_NAME_PLACEMENTS)
        choices.append([dict(zip(mentions, order, strict=True)) for order in orders])
    for combination in product(*choices):
        yield {slot: position for choice in combination for slot, position in choice.items()}


def is_projective(meaning: Meaning) -> bool:
    """Return whether the phrases of a meaning overlap neither each other nor their heads."""
    spans: dict[Meaning, tuple[int, int]] = {}
    for part in post_order(meaning, children):
        pieces = [spans[child] for child in children(part) if not isinstance(child, Gap)]
        if isinstance(part, Event | Entity | Name):
            pieces.append((part.position, part.position))
        pieces.sort()
        if any(left[1] >= right[0] for left, right in pairwise(pieces)):
            return False
        if pieces:
            spans[part] = (pieces[0][0], pieces[-1][1])
    return True


class _Builder:
    """Builds meanings from facts, the inner ones first."""

    def __init__(self, facts: Facts, names: dict[Slot, Name], table: MeaningTable) -> None:
        self.facts = facts
        self.names = names
        self.table = table
        self.missing: dict[int, Argument] = {}
        """Noun or verb -> what a gap in it stands for."""
        self.entities: dict[Argument, Entity] = {}
        self.events: dict[Argument, AnyClause] = {}
        self.fronted = {*facts.main_verbs(), *facts.relative_verbs()}
        """The verbs of clauses that begin with the word for a gap, if they have one."""

    def whole(self) -> Whole:
        """Return the whole meaning; its head is the one main verb, or else the first noun."""
        roots = self.facts.main_verbs()
        if len(roots) > 1 or not (roots or self.facts.nouns):
            raise FormError(f"expected one main verb, found {len(roots)}")
        root = roots[0] if roots else min(self.facts.nouns)
        for position in self._inner_first(root):
            if position in self.facts.nouns:
                self.entities[position] = self._entity(position)
            else:
                self.events[position] = self._event(position)
        if not roots:
            return self.entities[root]
        clause = self.events[root]
        assert not isinstance(clause, Infinitive)  # a root has no controller
        if isinstance(clause, WhClause):
            return self.table.intern(Question(clause))
        return self.table.intern(Sentence(clause))

    def _inner_first(self, root: int) -> list[int]:
        """Return the nouns and verbs below one and itself, each after those inside it."""
        self.missing[root] = ASKED
        done: dict[int, None] = {}
        begun: set[int] = set()
        stack = [root]
        while stack:
            position = stack[-1]
            if position in begun:
                done[stack.pop()] = None
                continue
            begun.add(position)
            for inner, missing in self._parts(position):
                if inner in begun and inner not in done:
                    raise FormError(f"x _ {inner} is a part of itself")
                if inner not in begun:
                    self.missing[inner] = missing
                    stack.append(inner)
        return list(done)

    def _parts(self, position: int) -> Iterator[tuple[int, Argument]]:
        """Give the nouns and verbs directly inside one, and what a gap in them stands for."""
        facts, missing = self.facts, self.missing[position]
        if position in facts.nouns:
            modifiers = facts.modifiers.get(position, ())
            inner = [(filler, position if r == "that" else missing) for r, filler in modifiers]
        else:
            inner = [(filler, missing) for _, filler in facts.fillers(position)]
        for filler, in_it in inner:
            is_known = filler in facts.nouns or filler in facts.events
            if isinstance(filler, int) and filler != missing and is_known:
                yield filler, in_it

    def _entity(self, position: int) -> Entity:
        noun = self.facts.nouns[position]
        modifiers: list[tuple[float, tuple[Relation, NounPhrase | Gap | WhClause]]] = []
        last = position
        for relation, filler in self.facts.modifiers.get(position, ()):
            modifier: NounPhrase | Gap | WhClause
            if relation == "that":
                modifier = self._verb(position, "nmod", filler, WhClause)
            else:
                modifier = self._noun_phrase(position, relation, filler, last)
            place = last + 0.5 if isinstance(modifier, Gap) else modifier.position
            modifiers.append((place, (relation, modifier)))
            last = max(last, int(place))
        modifiers.sort(key=lambda modifier: modifier[0])
        own = tuple(modifier for _, modifier in modifiers)
        has_gap = any(part.has_gap for relation, part in own if relation != "that")
        entity = Entity(position, noun.predicate[0], noun.is_definite, own, has_gap)
        return self.table.intern(entity)

    def _event(self, position: int) -> AnyClause:
        facts = self.facts.events[position]
        own = dict(self.facts.fillers(position))
        roles: dict[str, NounPhrase | Gap] = {}
        last = BEFORE_VERB
        for label in facts.fillers:
            if label in own and label in ROLES:
                argument = roles[label] = self._noun_phrase(position, label, own[label], last)
                if not isinstance(argument, Gap):
                    last = max(last, argument.position)
            last = max(last, position)
        clause: Clause | WhClause | None = None
        infinitive: Infinitive | None = None
        if "ccomp" in facts.fillers:
            clause = self._verb(position, "ccomp", facts.fillers["ccomp"], Clause, WhClause)
        if "xcomp" in facts.fillers:
            infinitive = self._verb(position, "xcomp", facts.fillers["xcomp"], Infinitive)
        inner = (*roles.values(), *(part for part in (clause, infinitive) if part is not None))
        has_gap = any(part.has_gap for part in inner)
        lacks_subject = Gap(BEFORE_VERB) in roles.values()
        kind = self._kind(position, has_gap=has_gap, lacks_subject=lacks_subject)
        agent, theme, recipient = map(roles.get, ROLES)
        event = kind(position, facts.lemma, agent, theme, recipient, clause, infinitive, has_gap)
        return self.table.intern(event)

    def _kind(self, position: int, *, has_gap: bool, lacks_subject: bool) -> type[AnyClause]:
        """Return what a verb is with its arguments.

        The word that stands for a gap is a part of a clause if it is the subject, and if the clause
        is a question or modifies a noun.
        """
        if position in self.facts.controllers:
            self._check_shared_agent(position)
            return Infinitive
        begins_with_pronoun = has_gap if position in self.fronted else lacks_subject
        return WhClause if begins_with_pronoun else Clause

    def _check_shared_agent(self, position: int) -> None:
        event = self.facts.events[position]
        above = self.facts.events[self.facts.controllers[position]]
        if event.fillers.get("agent") != above.fillers.get("agent"):
            raise FormError(f"{event.lemma!r} does not share the agent of {above.lemma!r}")

    def _noun_phrase(self, head: int, label: str, filler: Argument, last: int) -> NounPhrase | Gap:
        """Return what fills a role or is a place; a gap follows the head at position `last`."""
        if filler == self.missing[head]:
            return Gap(last)
        found: NounPhrase | None
        if isinstance(filler, str):
            found = self.names.get((head, label, filler))
        else:
            found = self.entities.get(filler)
        if found is None:
            shown = filler if isinstance(filler, str) else f"x _ {filler}"
            raise FormError(f"{label} of x _ {head} is not a noun that can be there: {shown}")
        return found

    def _verb(self, head: int, label: str, filler: Argument, *kinds: type[Event]) -> Any:
        event = self.events.get(filler)
        if not isinstance(event, kinds):
            raise FormError(f"{label} of x _ {head} is not a verb that can be there: {filler}")
        return event


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
    """Return the form of a complete meaning, exactly as COGS writes it."""
    if isinstance(meaning, Name):
        return meaning.name
    if isinstance(meaning, Noun):
        return LONE_NOUN.format(meaning.lemma)
    if isinstance(meaning, Verb):
        return LONE_VERB[meaning.frame].format(meaning.lemma)
    return _clauses(meaning)


def render_part(meaning: Meaning) -> str:
    """Return any meaning as clauses; what has none yet is the word by itself."""
    clauses = _clauses(meaning).removesuffix(" ; ")
    return clauses or str(getattr(meaning, "name", getattr(meaning, "lemma", "")))


def _clauses(meaning: Meaning) -> str:
    texts = [(key, render_atom(atom), atom.is_definite) for key, atom in _keyed_atoms(meaning)]
    texts.sort()
    definites = [text + " ; " for _, text, is_definite in texts if is_definite]
    rest = [text for _, text, is_definite in texts if not is_definite]
    return "".join(definites) + " AND ".join(rest)


def atoms(meaning: Meaning) -> frozenset[Atom]:
    """Return the set of clauses of a meaning, complete or not."""
    return frozenset(atom for _, atom in _keyed_atoms(meaning))


SortKey = tuple[float, ...]
"""The positions of a clause's arguments, by which COGS sorts clauses."""


def _keyed_atoms(meaning: Meaning) -> Iterator[tuple[SortKey, Atom]]:
    """Give the clauses of a meaning with their sort keys, not sorted."""
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
            for label, filler in zip(LABELS, (agent, *fillers_of(part)[1:]), strict=True):
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
    """Return the clause of a head and its argument; `missing` is what a gap stands for."""
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
    """Return the meaning of a form, given its sentence."""
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
    """Return the meaning of a lone word from its lambda form; None if there are several words."""
    if len(tokens) != 1:
        return None
    if (form,) == tuple(tokens):
        return Name(0, form)
    for frame, template in ((None, LONE_NOUN), *LONE_VERB.items()):
        pattern = re.escape(template).replace(r"\{0\}", r"([^ ()*,;]+)", 1)
        if match := re.fullmatch(pattern.replace(r"\{0\}", r"\1"), form):
            return Noun(0, match[1]) if frame is None else Verb(0, match[1], frame=frame)
    raise FormError(f"neither the word itself nor its lambda form: {form!r}")
