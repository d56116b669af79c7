"""What rewards and the lenient metric compare of COGS meanings."""

from collections.abc import Hashable

from lear.core.algebra import Meaning
from lear.domains.cogs.algebra import (
    Entity,
    Event,
    Gap,
    Name,
    Noun,
    NounPhrase,
    Sentence,
    Verb,
    WhClause,
)
from lear.domains.cogs.form_text import LONE_NOUN, LONE_VERB, atoms


def conjuncts(meaning: Meaning) -> frozenset[Hashable]:
    """The clauses of a meaning, complete or not; a lone word has its form as the only one."""
    return frozenset(_lone(meaning) or atoms(meaning))


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """The lemmas and names of a meaning, complete or not."""
    if isinstance(meaning, Name):
        return frozenset({meaning.name})
    if isinstance(meaning, Noun | Verb) and not atoms(meaning):
        return frozenset({meaning.lemma})
    names = (a for atom in atoms(meaning) for a in atom.arguments if isinstance(a, str))
    return frozenset((*(atom.predicate[0] for atom in atoms(meaning)), *names))


def _lone(meaning: Meaning) -> frozenset[str] | None:
    match meaning:
        case Name(name=name):
            return frozenset({name})
        case Noun(lemma=lemma):
            return frozenset({LONE_NOUN.format(lemma)})
        case Verb(lemma=lemma, frame=frame) if not atoms(meaning):
            return frozenset({LONE_VERB[frame].format(lemma)})
        case _:
            return None


def without_positions(meaning: Meaning) -> Hashable:
    """A meaning without positions and determiners: what the lenient metric compares."""
    if not isinstance(meaning, Sentence):
        return _lone(meaning)
    chain: list[Hashable] = []
    event: Event | None = meaning.clause
    agent = meaning.clause.agent
    while event is not None:
        roles = (agent, event.theme, event.recipient)
        chain.append((event.lemma, *(_modifier_chain(filler) for filler in roles)))
        if event.infinitive is not None:
            chain.append("xcomp")
            event = event.infinitive  # shares the agent
        elif event.clause is not None:
            chain.append("ccomp")
            event = event.clause
            agent = event.agent
        else:
            event = None
    return tuple(chain)


def _modifier_chain(phrase: NounPhrase | Gap | None) -> Hashable:
    if phrase is None:
        return None
    links: list[Hashable] = []
    stack: list[NounPhrase | Gap | WhClause | str] = [phrase]
    while stack:
        match stack.pop():
            case Name(name=name):
                links.append(name)
            case Entity(lemma=lemma, modifiers=modifiers):
                links.append((lemma, len(modifiers)))
                for preposition, place in reversed(modifiers):
                    stack.extend((place, preposition))
            case other:  # a preposition: COGS has neither gaps nor relative clauses
                links.append(other)
    return tuple(links)
