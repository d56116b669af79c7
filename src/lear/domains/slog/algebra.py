"""The algebra of SLOG: that of COGS, and noun phrases that are missing where they belong.

In "a cake that Emma ate" and "What did Emma eat ?" the theme of *eat* is a gap. A gap is a noun
phrase: each operation of COGS that takes one has a counterpart that takes a gap, and everything
else keeps a gap that is inside its arguments, at any depth. *Who*, *what* and the *that* of
relative clauses stand for the gap. They are the subject themselves, or stand before a clause with a
gap (`front`); either makes a `WhClause`, which modifies a noun or is asked.

What a gap is depends on where its clause ends up: the noun that the clause modifies, or what the
question asks for. So meanings with gaps need no variables, and have at most one.
"""

from msgspec.structs import replace

from lear.core.algebra import Algebra, Meaning
from lear.domains.cogs.algebra import (
    BEFORE_VERB,
    COGS_ALGEBRA,
    Clause,
    Entity,
    Gap,
    Infinitive,
    InvertedClause,
    NounPhrase,
    Pronoun,
    Question,
    Verb,
    WhClause,
    arguments,
    closed,
    filled,
    modified,
)

SUBJECT = Gap(BEFORE_VERB)


def pronoun_as_agent(pronoun: Pronoun, verb: Verb) -> WhClause | None:
    """`(a dog) that slept  =>  sleep . agent ( x _ 1 , ? )`."""
    del pronoun
    return None if verb.agent is not None else closed(filled(verb, agent=SUBJECT), WhClause)


def pronoun_as_theme(pronoun: Pronoun, verb: Verb) -> WhClause | None:
    """`(a dog) that was seen  =>  see . theme ( x _ 2 , ? )`."""
    del pronoun
    return None if verb.theme is not None else closed(filled(verb, theme=SUBJECT), WhClause)


def pronoun_as_recipient(pronoun: Pronoun, verb: Verb) -> WhClause | None:
    """`(a dog) that was given a cake  =>  give . recipient ( x _ 2 , ? )`."""
    del pronoun
    return None if verb.recipient is not None else closed(filled(verb, recipient=SUBJECT), WhClause)


def front(pronoun: Pronoun, clause: Clause) -> WhClause | None:
    """`What did Emma eat  =>  eat . theme ( x _ 3 , ? )`.

    The word stands for the gap of the clause, wherever in it that is.
    """
    del pronoun
    return closed(clause, WhClause) if clause.has_gap else None


def front_inverted(pronoun: Pronoun, clause: InvertedClause) -> WhClause | None:
    """`Who was a cake given to  =>  give . recipient ( x _ 4 , ? )`."""
    del pronoun
    return closed(clause, WhClause)


def modify_by_clause(entity: Entity, clause: WhClause) -> Entity:
    """`a dog that slept  =>  dog . nmod ( x _ 1 , x _ 3 )`."""
    return replace(entity, modifiers=(*entity.modifiers, ("that", clause)))


def ask(clause: WhClause) -> Question:
    """`Who slept ?  =>  sleep . agent ( x _ 1 , ? )`."""
    return Question(clause)


def subject_as_agent_theme_gap(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`(What did) Emma eat  =>  eat . agent ( x _ 1 , Emma )`."""
    if verb.agent is not None:
        return None
    return closed(_filled(_with_theme_gap(verb), agent=subject), Clause)


def subject_as_recipient_theme_gap(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`(a cake that) Emma was given  =>  give . recipient ( x _ 2 , Emma )`."""
    # With an agent behind *by*, the gap came before that.
    if verb.recipient is not None or verb.agent is not None:
        return None
    return closed(_filled(_with_theme_gap(verb), recipient=subject), Clause)


def subject_as_agent_recipient_gap(subject: NounPhrase, verb: Verb) -> Clause | None:
    """`(Who did) Emma give a cake  =>  give . agent ( x _ 1 , Emma )`."""
    if verb.agent is not None or verb.recipient is not None or verb.theme is None:
        return None
    with_gap = filled(verb, recipient=Gap(verb.position))
    return closed(_filled(with_gap, agent=subject), Clause)


def invert_theme(subject: NounPhrase, verb: Verb) -> InvertedClause | None:
    """`(Who was) a cake given to  =>  give . theme ( x _ 2 , x _ 1 )`."""
    if verb.theme is not None or not verb.has_gap:
        return None
    return closed(filled(verb, theme=subject), InvertedClause)


def invert_recipient(subject: NounPhrase, verb: Verb) -> InvertedClause | None:
    """`(What was) Emma given  =>  give . recipient ( x _ 1 , Emma )`."""
    if verb.recipient is not None:
        return None
    with_gap = verb if verb.has_gap else _with_theme_gap(verb)
    return closed(_filled(with_gap, recipient=subject), InvertedClause)


def take_agent_theme_gap(verb: Verb, agent: NounPhrase) -> Verb | None:
    """`(a cake that Emma was) given by Liam  =>  give . agent ( x _ 0 , Liam )`."""
    return None if verb.agent is not None else _filled(_with_theme_gap(verb), agent=agent)


def make_infinitive_theme_gap(verb: Verb) -> Infinitive | None:
    """`(What did Emma want) to eat  =>  eat . theme ( x _ 1 , ? )`."""
    return None if verb.agent is not None else closed(_with_theme_gap(verb), Infinitive)


def _with_theme_gap(verb: Verb) -> Verb | None:
    # A bare theme stands next to its verb. A verb with a clause has that in place of a theme.
    if verb.theme is not None or verb.clause is not None or verb.infinitive is not None:
        return None
    return filled(verb, theme=Gap(verb.position))


def _filled(verb: Verb | None, **argument: NounPhrase) -> Verb | None:
    return None if verb is None else filled(verb, **argument)


def take_recipient_theme_gap(verb: Verb, recipient: NounPhrase) -> Verb | None:
    """`(a cake that Liam) gave Emma  =>  give . recipient ( x _ 0 , Emma )`.

    Two bare objects, of which the second is missing.
    """
    if verb.theme is not None or verb.recipient is not None:
        return None
    return filled(verb, recipient=recipient, theme=Gap(recipient.position))


def take_recipient_gap(verb: Verb) -> Verb | None:
    """`(Who did Liam) give a cake to  =>  give . theme ( x _ 0 , x _ 2 )`."""
    return None if verb.recipient is not None else filled(verb, recipient=_gap_behind(verb))


def take_agent_gap(verb: Verb) -> Verb | None:
    """`(a dog that a cake was) eaten by  =>  eat . agent ( x _ 0 , ? )`."""
    return None if verb.agent is not None else filled(verb, agent=_gap_behind(verb))


def _gap_behind(verb: Verb) -> Gap:
    """A gap behind all that a verb has so far; its subject, which stands before it, comes later."""
    said = (argument.position for argument in arguments(verb) if not isinstance(argument, Gap))
    return Gap(max((verb.position, *said)))


def modify_in_gap(entity: Entity) -> Entity | None:
    """`(a box that) a cake in  =>  cake . nmod . in ( x _ 1 , ? )`."""
    return modified(entity, "in", _gap_at(entity))


def modify_on_gap(entity: Entity) -> Entity | None:
    """`(a table that) a cake on  =>  cake . nmod . on ( x _ 1 , ? )`."""
    return modified(entity, "on", _gap_at(entity))


def modify_beside_gap(entity: Entity) -> Entity | None:
    """`(a chair that) a cake beside  =>  cake . nmod . beside ( x _ 1 , ? )`."""
    return modified(entity, "beside", _gap_at(entity))


def _gap_at(entity: Entity) -> Gap:
    places = (place for _, place in entity.modifiers if not isinstance(place, Gap))
    return Gap(max((place.position for place in places), default=entity.position))


def take_wh_clause(verb: Verb, clause: WhClause) -> Verb | None:
    """`(Who did Emma) say that slept  =>  say . ccomp ( x _ 0 , x _ 2 )`.

    Its *that* is both the word before the clause and a subject that is elsewhere.
    """
    if verb.clause is not None or verb.infinitive is not None or not lacks_subject(clause):
        return None
    return filled(verb, clause=clause)


def lacks_subject(clause: WhClause) -> bool:
    """Whether the gap of a clause is its own subject."""
    return SUBJECT in (clause.agent, clause.theme, clause.recipient)


def is_complete(meaning: Meaning) -> bool:
    """Whether a meaning is a sentence, with or without its mark, a noun phrase, or a lone word."""
    if isinstance(meaning, Entity | Clause):
        return not meaning.has_gap
    return isinstance(meaning, Question) or COGS_ALGEBRA.is_complete(meaning)


OPERATIONS = (
    pronoun_as_agent,
    pronoun_as_theme,
    pronoun_as_recipient,
    front,
    front_inverted,
    modify_by_clause,
    ask,
    subject_as_agent_theme_gap,
    subject_as_recipient_theme_gap,
    subject_as_agent_recipient_gap,
    invert_theme,
    invert_recipient,
    take_agent_theme_gap,
    make_infinitive_theme_gap,
    take_recipient_theme_gap,
    take_recipient_gap,
    take_agent_gap,
    modify_in_gap,
    modify_on_gap,
    modify_beside_gap,
    take_wh_clause,
)
"""What SLOG has beside the operations of COGS."""

SLOG_ALGEBRA = Algebra.of(
    "slog", (*(op.function for op in COGS_ALGEBRA.operations), *OPERATIONS), is_complete
)
