"""The algebra of COGS: nouns and verbs with positions, and seventeen operations.

SLOG has the same meanings, and more of them: with gaps. Its own operations are in `slog`. A
variable of a COGS form is a token position, so each meaning keeps the position of its head.
Operations extend the table in the paper's appendix: IN/ON/BESIDE are `modify_*`, REC-THE is
`pair_objects`, FillFrame is `take_*` and `subject_as_*`, CCOMP and XCOMP are `take_clause` and
`take_infinitive`. Strict scoring also needs what the paper's metric ignores: determiners and the
end of the sentence. A verb takes its subject last, so a clause has one order of construction.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeVar

from msgspec.structs import replace

from lear.algebra.algebra import Algebra, Meaning

Frame = Literal["agent", "theme", "agent theme", "agent theme recipient"]
"""The roles of a verb on its own: unergative, unaccusative, transitive, ditransitive."""
Preposition = Literal["in", "on", "beside"]
Relation = Preposition | Literal["that"]
"""How an entity is modified: by a prepositional phrase, or by a relative clause."""


class Name(Meaning, frozen=True):
    """A proper name: Emma."""

    position: int
    name: str
    has_gap: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class Gap:
    """In place of a noun phrase that stands elsewhere: (a cake that) Emma ate _."""

    after: int
    """The position of the last head before it in its clause; `BEFORE_VERB` for a subject."""
    has_gap: ClassVar[bool] = True


BEFORE_VERB = -1


class Pronoun(Meaning, frozen=True):
    """A word that stands for a gap: who, what, (a cake) that."""


class Noun(Meaning, frozen=True):
    """A common noun without a determiner: dog."""

    position: int
    lemma: str


class Entity(Meaning, frozen=True):
    """A determined noun with its modifiers: the cake in a box."""

    position: int
    lemma: str
    is_definite: bool
    modifiers: "tuple[tuple[Relation, NounPhrase | Gap | WhClause], ...]" = ()
    has_gap: bool = False
    """True if a noun phrase is missing in it; not in a relative clause, where it is the entity."""


NounPhrase = Entity | Name


class Objects(Meaning, frozen=True):
    """Two bare objects, the recipient before the theme: (gave) Emma a cake."""

    recipient: NounPhrase
    theme: NounPhrase

    @property
    def has_gap(self) -> bool:
        """Return whether a noun phrase is missing in it."""
        return self.recipient.has_gap or self.theme.has_gap


class Event(Meaning, frozen=True):
    """What verbs, infinitives and clauses share: a predicate and its arguments."""

    position: int
    lemma: str
    agent: NounPhrase | Gap | None = None
    theme: NounPhrase | Gap | None = None
    recipient: NounPhrase | Gap | None = None
    clause: "Clause | WhClause | None" = None
    infinitive: "Infinitive | None" = None
    has_gap: bool = False
    """True if a noun phrase is missing, at any depth; at most one is."""


class Verb(Event, frozen=True, kw_only=True):
    """A verb without its subject, which can take more arguments: ate a cake, eaten by Emma."""

    frame: Frame


class Infinitive(Event, frozen=True):
    """A finished verb phrase that shares the agent of the verb above it: to eat a cake."""


class Clause(Event, frozen=True):
    """A verb with its subject: Emma ate a cake."""


class Sentence(Meaning, frozen=True):
    """A clause with its full stop: Emma ate a cake."""

    clause: Clause


class WhClause(Event, frozen=True):
    """A clause with a gap, and the word that stands for it: that Emma ate, what did Emma eat."""


class InvertedClause(Event, frozen=True):
    """A passive clause behind its *was*: (who was) the cake given to."""


class Question(Meaning, frozen=True):
    """A question about the gap of its clause: What did Emma eat?"""

    clause: WhClause


Argument = NounPhrase | Gap | Clause | WhClause | Infinitive
E = TypeVar("E", Clause, Infinitive, WhClause, InvertedClause)


def filled(verb: Verb | None, without: tuple[str, ...] = (), **arguments: Argument) -> Verb | None:
    """Return a verb with more arguments; None if it cannot take them.

    It has each argument once, none of those in `without`, and at most one gap.
    """
    if verb is None or any(getattr(verb, role) is not None for role in (*arguments, *without)):
        return None
    num_gaps = verb.has_gap + sum(argument.has_gap for argument in arguments.values())
    return None if num_gaps > 1 else replace(verb, has_gap=bool(num_gaps), **arguments)


def closed(event: Event | None, kind: type[E]) -> E | None:
    """Return an event that takes no more arguments, if there is one."""
    if event is None:
        return None
    return kind(
        event.position, event.lemma, event.agent, event.theme, event.recipient, event.clause,
        event.infinitive, event.has_gap,
    )  # fmt: skip


def modified(entity: Entity, preposition: Preposition, place: NounPhrase | Gap) -> Entity | None:
    """Return an entity at a place; None if it would have two gaps."""
    if entity.has_gap and place.has_gap:
        return None
    modifiers = (*entity.modifiers, (preposition, place))
    return replace(entity, modifiers=modifiers, has_gap=entity.has_gap or place.has_gap)


def determine_indefinite(noun: Noun) -> Entity:
    """`a dog  =>  dog ( x _ 1 )`."""
    return Entity(noun.position, noun.lemma, is_definite=False)


def determine_definite(noun: Noun) -> Entity:
    """`the dog  =>  * dog ( x _ 1 )`."""
    return Entity(noun.position, noun.lemma, is_definite=True)


def modify_in(entity: Entity, place: NounPhrase) -> Entity | None:
    """`a cake in a box  =>  cake . nmod . in ( x _ 1 , x _ 4 )`."""
    return modified(entity, "in", place)


def modify_on(entity: Entity, place: NounPhrase) -> Entity | None:
    """`a cake on a table  =>  cake . nmod . on ( x _ 1 , x _ 4 )`."""
    return modified(entity, "on", place)


def modify_beside(entity: Entity, place: NounPhrase) -> Entity | None:
    """`a cake beside a chair  =>  cake . nmod . beside ( x _ 1 , x _ 4 )`."""
    return modified(entity, "beside", place)


def pair_objects(recipient: NounPhrase, theme: NounPhrase) -> Objects | None:
    """`Emma a cake  =>  cake ( x _ 2 )`.

    The first will be the recipient and the second the theme of the verb that takes them.
    """
    return None if recipient.has_gap and theme.has_gap else Objects(recipient, theme)


def take_objects(verb: Verb, objects: Objects) -> Verb | None:
    """`gave Emma a cake  =>  give . recipient ( x _ 0 , Emma )`."""
    return filled(verb, recipient=objects.recipient, theme=objects.theme)


def take_theme(verb: Verb, theme: NounPhrase) -> Verb | None:
    """`ate a cake  =>  eat . theme ( x _ 0 , x _ 2 )`."""
    # A bare theme stands next to its verb; two bare objects come as `Objects`.
    return filled(verb, ("recipient",), theme=theme)


def take_recipient(verb: Verb, recipient: NounPhrase) -> Verb | None:
    """`gave a cake to Emma  =>  give . recipient ( x _ 0 , Emma )`."""
    return filled(verb, recipient=recipient)


def take_agent(verb: Verb, agent: NounPhrase) -> Verb | None:
    """`eaten by Emma  =>  eat . agent ( x _ 0 , Emma )`."""
    return filled(verb, agent=agent)


def take_clause(verb: Verb, clause: Clause) -> Verb | None:
    """`said that Emma slept  =>  say . ccomp ( x _ 0 , x _ 3 )`."""
    return filled(verb, ("infinitive",), clause=clause)


def make_infinitive(verb: Verb) -> Infinitive | None:
    """`to eat a cake  =>  eat . theme ( x _ 1 , x _ 3 )`.

    Its agent will be the agent of the verb that takes it.
    """
    return None if verb.agent is not None else closed(verb, Infinitive)


def take_infinitive(verb: Verb, infinitive: Infinitive) -> Verb | None:
    """`wanted to sleep  =>  want . xcomp ( x _ 0 , x _ 2 )`."""
    return filled(verb, ("clause",), infinitive=infinitive)


def subject_as_agent(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`Emma slept  =>  sleep . agent ( x _ 1 , Emma )`."""
    return closed(filled(verb, agent=subject), Clause)


def subject_as_theme(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`Emma was seen  =>  see . theme ( x _ 2 , Emma )`."""
    return closed(filled(verb, theme=subject), Clause)


def subject_as_recipient(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`Emma was given a cake  =>  give . recipient ( x _ 2 , Emma )`."""
    return closed(filled(verb, recipient=subject), Clause)


def end_sentence(clause: Clause) -> Sentence | None:
    """`Emma slept .  =>  sleep . agent ( x _ 1 , Emma )`."""
    return None if clause.has_gap else Sentence(clause)


def fillers_of(event: Event) -> tuple[Argument | None, ...]:
    """Return the arguments of an event by role; None where it has none."""
    return event.agent, event.theme, event.recipient, event.clause, event.infinitive


def arguments(event: Event) -> list[Argument]:
    """Return the arguments that an event has."""
    return [filler for filler in fillers_of(event) if filler is not None]


def children(meaning: Meaning) -> list[Meaning]:
    """Return the meanings directly inside a meaning."""
    match meaning:
        case Sentence() | Question():
            return [meaning.clause]
        case Objects():
            return [meaning.recipient, meaning.theme]
        case Entity():
            return [part for _, part in meaning.modifiers if not isinstance(part, Gap)]
        case Event():
            return [argument for argument in arguments(meaning) if not isinstance(argument, Gap)]
        case _:
            return []


def is_complete(meaning: Meaning) -> bool:
    """Return whether a meaning is a sentence, or a lone word (COGS has rows of one word)."""
    if isinstance(meaning, Verb):
        return not children(meaning)
    return isinstance(meaning, Sentence | Name | Noun)


COGS_ALGEBRA = Algebra.of(
    "cogs",
    (
        determine_indefinite, determine_definite, modify_in, modify_on, modify_beside, pair_objects,
        take_objects, take_theme, take_recipient, take_agent, take_clause, make_infinitive,
        take_infinitive, subject_as_agent, subject_as_theme, subject_as_recipient, end_sentence,
    ),
    is_complete,
)  # fmt: skip
