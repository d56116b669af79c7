"""What a grammar sees of a COGS meaning, argued from the language.

Of the head of a phrase it sees the open places: which roles of a verb are filled, whether the verb
is unaccusative (its bare subject is then the theme), whether a noun is modified already. Of an
argument it sees only that it is a noun phrase, a clause or an infinitive, however large.
"""

from lear.core.algebra import Meaning
from lear.domains.cogs.algebra import Entity, Name, Verb
from lear.domains.cogs.form_reader import LABELS

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
"""`pair_objects` and `end_sentence` have no head: they see arguments only."""


def category(meaning: Meaning) -> str:
    """Type and open places: `Verb`, `Verb+theme`, `Unaccusative+agent`, `Entity+modifier`."""
    if isinstance(meaning, Verb):
        places = (
            meaning.agent, meaning.theme, meaning.recipient, meaning.clause, meaning.infinitive,
        )  # fmt: skip
        filled = [label for label, place in zip(LABELS, places, strict=True) if place is not None]
        return "+".join(("Unaccusative" if meaning.frame == "theme" else "Verb", *filled))
    if isinstance(meaning, Entity) and meaning.modifiers:
        return "Entity+modifier"
    return type(meaning).__name__


def argument_symbol(meaning: Meaning) -> str:
    """`NounPhrase`, or the type."""
    return "NounPhrase" if isinstance(meaning, Entity | Name) else type(meaning).__name__
