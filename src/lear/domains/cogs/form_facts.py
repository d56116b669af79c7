"""What the clauses of a COGS form say, by the variable that they are about."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from lear.domains.cogs.algebra import Preposition, Relation
from lear.domains.cogs.clauses import Argument, Atom, render_atom
from lear.errors import FormError

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

    def shares_agent(self, position: int, label: str) -> bool:
        """Whether an argument is the agent of an infinitive, which is that of the verb above."""
        return label == "agent" and position in self.controllers

    def mentions(self) -> Iterator[tuple[int, str, Argument]]:
        """Head, label and filler of everything that the sentence mentions: not of shared agents."""
        for position, modifiers in sorted(self.modifiers.items()):
            for relation, filler in modifiers:
                yield position, relation, filler
        for position, event in sorted(self.events.items()):
            for label, filler in sorted(event.fillers.items()):
                if not self.shares_agent(position, label):
                    yield position, label, filler

    def relative_verbs(self) -> set[Argument]:
        """The verbs of relative clauses."""
        modifiers = (modifier for group in self.modifiers.values() for modifier in group)
        return {verb for relation, verb in modifiers if relation == "that"}

    def main_verbs(self) -> list[int]:
        """The verbs that are neither in relative clauses nor complements of others."""
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
