"""From the clauses of a COGS form, in any order, to a meaning."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise, permutations, product
from typing import TypeVar

from lear.core.algebra import Meaning, MeaningTable
from lear.core.derivation import post_order
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
"""The labels of an event's arguments, in the order of its fields."""

E = TypeVar("E", Clause, Infinitive)

MAX_NAME_PLACEMENTS = 1000
"""Ways to assign names to tokens that are tried, where a name occurs several times."""


def read_sentence(clauses: list[Atom], tokens: Sequence[str], table: MeaningTable) -> Sentence:
    """The meaning that clauses describe; clauses that are not connected to its verb are ignored.

    A form does not say at which token a name stands. Where a name occurs several times, take the
    first placement in which every phrase is contiguous.
    """
    facts = _Facts()
    for atom in clauses:
        facts.add(atom)
    placements = list(islice(_name_placements(facts, tokens), MAX_NAME_PLACEMENTS))
    meanings = (
        _Builder(
            facts,
            {slot: table.intern(Name(position, slot[2])) for slot, position in placement.items()},
            table,
        ).sentence()
        for placement in placements
    )
    first = next(meanings)
    if len(placements) == 1 or is_projective(first):
        return first
    return next(filter(is_projective, meanings), first)


@dataclass
class _EventFacts:
    """What the clauses say about one verb: its lemma, and label -> argument."""

    lemma: str
    fillers: dict[str, Argument] = field(default_factory=dict)


@dataclass
class _Facts:
    """The clauses by the variable (token position) that they are about."""

    nouns: dict[int, Atom] = field(default_factory=dict)
    modifiers: dict[int, list[tuple[Preposition, Argument]]] = field(default_factory=dict)
    events: dict[int, _EventFacts] = field(default_factory=dict)
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
            case (label,), [filler] if label in LABELS:
                self._add_filler(position, atom.predicate[0], label, filler, text)
            case _:
                raise FormError(f"unexpected clause: {text!r}")

    def mentions(self) -> Iterator[tuple[int, str, Argument]]:
        """Head, label and filler of everything that the sentence mentions: not of shared agents."""
        for position, modifiers in sorted(self.modifiers.items()):
            for preposition, filler in modifiers:
                yield position, preposition, filler
        for position, event in sorted(self.events.items()):
            for label, filler in sorted(event.fillers.items()):
                if not (label == "agent" and position in self.controllers):
                    yield position, label, filler

    def _add_filler(
        self, position: int, lemma: str, label: str, filler: Argument, text: str
    ) -> None:
        event = self.events.setdefault(position, _EventFacts(lemma))
        if position in self.nouns or event.lemma != lemma or label in event.fillers:
            raise FormError(f"contradicts an earlier clause: {text!r}")
        event.fillers[label] = filler
        if label == "xcomp":
            self.controllers[filler] = position


Slot = tuple[int, str, str]
"""Where a name is mentioned: position of the head, label, name."""


def _name_placements(facts: _Facts, tokens: Sequence[str]) -> Iterator[dict[Slot, int]]:
    """All ways to assign a token to each mention of a name, no token twice."""
    slots: dict[str, list[Slot]] = {}
    for head, label, filler in facts.mentions():
        if isinstance(filler, str):
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
    """Whether the phrases of a meaning overlap neither each other nor the head they belong to."""
    spans: dict[Meaning, tuple[int, int]] = {}
    for part in post_order(meaning, children):
        pieces = [spans[child] for child in children(part)]
        if isinstance(part, Event | Entity | Name):
            pieces.append((part.position, part.position))
        pieces.sort()
        if any(left[1] >= right[0] for left, right in pairwise(pieces)):
            return False
        spans[part] = (pieces[0][0], pieces[-1][1])
    return True


class _Builder:
    """Builds meanings from facts, from right to left: inner phrases come later in English."""

    def __init__(self, facts: _Facts, names: dict[Slot, Name], table: MeaningTable) -> None:
        self.facts = facts
        self.names = names
        self.table = table
        self.entities: dict[Argument, Entity] = {}
        self.events: dict[Argument, Clause | Infinitive] = {}

    def sentence(self) -> Sentence:
        """The whole meaning; its root is the one verb that is no complement."""
        complements = {
            event.fillers.get(label)
            for event in self.facts.events.values()
            for label in COMPLEMENTS
        }
        roots = [position for position in self.facts.events if position not in complements]
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
        facts = self.facts.events[position]
        roles = {
            label: self._noun_phrase(position, label, filler)
            for label, filler in facts.fillers.items()
            if label in ROLES and not (label == "agent" and position in self.facts.controllers)
        }
        kind = Infinitive if position in self.facts.controllers else Clause
        event = kind(
            position,
            facts.lemma,
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
        event = self.facts.events[position]
        above = self.facts.events[self.facts.controllers[position]]
        if event.fillers.get("agent") != above.fillers.get("agent"):
            raise FormError(f"{event.lemma!r} does not share the agent of {above.lemma!r}")

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
