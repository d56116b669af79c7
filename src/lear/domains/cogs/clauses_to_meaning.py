"""From the clauses of a COGS form to a meaning; their order only says where a gap is."""

from collections.abc import Iterator, Sequence
from itertools import islice, pairwise, permutations, product

from lear.core.algebra import Meaning, MeaningTable
from lear.core.derivation import post_order
from lear.domains.cogs.algebra import (
    BEFORE_VERB,
    Clause,
    Entity,
    Event,
    Gap,
    Infinitive,
    Name,
    NounPhrase,
    Question,
    Relation,
    Sentence,
    WhClause,
    children,
)
from lear.domains.cogs.clauses import Argument, Atom
from lear.domains.cogs.form_facts import ASKED, ROLES, Facts
from lear.errors import FormError

AnyClause = Clause | Infinitive | WhClause
Slot = tuple[int, str, str]
"""Where a name is mentioned: position of the head, label, name."""
Whole = Sentence | Question | Entity

MAX_NAME_PLACEMENTS = 1000
"""Ways to assign names to tokens that are tried, where a name occurs several times."""


def read_clauses(clauses: list[Atom], tokens: Sequence[str], table: MeaningTable) -> Whole:
    """The meaning that clauses describe; clauses that are not connected to its head are ignored.

    A form does not say at which token a name stands. Where a name occurs several times, take the
    first placement in which every phrase is contiguous.
    """
    facts = Facts()
    for atom in clauses:
        facts.add(atom)
    placements = list(islice(_name_placements(facts, tokens), MAX_NAME_PLACEMENTS))
    meanings = (
        _Builder(
            facts,
            {slot: table.intern(Name(position, slot[2])) for slot, position in placement.items()},
            table,
        ).whole()
        for placement in placements
    )
    first = next(meanings)
    if len(placements) == 1 or is_projective(first):
        return first
    return next(filter(is_projective, meanings), first)


def _name_placements(facts: Facts, tokens: Sequence[str]) -> Iterator[dict[Slot, int]]:
    """All ways to assign a token to each mention of a name, no token twice."""
    slots: dict[str, list[Slot]] = {}
    for head, label, filler in facts.mentions():
        if isinstance(filler, str) and filler != ASKED:
            slots.setdefault(filler, []).append((head, label, filler))
    choices = []
    for name, mentions in slots.items():
        positions = [position for position, token in enumerate(tokens) if token == name]
        if len(positions) < len(mentions):
            raise FormError(f"the sentence has too few words {name!r}")
        orders = islice(permutations(positions, len(mentions)), MAX_NAME_PLACEMENTS)
        choices.append([dict(zip(mentions, order, strict=True)) for order in orders])
    for combination in product(*choices):
        yield {slot: position for choice in combination for slot, position in choice.items()}


def is_projective(meaning: Meaning) -> bool:
    """Whether the phrases of a meaning overlap neither each other nor the head they belong to."""
    spans: dict[Meaning, tuple[int, int]] = {}
    for part in post_order(meaning, children):
        pieces = [spans[child] for child in children(part) if not isinstance(child, Gap)]
        if isinstance(part, Event | Entity | Name):
            pieces.append((part.position, part.position))
        pieces.sort()
        if any(left[1] >= right[0] for left, right in pairwise(pieces)):
            return False
        if pieces:
            spans[part] = (pieces[0][0], pieces[-1][1])
    return True


class _Builder:
    """Builds meanings from facts, the inner ones first."""

    def __init__(self, facts: Facts, names: dict[Slot, Name], table: MeaningTable) -> None:
        self.facts = facts
        self.names = names
        self.table = table
        self.missing: dict[int, Argument] = {}
        """Noun or verb -> what a gap in it stands for."""
        self.entities: dict[Argument, Entity] = {}
        self.events: dict[Argument, AnyClause] = {}
        self.fronted = {*facts.main_verbs(), *facts.relative_verbs()}
        """The verbs of clauses that begin with the word for a gap, if they have one."""

    def whole(self) -> Whole:
        """The whole meaning; its head is the one main verb, or without verbs the first noun."""
        roots = self.facts.main_verbs()
        if len(roots) > 1 or not (roots or self.facts.nouns):
            raise FormError(f"expected one main verb, found {len(roots)}")
        root = roots[0] if roots else min(self.facts.nouns)
        for position in self._inner_first(root):
            if position in self.facts.nouns:
                self.entities[position] = self._entity(position)
            else:
                self.events[position] = self._event(position)
        if not roots:
            return self.entities[root]
        clause = self.events[root]
        assert not isinstance(clause, Infinitive)  # a root has no controller
        if isinstance(clause, WhClause):
            return self.table.intern(Question(clause))
        return self.table.intern(Sentence(clause))

    def _inner_first(self, root: int) -> list[int]:
        """The nouns and verbs below one, and itself, each after those that it consists of."""
        self.missing[root] = ASKED
        done: dict[int, None] = {}
        begun: set[int] = set()
        stack = [root]
        while stack:
            position = stack[-1]
            if position in begun:
                done[stack.pop()] = None
                continue
            begun.add(position)
            for inner, missing in self._parts(position):
                if inner in begun and inner not in done:
                    raise FormError(f"x _ {inner} is a part of itself")
                if inner not in begun:
                    self.missing[inner] = missing
                    stack.append(inner)
        return list(done)

    def _parts(self, position: int) -> Iterator[tuple[int, Argument]]:
        """The nouns and verbs directly inside one, and what a gap in them stands for."""
        facts, missing = self.facts, self.missing[position]
        if position in facts.nouns:
            modifiers = facts.modifiers.get(position, ())
            inner = [(filler, position if r == "that" else missing) for r, filler in modifiers]
        else:
            inner = [
                (filler, missing)
                for label, filler in facts.events[position].fillers.items()
                if not facts.shares_agent(position, label)
            ]
        for filler, in_it in inner:
            is_known = filler in facts.nouns or filler in facts.events
            if isinstance(filler, int) and filler != missing and is_known:
                yield filler, in_it

    def _entity(self, position: int) -> Entity:
        noun = self.facts.nouns[position]
        modifiers: list[tuple[float, tuple[Relation, NounPhrase | Gap | WhClause]]] = []
        last = position
        for relation, filler in self.facts.modifiers.get(position, ()):
            modifier: NounPhrase | Gap | WhClause
            if relation == "that":
                modifier = self._relative_clause(position, filler)
            else:
                modifier = self._noun_phrase(position, relation, filler, last)
            place = last + 0.5 if isinstance(modifier, Gap) else modifier.position
            modifiers.append((place, (relation, modifier)))
            last = max(last, int(place))
        modifiers.sort(key=lambda modifier: modifier[0])
        own = tuple(modifier for _, modifier in modifiers)
        has_gap = any(part.has_gap for relation, part in own if relation != "that")
        entity = Entity(position, noun.predicate[0], noun.is_definite, own, has_gap)
        return self.table.intern(entity)

    def _relative_clause(self, head: int, filler: Argument) -> WhClause:
        event = self._verb(head, "nmod", filler)
        if not isinstance(event, WhClause):
            raise _misplaced_verb(head, "nmod", filler)
        return event

    def _event(self, position: int) -> AnyClause:
        facts = self.facts.events[position]
        roles: dict[str, NounPhrase | Gap] = {}
        last = BEFORE_VERB
        for label, filler in facts.fillers.items():
            if label in ROLES and not self.facts.shares_agent(position, label):
                argument = roles[label] = self._noun_phrase(position, label, filler, last)
                if not isinstance(argument, Gap):
                    last = max(last, argument.position)
            last = max(last, position)
        clause, infinitive = self._clause(position), self._infinitive(position)
        inner = (*roles.values(), *(part for part in (clause, infinitive) if part is not None))
        has_gap = any(part.has_gap for part in inner)
        lacks_subject = Gap(BEFORE_VERB) in roles.values()
        kind = self._kind(position, has_gap=has_gap, lacks_subject=lacks_subject)
        agent, theme, recipient = map(roles.get, ROLES)
        event = kind(position, facts.lemma, agent, theme, recipient, clause, infinitive, has_gap)
        return self.table.intern(event)

    def _kind(self, position: int, *, has_gap: bool, lacks_subject: bool) -> type[AnyClause]:
        """What a verb is with its arguments.

        The word that stands for a gap is a part of a clause if it is the subject, and if the clause
        is a question or modifies a noun.
        """
        if position in self.facts.controllers:
            self._check_shared_agent(position)
            return Infinitive
        begins_with_pronoun = has_gap if position in self.fronted else lacks_subject
        return WhClause if begins_with_pronoun else Clause

    def _check_shared_agent(self, position: int) -> None:
        event = self.facts.events[position]
        above = self.facts.events[self.facts.controllers[position]]
        if event.fillers.get("agent") != above.fillers.get("agent"):
            raise FormError(f"{event.lemma!r} does not share the agent of {above.lemma!r}")

    def _noun_phrase(self, head: int, label: str, filler: Argument, last: int) -> NounPhrase | Gap:
        """What fills a role or is a place; a gap follows the head at position `last`."""
        if filler == self.missing[head]:
            return Gap(last)
        found: NounPhrase | None
        if isinstance(filler, str):
            found = self.names.get((head, label, filler))
        else:
            found = self.entities.get(filler)
        if found is None:
            shown = filler if isinstance(filler, str) else f"x _ {filler}"
            raise FormError(f"{label} of x _ {head} is not a noun that can be there: {shown}")
        return found

    def _clause(self, head: int) -> Clause | WhClause | None:
        filler = self.facts.events[head].fillers.get("ccomp")
        event = None if filler is None else self._verb(head, "ccomp", filler)
        if isinstance(event, Infinitive):
            raise _misplaced_verb(head, "ccomp", filler)
        return event

    def _infinitive(self, head: int) -> Infinitive | None:
        filler = self.facts.events[head].fillers.get("xcomp")
        event = None if filler is None else self._verb(head, "xcomp", filler)
        if not isinstance(event, Infinitive | None):
            raise _misplaced_verb(head, "xcomp", filler)
        return event

    def _verb(self, head: int, label: str, filler: Argument) -> AnyClause:
        event = self.events.get(filler)
        if event is None:
            raise _misplaced_verb(head, label, filler)
        return event


def _misplaced_verb(head: int, label: str, filler: Argument | None) -> FormError:
    return FormError(f"{label} of x _ {head} is not a verb that can be there: {filler}")
