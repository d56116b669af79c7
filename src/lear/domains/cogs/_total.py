"""The total algebra of COGS: the paper's entities and predicates, and operations that never refuse.

Any two constituents combine, so no derivation is a dead end. A determiner and its noun are one
unit, which says whether the noun is definite. Modifiers and complements are chains: "a cake in a
box on a table" and "Emma said that Tom knew that Liz slept" come out the same under any bracketing,
since an operation joins the end of the left constituent to the beginning of the right one. The
variant `heads` lacks that, to measure what it is worth. `to_strict` makes a meaning of the strict
algebra. The operations of the paper's table that no sentence uses (ON^-1) are left out.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.benchmark import Example, Gazetteer
from lear.domains.cogs import algebra as strict
from lear.domains.cogs import words
from lear.domains.cogs.algebra import COGS_ALGEBRA, Frame, Preposition, children
from lear.domains.cogs.forms import read
from lear.lexicon.lexicon import UNKNOWN, Lexicon, Unit

Determiner = Literal["definite", "indefinite", "none", "name"]
Role = Literal["agent", "theme", "recipient"]
Complement = Literal["ccomp", "xcomp"]
ROLES: tuple[Role, ...] = ("agent", "theme", "recipient")


class Noun(NamedTuple):
    """A noun or a name, and the preposition that links it to another noun."""

    position: int
    lemma: str
    determiner: Determiner
    preposition: Preposition | None = None
    distance: int = 1
    """How far back in its chain the noun is that it modifies."""


Chain = tuple[Noun, ...]
"""Each noun modifies the one before it: cake, in box, on table. Only in the variant `heads` it may
modify another."""


class Filler(NamedTuple):
    """A chain of nouns in a role."""

    role: Role
    chain: Chain


class Verb(NamedTuple):
    """A verb with its arguments, and how it complements another verb."""

    position: int
    lemma: str
    frame: Frame
    fillers: tuple[Filler, ...] = ()
    """By role, in the order of `ROLES`; no role twice."""
    complement: Complement | None = None
    distance: int = 1
    """How far back in its chain the verb is that it complements."""

    @property
    def roles(self) -> tuple[Role, ...]:
        """Return the roles that are filled."""
        return tuple(filler.role for filler in self.fillers)


class Phrase(Meaning, frozen=True):
    """An entity: a chain of nouns."""

    chain: Chain


class Objects(Meaning, frozen=True):
    """Entities side by side whose roles are known: (gave) Emma a cake."""

    fillers: tuple[Filler, ...]


class Events(Meaning, frozen=True):
    """A predicate: a chain of verbs, each the complement of the one before."""

    verbs: tuple[Verb, ...]


Entity = Phrase | Objects


def chain_operations(*, at_heads: bool) -> list[Callable[..., Meaning | None]]:
    """Return the operations that make chains.

    Args:
        at_heads: Joins what stands on the right to the head of a chain on the left, as the strict
            algebra does, and not to its end. Then one bracketing is right, not all.
    """

    def modify_in(left: Entity, right: Entity) -> Entity:
        """`a cake in a box  =>  cake . nmod . in ( x _ 1 , x _ 4 )`."""
        return _linked("in", left, right, at_heads=at_heads)

    def modify_on(left: Entity, right: Entity) -> Entity:
        """`a cake on a table  =>  cake . nmod . on ( x _ 1 , x _ 4 )`."""
        return _linked("on", left, right, at_heads=at_heads)

    def modify_beside(left: Entity, right: Entity) -> Entity:
        """`a cake beside a chair  =>  cake . nmod . beside ( x _ 1 , x _ 4 )`."""
        return _linked("beside", left, right, at_heads=at_heads)

    def ccomp(left: Events, right: Events) -> Events:
        """`Emma said that Tom slept  =>  say . ccomp ( x _ 1 , x _ 4 )`."""
        return _complemented("ccomp", left, right, at_heads=at_heads)

    def xcomp(left: Events, right: Events) -> Events:
        """`Emma wanted to sleep  =>  want . xcomp ( x _ 1 , x _ 3 )`."""
        return _complemented("xcomp", left, right, at_heads=at_heads)

    return [modify_in, modify_on, modify_beside, ccomp, xcomp]


def _linked(preposition: Preposition, left: Entity, right: Entity, *, at_heads: bool) -> Entity:
    """Let the first entity on the right modify the last one on the left; roles stay."""
    first, *others = right.fillers if isinstance(right, Objects) else (right.chain,)
    noun, *rest = first.chain if isinstance(first, Filler) else first
    *before, last = left.fillers if isinstance(left, Objects) else (left.chain,)
    chain = last.chain if isinstance(last, Filler) else last
    distance = len(chain) if at_heads else 1
    joined = (*chain, noun._replace(preposition=preposition, distance=distance), *rest)
    if isinstance(last, Filler):
        return Objects((*before, Filler(last.role, joined), *others))
    if isinstance(first, Filler):
        return Objects((Filler(first.role, joined), *others))
    return Phrase(joined)


def _complemented(complement: Complement, left: Events, right: Events, *, at_heads: bool) -> Events:
    first, *rest = right.verbs
    distance = len(left.verbs) if at_heads else 1
    return Events((*left.verbs, first._replace(complement=complement, distance=distance), *rest))


def recipient_theme(left: Phrase, right: Phrase) -> Objects:
    """`(gave) Emma a cake  =>  cake ( x _ 2 )`."""
    return Objects((Filler("recipient", left.chain), Filler("theme", right.chain)))


def theme_recipient(left: Phrase, right: Phrase) -> Objects:
    """`(gave) a cake to Emma  =>  cake ( x _ 1 )`."""
    return Objects((Filler("theme", left.chain), Filler("recipient", right.chain)))


def theme_agent(left: Phrase, right: Phrase) -> Objects:
    """`(was given) a cake by Emma  =>  cake ( x _ 1 )`."""
    return Objects((Filler("theme", left.chain), Filler("agent", right.chain)))


def recipient_agent(left: Phrase, right: Phrase) -> Objects:
    """`(was given) to a girl by Emma  =>  girl ( x _ 2 )`."""
    return Objects((Filler("recipient", left.chain), Filler("agent", right.chain)))


def fill_agent(left: Phrase | Events, right: Phrase | Events) -> Events | None:
    """`Emma slept  =>  sleep . agent ( x _ 1 , Emma )`."""
    return _fill("agent", left, right)


def fill_theme(left: Phrase | Events, right: Phrase | Events) -> Events | None:
    """`ate a cake  =>  eat . theme ( x _ 0 , x _ 2 )`."""
    return _fill("theme", left, right)


def fill_recipient(left: Phrase | Events, right: Phrase | Events) -> Events | None:
    """`Emma was given (a cake)  =>  give . recipient ( x _ 2 , Emma )`."""
    return _fill("recipient", left, right)


def _fill(role: Role, left: Phrase | Events, right: Phrase | Events) -> Events | None:
    """Let what stands left of a chain of verbs fill the first of them, and else the last."""
    match left, right:
        case Phrase(chain=chain), Events(verbs=verbs):
            place = 0
        case Events(verbs=verbs), Phrase(chain=chain):
            place = -1
        case _:
            return None
    taken = verbs[place].roles
    if role in taken and len(taken) < len(ROLES):  # where none is free, the last one wins
        return None
    return _filled(verbs, place, (Filler(role, chain),))


def fill_objects(left: Objects | Events, right: Objects | Events) -> Events | None:
    """`gave (Emma a cake)  =>  give . recipient ( x _ 0 , Emma )`."""
    match left, right:
        case Objects(fillers=fillers), Events(verbs=verbs):
            return _filled(verbs, 0, fillers)
        case Events(verbs=verbs), Objects(fillers=fillers):
            return _filled(verbs, -1, fillers)
        case _:
            return None


def _filled(verbs: tuple[Verb, ...], place: int, new: tuple[Filler, ...]) -> Events:
    by_role = {filler.role: filler for filler in (*verbs[place].fillers, *new)}
    fillers = tuple(by_role[role] for role in ROLES if role in by_role)
    changed = list(verbs)
    changed[place] = verbs[place]._replace(fillers=fillers)
    return Events(tuple(changed))


def is_complete(meaning: Meaning) -> bool:
    """Accept every meaning as an answer: there are no dead ends."""
    del meaning
    return True


def category(meaning: Meaning) -> str:
    """Return the type, and the roles that are filled: `Events agent`, `Events agent ... theme`."""
    match meaning:
        case Objects(fillers=fillers):
            return " ".join(("Objects", *(filler.role for filler in fillers)))
        case Events(verbs=(verb,)):
            return " ".join(("Events", *verb.roles))
        case Events(verbs=verbs):
            return " ".join(("Events", *verbs[0].roles, "...", *verbs[-1].roles))
        case _:
            return type(meaning).__name__


def argument_symbol(meaning: Meaning) -> str:
    """Return the paper's types: Entity or Predicate."""
    return "Predicate" if isinstance(meaning, Events) else "Entity"


def _algebra(name: str, *, at_heads: bool) -> Algebra:
    *modifying, ccomp, xcomp = chain_operations(at_heads=at_heads)
    pairing = (recipient_theme, theme_recipient, theme_agent, recipient_agent)
    filling = (fill_agent, fill_theme, fill_recipient, fill_objects)
    return Algebra.of(name, (*modifying, *pairing, *filling, ccomp, xcomp), is_complete)


TOTAL_ALGEBRA = _algebra("cogs-total", at_heads=False)
HEADS_ALGEBRA = _algebra("cogs-heads", at_heads=True)


def to_strict(meaning: Meaning, tokens: Sequence[str]) -> Meaning:
    """Return a sentence, a lone word, or what an entity by itself comes to."""
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
    """Return the first noun, with all that modifies it, directly or not."""
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
    """Return the first verb, with all that complements it, directly or not."""
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


DETERMINERS: dict[str, Determiner] = {"definite": "definite", "indefinite": "indefinite"}
"""By the feature of a noun's primitive; a noun without one has no determiner."""


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive whose unit begins at a token position."""
    match primitive.type:
        case "Name":
            return table.intern(Phrase((Noun(position, primitive.symbol, "name"),)))
        case "Noun":
            determiner = DETERMINERS.get(primitive.feature, "none")
            place = position + (determiner != "none")  # the noun follows its determiner
            return table.intern(Phrase((Noun(place, primitive.symbol, determiner),)))
        case _:
            frame = words.FRAMES[primitive.feature]
            return table.intern(Events((Verb(position, primitive.symbol, frame),)))


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the lexicon of training rows: units with their primitives, and function words."""
    plain = words.induce(examples, gazetteer)
    determiners = _determiners(examples)
    counts: Counter[tuple[Unit, Primitive]] = Counter()
    for unit, entries in plain.units.items():
        for primitive, count in ((entry.primitive, entry.count) for entry in entries):
            counts[unit, primitive] += count
            if primitive.type == "Noun":
                for word, feature in determiners.items():
                    determined = Primitive("Noun", primitive.symbol, feature)
                    counts[(word, *unit), determined] += count
    for word, feature in determiners.items():
        counts[(word, UNKNOWN), Primitive("Noun", UNKNOWN, feature)] += 1
    return Lexicon.from_counts(plain.domain, counts, plain.function_words)


def _determiners(examples: Sequence[Example]) -> dict[str, str]:
    """Return the words directly before nouns -> whether the noun is then mostly definite."""
    votes: Counter[tuple[str, bool]] = Counter()
    for example in examples:
        stack = [read(example.form, example.tokens, MeaningTable(COGS_ALGEBRA))]
        while stack:
            part = stack.pop()
            if isinstance(part, strict.Entity) and part.position:
                votes[example.tokens[part.position - 1], part.is_definite] += 1
            stack.extend(children(part))
    return {
        word: "definite" if votes[word, True] > votes[word, False] else "indefinite"
        for word, _ in sorted(votes)
    }
