"""The guide of the search: which meanings can occur in a derivation of a given COGS meaning.

Positions make the test exact: a meaning with head position i must agree with what gold says about
i. An argument of it can take nothing more, so it must be the same object as in gold.
"""

from collections.abc import Callable

from lear.core.algebra import Meaning
from lear.core.meaning_parts import parts
from lear.domains.cogs.algebra import Entity, Event, Noun, Objects, Verb


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
            case _:
                return meaning in inside

    return is_part


def _agrees(verb: Verb, event: Event) -> bool:
    """Whether the arguments that a verb has so far are those of the event in gold."""
    if isinstance(event, Verb):  # gold is a lone verb
        return verb is event
    return (
        verb.lemma == event.lemma
        and (verb.agent is None or verb.agent is event.agent)
        and (verb.theme is None or verb.theme is event.theme)
        and (verb.recipient is None or verb.recipient is event.recipient)
        and (verb.clause is None or verb.clause is event.clause)
        and (verb.infinitive is None or verb.infinitive is event.infinitive)
    )
