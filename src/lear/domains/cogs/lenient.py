"""What the published evaluation compares of a COGS meaning: lemmas, roles and modifier chains.

Positions, definiteness and the order of clauses do not count there (nor does the full stop).
"""

from collections.abc import Hashable

from lear.algebra import Meaning
from lear.domains.cogs.algebra import Entity, Event, Name, NounPhrase, Sentence
from lear.domains.cogs.clauses import Atom
from lear.domains.cogs.form import atoms, render


def skeleton(meaning: Meaning) -> Hashable:
    """A meaning without positions and determiners: what must agree to count as right there."""
    if not isinstance(meaning, Sentence):
        return render(meaning)
    chain: list[Hashable] = []
    event: Event | None = meaning.clause
    agent = meaning.clause.agent
    while event is not None:
        roles = (agent, event.theme, event.recipient)
        chain.append((event.lemma, *(_modifier_chain(filler) for filler in roles)))
        if event.infinitive is not None:
            chain.append("xcomp")
            event = event.infinitive  # shares the agent
        else:
            chain.append("ccomp")
            event = event.clause
            agent = None if event is None else event.agent
    return tuple(chain)


def _modifier_chain(phrase: NounPhrase | None) -> Hashable:
    if phrase is None:
        return None
    links: list[Hashable] = []
    stack: list[NounPhrase | str] = [phrase]
    while stack:
        match stack.pop():
            case Name(name=name):
                links.append(name)
            case Entity(lemma=lemma, modifiers=modifiers):
                links.append((lemma, len(modifiers)))
                for preposition, place in reversed(modifiers):
                    stack.extend((place, preposition))
            case preposition:
                links.append(preposition)
    return tuple(links)


def primitives(meaning: Meaning) -> frozenset[Hashable]:
    """Lemmas and names of a meaning, complete or not."""
    return frozenset(word for atom in atoms(meaning) for word in _symbols(atom))


def _symbols(atom: Atom) -> list[str]:
    return [atom.predicate[0], *(a for a in atom.arguments if isinstance(a, str))]
