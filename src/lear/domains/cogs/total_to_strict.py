"""From meanings of the total algebra of COGS to those of the strict one: a finishing step."""

from collections import defaultdict
from collections.abc import Sequence

from lear.core.algebra import Meaning
from lear.domains.cogs import algebra as strict
from lear.domains.cogs.total_algebra import ROLES, Chain, Events, Objects, Phrase, Verb


def to_strict(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
    """A sentence, a lone word, or what an entity by itself comes to."""
    del tokens
    match meaning:
        case Events(verbs=(verb,)) if not verb.fillers:
            return strict.Verb(verb.position, verb.lemma, frame=verb.frame)
        case Events(verbs=verbs):
            return strict.Sentence(_clause(verbs))
        case Objects(fillers=fillers):
            return _noun_phrase(fillers[0].chain)
        case Phrase(chain=(noun,)) if noun.determiner == "none":
            return strict.Noun(noun.position, noun.lemma)
        case Phrase(chain=chain):
            return _noun_phrase(chain)
    raise TypeError(f"not a meaning of COGS: {meaning!r}")


def _noun_phrase(chain: Chain) -> strict.NounPhrase:
    """The first noun, with all that modifies it, directly or not."""
    phrases: dict[int, strict.NounPhrase] = {}
    modifiers: dict[int, list[tuple[strict.Preposition, strict.NounPhrase]]] = defaultdict(list)
    for place in reversed(range(len(chain))):
        noun = chain[place]
        if noun.determiner == "name":  # names have no modifiers
            phrases[place] = strict.Name(noun.position, noun.lemma)
        else:
            is_definite = noun.determiner == "definite"
            own = tuple(reversed(modifiers[place]))
            phrases[place] = strict.Entity(noun.position, noun.lemma, is_definite, own)
        if noun.preposition is not None:
            modifiers[place - noun.distance].append((noun.preposition, phrases[place]))
    return phrases[0]


def _clause(verbs: tuple[Verb, ...]) -> strict.Clause:
    """The first verb, with all that complements it, directly or not."""
    clauses: dict[int, strict.Clause] = {}
    infinitives: dict[int, strict.Infinitive] = {}
    for place in reversed(range(len(verbs))):
        verb = verbs[place]
        phrases = {filler.role: _noun_phrase(filler.chain) for filler in verb.fillers}
        agent, theme, recipient = (phrases.get(role) for role in ROLES)
        above = place - verb.distance
        own = clauses.get(place), infinitives.get(place)
        if verb.complement == "xcomp":  # it shares the agent of the verb above
            infinitives[above] = strict.Infinitive(
                verb.position, verb.lemma, None, theme, recipient, *own
            )
            continue
        if verb.frame == "theme" and theme is None:  # unaccusative: "the cake burned"
            agent, theme = None, agent
        clauses[above] = strict.Clause(verb.position, verb.lemma, agent, theme, recipient, *own)
    return clauses[-1]
