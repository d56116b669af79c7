"""The guide of the search: which meanings can occur in a derivation of a given COGS meaning.

Positions make the test exact: a meaning with head position i must agree with what gold says about
i. An argument of it can take nothing more, so it must be the same object as in gold.
"""

from collections.abc import Callable

from lear.core.algebra import Meaning
from lear.core.meaning_parts import parts
from lear.domains.cogs.algebra import (
    Clause,
    Entity,
    Event,
    InvertedClause,
    Noun,
    Objects,
    Pronoun,
    Verb,
)


def guide(gold: Meaning) -> Callable[[Meaning], bool]:
    """A test that every meaning in every derivation of `gold` passes."""
    inside = parts(gold)
    entities = {part.position: part for part in inside if isinstance(part, Entity)}
    events = {part.position: part for part in inside if isinstance(part, Event)}
    objects = {(event.recipient, event.theme) for event in events.values()}

    def is_part(meaning: Meaning) -> bool:
        match meaning:
            case Entity(position=position):
                target = entities.get(position)
                return (
                    target is not None
                    and target.lemma == meaning.lemma
                    and target.is_definite == meaning.is_definite
                    and target.modifiers[: len(meaning.modifiers)] == meaning.modifiers
                )
            case Verb(position=position):
                event = events.get(position)
                return event is not None and _agrees(meaning, event)
            case Noun(position=position):
                entity = entities.get(position)
                return meaning in inside or (entity is not None and entity.lemma == meaning.lemma)
            case Objects():
                return (meaning.recipient, meaning.theme) in objects
            case Clause(position=position, has_gap=True) | InvertedClause(position=position):
                # In gold it may have the word that stands for its gap.
                event = events.get(position)
                return event is not None and _fillers(meaning) == _fillers(event)
            case Pronoun():
                return any(event.has_gap for event in events.values())
            case _:
                return meaning in inside

    return is_part


def _agrees(verb: Verb, event: Event) -> bool:
    """Whether the arguments that a verb has so far are those of the event in gold."""
    if isinstance(event, Verb):  # gold is a lone verb
        return verb is event
    return verb.lemma == event.lemma and all(
        own is None or own == given
        for own, given in zip(_fillers(verb), _fillers(event), strict=True)
    )


def _fillers(event: Event) -> tuple[object, ...]:
    return event.agent, event.theme, event.recipient, event.clause, event.infinitive
