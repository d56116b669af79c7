"""What a grammar sees of COGS meanings, chosen by linguistic argument.

Of the head of a phrase it sees the valency: which arguments a verb has, whether the verb is
unaccusative (its sole argument is then the theme), whether a noun has a modifier. Of an argument it
sees only that it is a noun phrase, a clause or an infinitive, of any size.
"""

from lear.core.algebra import Meaning
from lear.domains.cogs.algebra import Entity, Name, Verb
from lear.domains.cogs.form_facts import LABELS

HEADS = {
    "determine_indefinite": 0,
    "determine_definite": 0,
    "modify_in": 0,
    "modify_on": 0,
    "modify_beside": 0,
    "take_objects": 0,
    "take_theme": 0,
    "take_recipient": 0,
    "take_agent": 0,
    "take_clause": 0,
    "take_infinitive": 0,
    "make_infinitive": 0,
    "subject_as_agent": 1,
    "subject_as_theme": 1,
    "subject_as_recipient": 1,
}
"""Operation -> the index of its head; `pair_objects` and `end_sentence` have none."""


def category(meaning: Meaning) -> str:
    """Type and arguments: `Verb`, `Verb+theme`, `Unaccusative+agent`, `Entity+modifier`."""
    if isinstance(meaning, Verb):
        fillers = (
            meaning.agent, meaning.theme, meaning.recipient, meaning.clause, meaning.infinitive,
        )  # fmt: skip
        labels = [
            label for label, filler in zip(LABELS, fillers, strict=True) if filler is not None
        ]
        return "+".join(("Unaccusative" if meaning.frame == "theme" else "Verb", *labels))
    if isinstance(meaning, Entity) and meaning.modifiers:
        return "Entity+modifier"
    return type(meaning).__name__


def argument_symbol(meaning: Meaning) -> str:
    """`NounPhrase` for entities and names, else the type."""
    return "NounPhrase" if isinstance(meaning, Entity | Name) else type(meaning).__name__
