"""The algebra of COGS: nouns and verbs with positions, and seventeen operations.

A variable of a COGS form is a token position, so each meaning keeps the position of its head.
Operations extend the table in the paper's appendix: IN/ON/BESIDE are `modify_*`, REC-THE is
`pair_objects`, FillFrame is `take_*` and `subject_as_*`, CCOMP and XCOMP are `take_clause` and
`take_infinitive`. Strict scoring also needs what the paper's metric ignores: determiners and the
end of the sentence. A verb takes its subject last, so a clause has one order of construction.
"""

from typing import Literal

from msgspec.structs import replace

from lear.core.algebra import Algebra, Meaning

Frame = Literal["agent", "theme", "agent theme"]
"""The roles of a verb on its own: unergative, unaccusative, transitive."""
Preposition = Literal["in", "on", "beside"]


class Name(Meaning, frozen=True):
    """A proper name: Emma."""

    position: int
    name: str


class Noun(Meaning, frozen=True):
    """A common noun without a determiner: dog."""

    position: int
    lemma: str


class Entity(Meaning, frozen=True):
    """A determined noun with its modifiers: the cake in a box."""

    position: int
    lemma: str
    is_definite: bool
    modifiers: "tuple[tuple[Preposition, NounPhrase], ...]" = ()


NounPhrase = Entity | Name


class Objects(Meaning, frozen=True):
    """Two bare objects, the recipient before the theme: (gave) Emma a cake."""

    recipient: NounPhrase
    theme: NounPhrase


class Event(Meaning, frozen=True):
    """What verbs, infinitives and clauses share: a predicate and its arguments."""

    position: int
    lemma: str
    agent: NounPhrase | None = None
    theme: NounPhrase | None = None
    recipient: NounPhrase | None = None
    clause: "Clause | None" = None
    infinitive: "Infinitive | None" = None


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


def determine_indefinite(noun: Noun) -> Entity:
    """`a dog  =>  dog ( x _ 1 )`."""
    return Entity(noun.position, noun.lemma, is_definite=False)


def determine_definite(noun: Noun) -> Entity:
    """`the dog  =>  * dog ( x _ 1 )`."""
    return Entity(noun.position, noun.lemma, is_definite=True)


def modify_in(entity: Entity, place: NounPhrase) -> Entity:
    """`a cake in a box  =>  cake . nmod . in ( x _ 1 , x _ 4 )`."""
    return replace(entity, modifiers=(*entity.modifiers, ("in", place)))


def modify_on(entity: Entity, place: NounPhrase) -> Entity:
    """`a cake on a table  =>  cake . nmod . on ( x _ 1 , x _ 4 )`."""
    return replace(entity, modifiers=(*entity.modifiers, ("on", place)))


def modify_beside(entity: Entity, place: NounPhrase) -> Entity:
    """`a cake beside a chair  =>  cake . nmod . beside ( x _ 1 , x _ 4 )`."""
    return replace(entity, modifiers=(*entity.modifiers, ("beside", place)))


def pair_objects(recipient: NounPhrase, theme: NounPhrase) -> Objects:
    """`Emma a cake  =>  cake ( x _ 2 )`.

    The first will be the recipient and the second the theme of the verb that takes them.
    """
    return Objects(recipient, theme)


def take_objects(verb: Verb, objects: Objects) -> Verb | None:
    """`gave Emma a cake  =>  give . recipient ( x _ 0 , Emma )`."""
    if verb.theme is not None or verb.recipient is not None:
        return None
    return replace(verb, recipient=objects.recipient, theme=objects.theme)


def take_theme(verb: Verb, theme: NounPhrase) -> Verb | None:
    """`ate a cake  =>  eat . theme ( x _ 0 , x _ 2 )`."""
    # A bare theme stands next to its verb; two bare objects come as `Objects`.
    if verb.theme is not None or verb.recipient is not None:
        return None
    return replace(verb, theme=theme)


def take_recipient(verb: Verb, recipient: NounPhrase) -> Verb | None:
    """`gave a cake to Emma  =>  give . recipient ( x _ 0 , Emma )`."""
    return None if verb.recipient is not None else replace(verb, recipient=recipient)


def take_agent(verb: Verb, agent: NounPhrase) -> Verb | None:
    """`eaten by Emma  =>  eat . agent ( x _ 0 , Emma )`."""
    return None if verb.agent is not None else replace(verb, agent=agent)


def take_clause(verb: Verb, clause: Clause) -> Verb | None:
    """`said that Emma slept  =>  say . ccomp ( x _ 0 , x _ 3 )`."""
    if verb.clause is not None or verb.infinitive is not None:
        return None
    return replace(verb, clause=clause)


def make_infinitive(verb: Verb) -> Infinitive | None:
    """`to eat a cake  =>  eat . theme ( x _ 1 , x _ 3 )`.

    Its agent will be the agent of the verb that takes it.
    """
    if verb.agent is not None:
        return None
    return Infinitive(
        verb.position, verb.lemma, None, verb.theme, verb.recipient, verb.clause, verb.infinitive
    )


def take_infinitive(verb: Verb, infinitive: Infinitive) -> Verb | None:
    """`wanted to sleep  =>  want . xcomp ( x _ 0 , x _ 2 )`."""
    if verb.clause is not None or verb.infinitive is not None:
        return None
    return replace(verb, infinitive=infinitive)


def subject_as_agent(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`Emma slept  =>  sleep . agent ( x _ 1 , Emma )`."""
    if verb.agent is not None:
        return None
    return Clause(
        verb.position, verb.lemma, subject, verb.theme, verb.recipient, verb.clause, verb.infinitive
    )


def subject_as_theme(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`Emma was seen  =>  see . theme ( x _ 2 , Emma )`."""
    if verb.theme is not None:
        return None
    return Clause(
        verb.position, verb.lemma, verb.agent, subject, verb.recipient, verb.clause, verb.infinitive
    )


def subject_as_recipient(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`Emma was given a cake  =>  give . recipient ( x _ 2 , Emma )`."""
    if verb.recipient is not None:
        return None
    return Clause(
        verb.position, verb.lemma, verb.agent, verb.theme, subject, verb.clause, verb.infinitive
    )


def end_sentence(clause: Clause) -> Sentence:
    """`Emma slept .  =>  sleep . agent ( x _ 1 , Emma )`."""
    return Sentence(clause)


def children(meaning: Meaning) -> list[Meaning]:
    """The meanings directly inside a meaning."""
    match meaning:
        case Sentence():
            return [meaning.clause]
        case Objects():
            return [meaning.recipient, meaning.theme]
        case Entity():
            return [place for _, place in meaning.modifiers]
        case Event(agent=a, theme=t, recipient=r, clause=c, infinitive=i):
            return [argument for argument in (a, t, r, c, i) if argument is not None]
        case _:
            return []


def is_complete(meaning: Meaning) -> bool:
    """Whether a meaning is a sentence, or a lone noun, name or verb (COGS has rows of one word)."""
    if isinstance(meaning, Verb):
        return not children(meaning)
    return isinstance(meaning, Sentence | Name | Noun)


COGS_ALGEBRA = Algebra.of(
    "cogs",
    (
        determine_indefinite,
        determine_definite,
        modify_in,
        modify_on,
        modify_beside,
        pair_objects,
        take_objects,
        take_theme,
        take_recipient,
        take_agent,
        take_clause,
        make_infinitive,
        take_infinitive,
        subject_as_agent,
        subject_as_theme,
        subject_as_recipient,
        end_sentence,
    ),
    is_complete,
)
