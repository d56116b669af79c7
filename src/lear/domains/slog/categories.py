"""What a grammar sees of SLOG meanings: what it sees of COGS, and gaps where they decide.

A gap decides what is legal: a clause without one is no relative clause. But rules do not show it,
so that a phrase is put together as it is without. Of verbs a grammar also sees whether they are
ditransitive: in "gave the boy that slept a cake" the cake belongs to the verb that takes two.
"""

from lear.core.algebra import Meaning
from lear.domain.domain import RuleParts
from lear.domains.cogs import categories as cogs
from lear.domains.cogs.algebra import Entity, Event, Name, Objects, Pronoun, Verb, WhClause
from lear.domains.cogs.form_facts import LABELS
from lear.domains.slog.algebra import lacks_subject

HEADS = {name: place for name, place in cogs.HEADS.items() if name != "make_infinitive"} | {
    "pronoun_as_agent": 1,
    "pronoun_as_theme": 1,
    "pronoun_as_recipient": 1,
    "modify_by_clause": 0,
    "subject_as_agent_theme_gap": 1,
    "subject_as_recipient_theme_gap": 1,
    "subject_as_agent_recipient_gap": 1,
    "take_agent_theme_gap": 0,
    "invert_theme": 1,
    "invert_recipient": 1,
    "take_recipient_theme_gap": 0,
    "take_recipient_gap": 0,
    "take_agent_gap": 0,
    "modify_in_gap": 0,
    "modify_on_gap": 0,
    "modify_beside_gap": 0,
    "take_wh_clause": 0,
}
"""Operation -> the index of its head. A verb phrase that becomes an infinitive is finished, so that
what it has does not matter there."""

SAID_NOUN_PHRASE = "[NounPhrase]"
ALIKE = {
    "pronoun_as_agent": "subject_as_agent",
    "pronoun_as_theme": "subject_as_theme",
    "pronoun_as_recipient": "subject_as_recipient",
    "make_infinitive_theme_gap": "make_infinitive",
}
"""Operation on a gap -> the same on a noun phrase, where rules show no difference."""
WITH_LAST_GAP = {
    "take_recipient_gap": "take_recipient",
    "take_agent_gap": "take_agent",
    "modify_in_gap": "modify_in",
    "modify_on_gap": "modify_on",
    "modify_beside_gap": "modify_beside",
}
"""Operation on a gap behind a preposition -> the same on a noun phrase that is said there."""
WITH_THEME_GAP = {
    "subject_as_recipient_theme_gap": "subject_as_recipient",
    "take_agent_theme_gap": "take_agent",
}
"""Operation on a verb whose theme is a gap -> the same on a verb that has its theme."""
INVERTED = {"invert_theme": "subject_as_theme", "invert_recipient": "subject_as_recipient"}
"""Operation on a passive without its *was* -> the same with it."""


def category(meaning: Meaning) -> str:
    """Type, arguments and whether there is a gap: `Ditransitive+theme/gap`, `Clause/gap`."""
    if isinstance(meaning, WhClause):
        return "WhClause/subject" if lacks_subject(meaning) else "WhClause"
    has_gap = isinstance(meaning, Entity | Event | Objects) and meaning.has_gap
    return head_symbol(meaning) + ("/gap" if has_gap else "")


def head_symbol(meaning: Meaning) -> str:
    """The same without gaps."""
    if isinstance(meaning, Verb) and meaning.frame == "agent theme recipient":
        return cogs.category(meaning).replace("Verb", "Ditransitive", 1)
    return cogs.category(meaning)


def argument_symbol(meaning: Meaning) -> str:
    """`NounPhrase` for entities, names and words that stand for gaps, else the type."""
    if isinstance(meaning, Entity | Name | Pronoun):
        return "NounPhrase"
    return type(meaning).__name__


def scored_as(rule: RuleParts) -> RuleParts:
    """A rule with a gap as the rule where the noun phrase is said.

    Training shows few kinds of gaps. But a gap is a noun phrase: `[Ditransitive+theme] to` with a
    gap is what `[Ditransitive+theme] to [NounPhrase]` is without.
    """
    operation, parts = rule
    if operation in ALIKE:
        return ALIKE[operation], parts
    if operation in WITH_LAST_GAP:
        return WITH_LAST_GAP[operation], (*parts, SAID_NOUN_PHRASE)
    if operation in WITH_THEME_GAP:
        return WITH_THEME_GAP[operation], tuple(map(_with_theme, parts))
    if operation in INVERTED and len(parts) == 2:
        subject, verb = parts
        has_theme = operation == "invert_recipient"
        return INVERTED[operation], (subject, "was", _with_theme(verb) if has_theme else verb)
    if rule == ("front_inverted", (SAID_NOUN_PHRASE, "was", "[InvertedClause]")):
        return "front", (SAID_NOUN_PHRASE, "did", "[Clause]")
    if operation == "take_wh_clause" and len(parts) == 2:
        return "take_clause", (parts[0], "that", "[Clause]")
    return rule


def _with_theme(part: str) -> str:
    """`[Ditransitive+recipient]` -> `[Ditransitive+theme+recipient]`; what is no verb, as it is."""
    kind, *labels = part[1:-1].split("+")
    if kind not in ("Verb", "Unaccusative", "Ditransitive") or "theme" in labels:
        return part
    return f"[{'+'.join((kind, *sorted((*labels, 'theme'), key=LABELS.index)))}]"
