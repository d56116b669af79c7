"""The CFQ lexicon, induced from training rows alone.

Covers (`lear.induction.cover_lexicon`) give units and their primitives; a relation and its inverse
count as one. Word classes give each unit a class, and its relation a direction. The first word of
a question is a function word, and an entity stands for itself.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import BLANK, Lexicon, Primitive, Unit
from lear.domain.example import Example, Gazetteer
from lear.domains.cfq.algebra import CFQ_ALGEBRA, Attribute, Clause, Entity, Predicate
from lear.domains.cfq.query_text import TYPE, Query, Triple, is_entity, read_query
from lear.domains.cfq.schema import inverse, owner, undirected
from lear.domains.cfq.word_class_induction import Sense, Use, WordClass, word_classes
from lear.errors import DataError, FormError
from lear.induction.cover_lexicon import CoverRow, induce_by_cover

IMPLIES = " => "
"""In the feature of a predicate: between its word class and the type that it implies."""
MAX_CLAIMS = 6
"""Primitives of a word of a multi-word unit: "film" is a part of five names of types."""
MAX_EXCEPTIONS = 0.05
"""Share of a unit's rows without its primitive: the query of "a film director that directed M0"
does not state the type."""

MAX_CHANCE = 1e-4
"""Of a cover that is none: "were" in four rows, all of which happen to be about people."""


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
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
    """The primitives of an unknown word: an entity stands for itself, other words have none."""
    return (Primitive("Name", word),) if is_entity(word) else ()


def hint(word: str) -> str:
    """What to tell about a word that looks like the name of an entity, and is none."""
    is_like_one = word[:1] == "M" and word[1:].isdecimal()
    return "entities are named M0 to M9" if is_like_one else ""


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows: units with their primitives, and function words."""
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
    """The words of a question to induce entries for: without the first one and entities."""
    return tuple(BLANK if is_entity(token) else token for token in tokens[1:])


def _names(
    pairs: Iterable[tuple[tuple[str, ...], Query]],
) -> Counter[tuple[Unit, Primitive]]:
    """Entries of entities, with the number of rows that name each one."""
    rows = Counter(token for tokens, _ in pairs for token in set(tokens) if is_entity(token))
    return Counter({((name,), Primitive("Name", name)): count for name, count in rows.items()})


def _shared_name(word_class: WordClass, others: Iterable[WordClass]) -> str:
    """The name of another class that shares a word, else its own.

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
    """The type that a relation belongs to, if the unit is also (the end of) a unit for that type.

    "editor" of M0 implies the type of "film editor"; "writer" does not imply "screenwriter".
    """
    type_primitive = Primitive("Attribute", f"{TYPE} {owner(relation)}")
    for other, entries in lexicon.units.items():
        if other[-len(unit) :] == unit and any(e.primitive == type_primitive for e in entries):
            return owner(relation)
    return ""


def _read(example: Example) -> Query:
    try:
        return read_query(example.form)
    except FormError as error:
        raise FormError(f"{example.source}: {error}") from None


def _primitives(query: Query) -> Iterator[Primitive]:
    for triple in query.triples:
        if _is_fact(triple):
            yield Primitive("Attribute", f"{triple.predicate} {triple.object}")
        else:
            yield Primitive("Predicate", undirected(triple.predicate))


def _is_fact(triple: Triple) -> bool:
    """Whether a triple states a type, a gender or a nationality."""
    return triple.predicate == TYPE or triple.object.startswith("m_")


def _uses(
    pairs: Iterable[tuple[tuple[str, ...], Query]],
    lexicon: Lexicon,
    meanings: Iterable[tuple[Unit, Primitive]],
) -> Iterator[Use]:
    """The uses of some units, where their primitive occurs once and in one direction."""
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
    """The types of a unit's primitives; empty for function words."""
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
