"""From the clauses of a COGS form to a meaning, in whatever order the clauses come."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise, permutations, product
from typing import TypeVar

from lear.core.algebra import Meaning, MeaningTable
from lear.domains.cogs.algebra import (
    Clause,
    Entity,
    Event,
    Infinitive,
    Name,
    NounPhrase,
    Preposition,
    Sentence,
    children,
)
from lear.domains.cogs.clauses import Argument, Atom, render_atom
from lear.errors import FormError

PREPOSITIONS: tuple[Preposition, ...] = ("in", "on", "beside")
ROLES = ("agent", "theme", "recipient")
COMPLEMENTS = ("ccomp", "xcomp")
LABELS = (*ROLES, *COMPLEMENTS)
"""The labels of an event's places, in the order of its fields."""

E = TypeVar("E", Clause, Infinitive)


MOST_NAME_PLACEMENTS = 1000


def read_sentence(given: list[Atom], tokens: Sequence[str], table: MeaningTable) -> Sentence:
    """The meaning that these clauses describe; clauses it does not reach are left out.

    A form does not say at which token a name stands. Where a name occurs twice, the placement is
    taken under which every phrase is a stretch of the sentence of its own.
    """
    facts = _Facts()
    for atom in given:
        facts.add(atom)
    placements = list(islice(_name_placements(facts, tokens), MOST_NAME_PLACEMENTS))
    meanings = (
        _Builder(
            facts,
            {slot: table.intern(Name(place, slot[2])) for slot, place in placement.items()},
            table,
        ).sentence()
        for placement in placements
    )
    first = next(meanings)
    if len(placements) == 1 or is_projective(first):
        return first
    return next(filter(is_projective, meanings), first)


@dataclass
class _Places:
    """What the clauses say of one verb: its lemma and, by label, what fills its places."""

    lemma: str
    fillers: dict[str, Argument] = field(default_factory=dict)


@dataclass
class _Facts:
    """The clauses sorted by the variable that they are about."""

    nouns: dict[int, Atom] = field(default_factory=dict)
    modifiers: dict[int, list[tuple[Preposition, Argument]]] = field(default_factory=dict)
    events: dict[int, _Places] = field(default_factory=dict)
    controllers: dict[Argument, int] = field(default_factory=dict)
    """Verb inside an xcomp -> the verb above it, whose agent it shares."""

    def add(self, atom: Atom) -> None:
        """Sort one clause in; a clause that contradicts an earlier one is an error."""
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
                known = PREPOSITIONS[PREPOSITIONS.index(preposition)]
                self.modifiers.setdefault(position, []).append((known, filler))
            case (label,), [filler] if label in LABELS:
                self._add_filler(position, atom.predicate[0], label, filler, text)
            case _:
                raise FormError(f"unexpected clause: {text!r}")

    def mentions(self) -> Iterator[tuple[int, str, Argument]]:
        """Head, label and filler of everything mentioned, but for agents that are shared."""
        for position, modifiers in sorted(self.modifiers.items()):
            for preposition, filler in modifiers:
                yield position, preposition, filler
        for position, places in sorted(self.events.items()):
            for label, filler in sorted(places.fillers.items()):
                if not (label == "agent" and position in self.controllers):
                    yield position, label, filler

    def _add_filler(
        self, position: int, lemma: str, label: str, filler: Argument, text: str
    ) -> None:
        places = self.events.setdefault(position, _Places(lemma))
        if position in self.nouns or places.lemma != lemma or label in places.fillers:
            raise FormError(f"contradicts an earlier clause: {text!r}")
        places.fillers[label] = filler
        if label == "xcomp":
            self.controllers[filler] = position


Slot = tuple[int, str, str]
"""Where a name is mentioned: position of the head, label, name."""


def _name_placements(facts: _Facts, tokens: Sequence[str]) -> Iterator[dict[Slot, int]]:
    """Every way to give each mention of a name a token of its own."""
    slots: dict[str, list[Slot]] = {}
    for head, label, filler in facts.mentions():
        if isinstance(filler, str):
            slots.setdefault(filler, []).append((head, label, filler))
    choices = []
    for name, mentions in slots.items():
        places = [position for position, token in enumerate(tokens) if token == name]
        if len(places) < len(mentions):
            raise FormError(f"the sentence has too few words {name!r}")
        choices.append(
            [dict(zip(mentions, chosen, strict=True))
             for chosen in islice(permutations(places, len(mentions)), MOST_NAME_PLACEMENTS)]
        )  # fmt: skip
    for combination in product(*choices):
        yield {slot: place for placement in combination for slot, place in placement.items()}


def is_projective(meaning: Meaning) -> bool:
    """Whether no phrase reaches into another, nor across the head that it belongs to."""
    spans: dict[Meaning, tuple[int, int]] = {}
    order: list[Meaning] = []
    stack = [meaning]
    while stack:
        part = stack.pop()
        order.append(part)
        stack.extend(children(part))
    for part in reversed(order):
        pieces = [spans[child] for child in children(part)]
        if isinstance(part, Event | Entity | Name):
            pieces.append((part.position, part.position))
        pieces.sort()
        if any(left[1] >= right[0] for left, right in pairwise(pieces)):
            return False
        spans[part] = (pieces[0][0], pieces[-1][1])
    return True


class _Builder:
    """Makes meanings from facts, right to left: in English what is contained comes later."""

    def __init__(self, facts: _Facts, names: dict[Slot, Name], table: MeaningTable) -> None:
        self.facts = facts
        self.names = names
        self.table = table
        self.entities: dict[Argument, Entity] = {}
        self.events: dict[Argument, Clause | Infinitive] = {}

    def sentence(self) -> Sentence:
        """The whole meaning; its root is the one verb that no other verb contains."""
        contained = {
            places.fillers.get(label)
            for places in self.facts.events.values()
            for label in COMPLEMENTS
        }
        roots = [position for position in self.facts.events if position not in contained]
        if len(roots) != 1:
            raise FormError(f"expected one main verb, found {len(roots)}")
        for position in sorted(self.facts.nouns, reverse=True):
            self.entities[position] = self._entity(position)
        for position in sorted(self.facts.events, reverse=True):
            self.events[position] = self._event(position)
        clause = self.events[roots[0]]
        assert isinstance(clause, Clause)  # a root has no controller
        return self.table.intern(Sentence(clause))

    def _entity(self, position: int) -> Entity:
        noun = self.facts.nouns[position]
        modifiers = [
            (preposition, self._noun_phrase(position, preposition, filler))
            for preposition, filler in self.facts.modifiers.get(position, ())
        ]
        modifiers.sort(key=lambda modifier: modifier[1].position)
        entity = Entity(position, noun.predicate[0], noun.is_definite, tuple(modifiers))
        return self.table.intern(entity)

    def _event(self, position: int) -> Clause | Infinitive:
        places = self.facts.events[position]
        roles = {
            label: self._noun_phrase(position, label, filler)
            for label, filler in places.fillers.items()
            if label in ROLES and not (label == "agent" and position in self.facts.controllers)
        }
        kind = Infinitive if position in self.facts.controllers else Clause
        event = kind(
            position,
            places.lemma,
            roles.get("agent"),
            roles.get("theme"),
            roles.get("recipient"),
            self._complement(position, "ccomp", Clause),
            self._complement(position, "xcomp", Infinitive),
        )
        if isinstance(event, Infinitive):
            self._check_shared_agent(position)
        return self.table.intern(event)

    def _check_shared_agent(self, position: int) -> None:
        places = self.facts.events[position]
        above = self.facts.events[self.facts.controllers[position]]
        if places.fillers.get("agent") != above.fillers.get("agent"):
            raise FormError(f"{places.lemma!r} does not share the agent of {above.lemma!r}")

    def _noun_phrase(self, head: int, label: str, filler: Argument) -> NounPhrase:
        if isinstance(filler, str):
            return self.names[head, label, filler]
        if filler not in self.entities:
            raise FormError(f"{label} of x _ {head} is not a noun that can be there: x _ {filler}")
        return self.entities[filler]

    def _complement(self, head: int, label: str, kind: type[E]) -> E | None:
        filler = self.facts.events[head].fillers.get(label)
        if filler is None:
            return None
        event = self.events.get(filler)
        if not isinstance(event, kind):
            raise FormError(f"{label} of x _ {head} is not a verb that can be there: {filler}")
        return event
