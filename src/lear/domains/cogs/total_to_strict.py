"""From meanings of the total algebra of COGS to those of the strict one: a finishing step."""

from collections.abc import Sequence

from lear.core.algebra import Meaning
from lear.domains.cogs import algebra as strict
from lear.domains.cogs.total_algebra import Chain, Events, Objects, Phrase, Verb


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
    """The first noun, modified by the second, which is modified by the third, and so on."""
    phrase: strict.NounPhrase | None = None
    preposition = None
    for noun in reversed(chain):
        if noun.determiner == "name":  # names have no modifiers
            phrase = strict.Name(noun.position, noun.lemma)
        else:
            modifiers = () if phrase is None or preposition is None else ((preposition, phrase),)
            is_definite = noun.determiner == "definite"
            phrase = strict.Entity(noun.position, noun.lemma, is_definite, modifiers)
        preposition = noun.preposition
    assert phrase is not None  # chains are not empty
    return phrase


def _clause(verbs: tuple[Verb, ...]) -> strict.Clause:
    """The first verb, with the second as its complement, and so on."""
    complement: strict.Clause | strict.Infinitive | None = None
    for verb in reversed(verbs):
        phrases = {filler.role: _noun_phrase(filler.chain) for filler in verb.fillers}
        agent, theme, recipient = (phrases.get(role) for role in ("agent", "theme", "recipient"))
        clause = complement if isinstance(complement, strict.Clause) else None
        infinitive = complement if isinstance(complement, strict.Infinitive) else None
        if verb.complement == "xcomp":  # it shares the agent of the verb above
            complement = strict.Infinitive(
                verb.position, verb.lemma, None, theme, recipient, clause, infinitive
            )
            continue
        if verb.frame == "theme" and theme is None:  # unaccusative: "the cake burned"
            agent, theme = None, agent
        complement = strict.Clause(
            verb.position, verb.lemma, agent, theme, recipient, clause, infinitive
        )
    if not isinstance(complement, strict.Clause):  # the first verb of a chain complements nothing
        raise TypeError(f"not a chain of verbs: {verbs!r}")
    return complement
