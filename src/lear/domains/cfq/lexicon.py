"""The CFQ lexicon, induced from training rows alone.

Covers (`lear.lexicon.covers`) give units and their primitives. Units are alike if they occur in the
same context: the sentence with each unit replaced by its type. A unit joins a word class if it is
alike with enough members; classes that stay small join the one with the most similar neighbours.
In one context all relations of a class run in the same direction, so one member gives those of all;
narrower contexts, other words for a relation and the types that words name decide the rest.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example, Gazetteer
from lear.domains.cfq.algebra import CFQ_ALGEBRA, Attribute, Clause, Entity, Predicate
from lear.domains.cfq.queries import (
    TYPE,
    Query,
    Triple,
    inverse,
    is_entity,
    owner,
    read_query,
    undirected,
)
from lear.errors import DataError, named_row
from lear.lexicon.covers import CoverRow, induce_by_cover
from lear.lexicon.lexicon import BLANK, Lexicon, Unit

MIN_SHARE = 0.25
"""The share of a class that a unit must be alike with to belong to it."""
MIN_CLASS = 5
"""Classes of fewer units join a larger one, if there is any."""
WINDOWS = (3, 2)
"""Narrower contexts: so many neighbours on both sides, with the first word of the sentence."""

Sense = tuple[Unit, Primitive]
"""A unit with one of its primitives, regardless of direction."""
Context = tuple[str, ...]
"""The sentence around a unit: function words, types of other units, and "" for the unit itself."""
Votes = tuple[int, ...]
"""Agreement on direction, by kind of context, the widest first."""


class Use(NamedTuple):
    """One occurrence of a unit in one of its senses."""

    unit: Sense
    context: Context
    function_words: frozenset[str]
    """Function words of the sentence."""
    num_words: int
    """How many they are, repeated ones counted."""
    direction: int
    """1 or -1 for the two directions of a relation; 0 if it has none."""


class WordClass(NamedTuple):
    """Units that can replace one another, with the direction of each."""

    name: str
    """Its most frequent unit."""
    directions: dict[Sense, int]


def word_classes(uses: Iterable[Use], names_type: Callable[[Sense, int], bool]) -> list[WordClass]:
    """Return the classes, most frequent first.

    `names_type` tells whether a sense in a direction belongs to a type that the unit also names.
    """
    evidence = _Evidence(list(uses))
    classes: list[list[Sense]] = []
    for unit in evidence.units:
        own_class = next((members for members in classes if evidence.belongs(unit, members)), None)
        if own_class is None:
            classes.append([unit])
        else:
            own_class.append(unit)
    classes = evidence.without_small(classes)
    # Units whose own class is another one may belong to a class too.
    extended_classes = [
        [unit for unit in evidence.units if unit in members or evidence.belongs(unit, members)]
        for members in classes
    ]
    found = [
        (members, evidence.directions(members, extended))
        for members, extended in zip(classes, extended_classes, strict=True)
    ]
    anchors: Counter[Primitive] = Counter()
    for members, directions in found:
        turn = _direction_of_types({unit: directions[unit] for unit in members}, names_type)
        anchors.update({unit[1]: directions[unit] * turn for unit in members})
    turned = [
        (members[0], evidence.turned(members, directions, anchors)) for members, directions in found
    ]
    for _, directions in turned:
        anchors.update({sense[1]: direction for sense, direction in directions.items()})
    return [
        WordClass(
            " ".join(unit),
            {sense: d or _sign(anchors[sense[1]]) or 1 for sense, d in directions.items()},
        )
        for (unit, _), directions in turned
    ]


class _Evidence:
    """Contexts with the directions of the units in them, and which units are alike."""

    def __init__(self, uses: list[Use]) -> None:
        self.uses = uses
        counts = Counter(use.unit for use in uses)
        self.units = sorted(counts, key=lambda unit: (-counts[unit], unit))
        self.alike: dict[Sense, set[Sense]] = {unit: set() for unit in self.units}
        self.agreement = [_agreement(uses, lambda context: context)]
        for first, second in self.agreement[0]:
            self.alike[first].add(second)
        for size in WINDOWS:
            self.agreement.append(_agreement(uses, partial(_window, size)))

    def belongs(self, unit: Sense, members: list[Sense]) -> bool:
        """Return whether a unit is alike with enough members of a class."""
        return len(self.alike[unit].intersection(members)) >= MIN_SHARE * len(members)

    def without_small(self, classes: list[list[Sense]]) -> list[list[Sense]]:
        """Return the large classes; the small ones have joined them, the most similar first."""
        neighbours = self._neighbours()

        def pooled(members: list[Sense]) -> Counter[tuple[str, ...]]:
            return sum((neighbours[unit] for unit in members), Counter())

        large = [members for members in classes if len(members) >= MIN_CLASS]
        small = [members for members in classes if len(members) < MIN_CLASS]
        while small and large:
            similarity = {
                (one, other): _cosine(pooled(small[one]), pooled(large[other]))
                for one in range(len(small))
                for other in range(len(large))
            }
            one, other = max(similarity, key=lambda pair: similarity[pair])
            large[other] = [*large[other], *small.pop(one)]
        return large or small

    def _neighbours(self) -> dict[Sense, Counter[tuple[str, ...]]]:
        """Count what stands beside each unit, and the function word that governs it."""
        neighbours: dict[Sense, Counter[tuple[str, ...]]] = defaultdict(Counter)
        for use in self.uses:
            before, after = _sides(use.context)
            words = (word for word in reversed(before) if word in use.function_words)
            governor = next((word for word in words if "and" not in word and word != ","), "")
            found = neighbours[use.unit]
            found["governed by", governor] += 2
            for distance in (1, 2):
                found["after", *before[-distance:]] += 1
                found["before", *after[:distance]] += 1
        return neighbours

    def directions(self, members: list[Sense], extended: list[Sense]) -> dict[Sense, int]:
        """Return each unit's direction in an extended class, relative to the others; 0 if unknown.

        Units are decided one by one, members first, and clear votes before unclear ones. Only
        members vote: units of other classes do not speak for this one.
        """
        directions: dict[Sense, int] = {}
        undecided = list(extended)
        while undecided:
            voters = [unit for unit in directions if unit in members]
            votes = {unit: self._votes(unit, voters, directions) for unit in undecided}
            unit = max(
                undecided,
                key=lambda u: (u in members, *map(abs, votes[u]), -undecided.index(u)),
            )
            unvoted = int(self._is_compared(unit, members))
            directions[unit] = next((_sign(vote) for vote in votes[unit] if vote), unvoted)
            undecided.remove(unit)
        return directions

    def _is_compared(self, unit: Sense, others: list[Sense]) -> bool:
        """Return whether the direction of a unit is known relative to that of another one."""
        return any(agreement[unit, other] for agreement in self.agreement for other in others)

    def _votes(self, unit: Sense, voters: list[Sense], directions: Mapping[Sense, int]) -> Votes:
        """Count the votes of others for a direction, by kind of context."""
        return tuple(
            sum(agreement[unit, other] * directions[other] for other in voters)
            for agreement in self.agreement
        )

    def turned(
        self,
        members: list[Sense],
        directions: Mapping[Sense, int],
        anchors: Counter[Primitive],
    ) -> dict[Sense, int]:
        """Return the directions, all of them turned if the class as a whole runs the other way."""
        own = {unit: directions[unit] for unit in members}
        agreement = _sign(sum(anchors[unit[1]] * direction for unit, direction in own.items()))
        turn = agreement or self._plainest_direction(own)
        return {unit: direction * turn for unit, direction in directions.items()}

    def _plainest_direction(self, directions: Mapping[Sense, int]) -> int:
        """Return 1 if directions agree with the uses with the fewest function words, else -1."""
        by_num_words: Counter[int] = Counter()
        votes: Counter[tuple[Context, Sense]] = Counter()
        num_words: dict[Context, int] = {}
        for use in self.uses:
            if use.unit in directions:
                votes[use.context, use.unit] += use.direction
                num_words[use.context] = use.num_words
        for (context, unit), vote in votes.items():
            by_num_words[num_words[context]] += _sign(vote) * directions[unit]
        return next((_sign(total) for _, total in sorted(by_num_words.items()) if total), 1)


def _agreement(
    uses: Iterable[Use], narrowed: Callable[[Context], Context]
) -> Counter[tuple[Sense, Sense]]:
    """Return how often two units have the same direction in one context, less how often another."""
    votes_of: dict[Context, Counter[Sense]] = defaultdict(Counter)
    for use in uses:
        votes_of[narrowed(use.context)][use.unit] += use.direction
    agreement: Counter[tuple[Sense, Sense]] = Counter()
    for votes in votes_of.values():
        for first, one in votes.items():
            for second, other in votes.items():
                if first != second:
                    agreement[first, second] += _sign(one * other)
    return agreement


def _direction_of_types(
    directions: Mapping[Sense, int], names_type: Callable[[Sense, int], bool]
) -> int:
    """Return 1 if more of these directions belong to types than of their opposites, -1 if fewer."""
    return _sign(
        sum(
            names_type(sense, direction) - names_type(sense, -direction)
            for sense, direction in directions.items()
        )
    )


def _window(size: int, context: Context) -> Context:
    before, after = _sides(context)
    return (*context[:1], *before[-size:], "", *after[:size])


def _sides(context: Context) -> tuple[Context, Context]:
    """Return what stands before a unit and behind it."""
    place = context.index("")
    return context[:place], context[place + 1 :]


def _cosine(one: Counter[tuple[str, ...]], other: Counter[tuple[str, ...]]) -> float:
    product = sum(count * other[key] for key, count in one.items())
    norms = (math.sqrt(sum(count**2 for count in counts.values())) for counts in (one, other))
    return product / math.prod(norms)


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


IMPLIES = " => "
"""In the feature of a predicate: between its word class and the type that it implies."""
MAX_CLAIMS = 6
"""Primitives of a word of a multi-word unit: "film" is a part of five names of types."""
MAX_EXCEPTIONS = 0.05
"""Share of a unit's rows without its primitive: the query of "a film director that directed M0"
does not state the type."""

MAX_CHANCE = 1e-4
"""The largest chance that a cover is none: "were" in four rows, all of which happen to be about
people."""


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive, the same at every token."""
    del position
    match primitive.type:
        case "Name":
            return table.intern(Entity((primitive.symbol,)))
        case "Attribute":
            relation, _, name = primitive.symbol.partition(" ")
            if not (relation and name):  # a crafted file may say anything
                raise DataError(f"an attribute is a relation and a name, not {primitive.symbol!r}")
            return table.intern(
                Attribute((Clause((relation,), name),), primitive.feature, is_word=True)
            )
        case _:
            head_class, _, implied = primitive.feature.partition(IMPLIES)
            types = (implied,) if implied else ()
            return table.intern(Predicate((primitive.symbol,), head_class, implied=types))


def unknown(word: str) -> Sequence[Primitive]:
    """Return the primitives of an unknown word: itself for an entity, none for other words."""
    return (Primitive("Name", word),) if is_entity(word) else ()


def hint(word: str) -> str:
    """Return advice about a word that looks like the name of an entity, and is none."""
    is_like_one = word[:1] == "M" and word[1:].isdecimal()
    return "entities are named M0 to M9" if is_like_one else ""


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the lexicon of training rows: units with their primitives, and function words."""
    del gazetteer
    pairs = [(example.tokens, _read(example)) for example in examples]
    rows = [CoverRow(_words(tokens), frozenset(_primitives(query))) for tokens, query in pairs]
    covers = induce_by_cover(
        CFQ_ALGEBRA.name,
        rows,
        max_candidates=2,
        max_claims=MAX_CLAIMS,
        max_exceptions=MAX_EXCEPTIONS,
        max_chance=MAX_CHANCE,
    )
    counts = _names(pairs)
    meanings = [(unit, e.primitive, e.count) for unit, es in covers.units.items() for e in es]
    attributes, predicates = (
        [(unit, p) for unit, p, _ in meanings if p.type == kind]
        for kind in ("Attribute", "Predicate")
    )
    count_of = {(unit, primitive): count for unit, primitive, count in meanings}

    def names_type(sense: Sense, direction: int) -> bool:
        unit, primitive = sense
        relation = _directed(primitive.symbol, direction)
        return primitive.type == "Predicate" and bool(_implied_type(unit, relation, covers))

    attribute_classes = word_classes(_uses(pairs, covers, attributes), names_type)
    for word_class in attribute_classes:
        for unit, primitive in word_class.directions:
            named = Primitive(primitive.type, primitive.symbol, word_class.name)
            counts[unit, named] = count_of[unit, primitive]
    for word_class in word_classes(_uses(pairs, covers, predicates), names_type):
        name = _shared_name(word_class, attribute_classes)
        for (unit, primitive), direction in word_class.directions.items():
            relation = _directed(primitive.symbol, direction)
            implied = _implied_type(unit, relation, covers)
            feature = f"{name}{IMPLIES}{implied}" if implied else name
            named = Primitive(primitive.type, relation, feature)
            counts[unit, named] = count_of[unit, primitive]
    words = Counter(tokens[0] for tokens, _ in pairs)
    words.update(covers.function_words)
    return Lexicon.from_counts(CFQ_ALGEBRA.name, counts, words)


def _words(tokens: Sequence[str]) -> tuple[str, ...]:
    """Return the words of a question to induce entries for: without the first one and entities."""
    return tuple(BLANK if is_entity(token) else token for token in tokens[1:])


def _names(
    pairs: Iterable[tuple[tuple[str, ...], Query]],
) -> Counter[tuple[Unit, Primitive]]:
    """Return entries of entities, with the number of rows that name each one."""
    rows = Counter(token for tokens, _ in pairs for token in set(tokens) if is_entity(token))
    return Counter({((name,), Primitive("Name", name)): count for name, count in rows.items()})


def _shared_name(word_class: WordClass, others: Iterable[WordClass]) -> str:
    """Return the name of another class that shares a word, else its own.

    "actor" is the same noun as a type ("an actor") and as a relation ("actor of M0").
    """
    units = {unit for unit, _ in word_class.directions}
    for other in others:
        if units & {unit for unit, _ in other.directions}:
            return other.name
    return word_class.name


def _directed(relation: str, direction: int) -> str:
    return relation if direction == 1 else inverse(relation)


def _implied_type(unit: Unit, relation: str, lexicon: Lexicon) -> str:
    """Return the type of a relation, if the unit is also (the end of) a unit for that type.

    "editor" of M0 implies the type of "film editor"; "writer" does not imply "screenwriter".
    """
    type_primitive = Primitive("Attribute", f"{TYPE} {owner(relation)}")
    for other, entries in lexicon.units.items():
        if other[-len(unit) :] == unit and any(e.primitive == type_primitive for e in entries):
            return owner(relation)
    return ""


def _read(example: Example) -> Query:
    with named_row(example.source):
        return read_query(example.form)


def _primitives(query: Query) -> Iterator[Primitive]:
    for triple in query.triples:
        if _is_fact(triple):
            yield Primitive("Attribute", f"{triple.predicate} {triple.object}")
        else:
            yield Primitive("Predicate", undirected(triple.predicate))


def _is_fact(triple: Triple) -> bool:
    """Return whether a triple states a type, a gender or a nationality."""
    return triple.predicate == TYPE or triple.object.startswith("m_")


def _uses(
    pairs: Iterable[tuple[tuple[str, ...], Query]],
    lexicon: Lexicon,
    meanings: Iterable[tuple[Unit, Primitive]],
) -> Iterator[Use]:
    """Yield the uses of some units, where their primitive occurs once and in one direction."""
    by_unit: dict[Unit, list[Primitive]] = defaultdict(list)
    for unit, primitive in meanings:
        by_unit[unit].append(primitive)
    for tokens, query in pairs:
        segments = [(tokens[0],), *lexicon.segment(tokens[1:])]
        directions_of = _directions(query)
        times = Counter(p for segment in segments for p in by_unit.get(segment, ()))
        blanked = [
            "Name" if is_entity(segment[0]) else _kind(lexicon, segment) or segment[0]
            for segment in segments
        ]
        words = [mark for mark, (word, *_) in zip(blanked, segments, strict=True) if mark == word]
        for place, segment in enumerate(segments):
            for primitive in by_unit.get(segment, ()):
                directions = directions_of.get(primitive.symbol, set())
                if times[primitive] == 1 and len(directions) == 1:
                    (direction,) = directions
                    context = (*blanked[:place], "", *blanked[place + 1 :])
                    yield Use(
                        (segment, primitive), context, frozenset(words), len(words), direction
                    )


def _kind(lexicon: Lexicon, unit: Unit) -> str:
    """Return the types of a unit's primitives; empty for function words."""
    return "|".join(sorted({entry.primitive.type for entry in lexicon.units.get(unit, ())}))


def _directions(query: Query) -> dict[str, set[int]]:
    """Relation or fact of a query -> the directions that it occurs in; facts have direction 0."""
    directions: dict[str, set[int]] = defaultdict(set)
    for triple in query.triples:
        _, predicate, value = triple
        if _is_fact(triple):
            directions[f"{predicate} {value}"].add(0)
        else:
            name = undirected(predicate)
            is_symmetric = inverse(predicate) == predicate
            directions[name].add(0 if is_symmetric else 1 if predicate == name else -1)
    return directions
