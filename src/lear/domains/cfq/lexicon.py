"""The CFQ lexicon, induced from training pairs alone.

Covers (`lear.induction`) give the units and what each stands for, a relation and its inverse being
one; word classes give each unit a class, and its relation a direction. The first word of a
question asks and names nothing, and an entity is written as itself.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from lear.algebra import Meaning, MeaningTable
from lear.domain import Example
from lear.domains.cfq.algebra import CFQ_ALGEBRA, Attribute, Clause, Entity, Predicate
from lear.domains.cfq.query import MOST_ENTITIES, TYPE, Query, read_query
from lear.domains.cfq.schema import inverse, owner, undirected
from lear.domains.cfq.word_classes import Use, word_classes
from lear.errors import FormError
from lear.induction import Row, induce_by_cover
from lear.lexicon import Lexicon, Primitive, Unit

IMPLIES = " => "
"""Between the class of a noun and the type that goes without saying beside it."""
MOST_CLAIMS = 6
"""The word "film" is a part of five names of types."""
MOST_EXCEPTIONS = 0.05
"""A "film director that directed M0" is not said to be a film director in the query."""
_NAME = re.compile(r"M[0-9]+")


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    match primitive.type:
        case "Name":
            return table.intern(Entity((primitive.symbol,)))
        case "Attribute":
            relation, name = primitive.symbol.split()
            return table.intern(
                Attribute((Clause((relation,), name),), primitive.feature, is_word=True)
            )
        case _:
            form, _, implied = primitive.feature.partition(IMPLIES)
            types = (implied,) if implied else ()
            return table.intern(Predicate((primitive.symbol,), form, implied=types))


def unknown(word: str) -> Sequence[Primitive]:
    """An entity is itself; other words that were never seen stand for nothing."""
    is_entity = _NAME.fullmatch(word) and int(word[1:]) < MOST_ENTITIES
    return (Primitive("Name", word),) if is_entity else ()


def induce(examples: Iterable[Example]) -> Lexicon:
    """Units with their primitives, and function words, of the training rows."""
    pairs = [(example.tokens, _read(example)) for example in examples]
    rows = [Row(tokens[1:], frozenset(_primitives(query))) for tokens, query in pairs]
    covers = induce_by_cover(
        CFQ_ALGEBRA.name,
        rows,
        max_candidates=2,
        max_claims=MOST_CLAIMS,
        max_exceptions=MOST_EXCEPTIONS,
    )

    features: dict[tuple[Unit, Primitive], list[Primitive]] = defaultdict(list)
    attributes, predicates = (_of_type(covers, kind) for kind in ("Attribute", "Predicate"))
    attribute_classes = word_classes(_uses(pairs, covers, attributes))
    for word_class in attribute_classes:
        for unit in word_class.directions:
            primitive = attributes[unit]
            named = Primitive(primitive.type, primitive.symbol, word_class.name)
            features[unit, primitive].append(named)
    for word_class in word_classes(_uses(pairs, covers, predicates)):
        # Classes that share words are one: "actor" is a noun, with a film behind it or without.
        name = next(
            (c.name for c in attribute_classes if c.directions.keys() & word_class.directions),
            word_class.name,
        )
        for unit, direction in word_class.directions.items():
            primitive = predicates[unit]
            symbol = primitive.symbol if direction == 1 else inverse(primitive.symbol)
            implied = _implied_type(unit, symbol, covers)
            feature = f"{name}{IMPLIES}{implied}" if implied else name
            features[unit, primitive].append(Primitive(primitive.type, symbol, feature))

    counts: Counter[tuple[Unit, Primitive]] = Counter()
    for unit, entries in covers.units.items():
        for entry in entries:
            for primitive in features[unit, entry.primitive]:
                counts[unit, primitive] = entry.count
    words = Counter(tokens[0] for tokens, _ in pairs)
    for word, count in covers.function_words.items():
        if _NAME.fullmatch(word):
            counts[(word,), Primitive("Name", word)] = count
        else:
            words[word] += count
    return Lexicon.from_counts(CFQ_ALGEBRA.name, counts, words)


def _implied_type(unit: Unit, relation: str, lexicon: Lexicon) -> str:
    """The type of whoever has a relation, where the word for both is the same.

    An "editor" of M0 is a "film editor"; a "writer" is a "screenwriter", which is another word.
    """
    of_type = Primitive("Attribute", f"{TYPE} {owner(relation)}")
    for other, entries in lexicon.units.items():
        if other[-len(unit) :] == unit and any(e.primitive == of_type for e in entries):
            return owner(relation)
    return ""


def _of_type(lexicon: Lexicon, kind: str) -> dict[Unit, Primitive]:
    """The units that can stand for something of a type, and for what."""
    return {
        unit: entry.primitive
        for unit, entries in lexicon.units.items()
        for entry in entries
        if entry.primitive.type == kind
    }


def _read(example: Example) -> Query:
    try:
        return read_query(example.form)
    except FormError as error:
        raise FormError(f"{example.source}: {error}") from None


def _primitives(query: Query) -> Iterator[Primitive]:
    for _, predicate, value in query.triples:
        if predicate == TYPE or value.startswith("m_"):
            yield Primitive("Attribute", f"{predicate} {value}")
        else:
            yield Primitive("Predicate", undirected(predicate))


def _uses(
    pairs: Iterable[tuple[tuple[str, ...], Query]],
    lexicon: Lexicon,
    symbols: dict[Unit, Primitive],
) -> Iterator[Use]:
    """The occurrences of units of one kind, where it is clear what their relation does."""
    for tokens, query in pairs:
        segments = [(tokens[0],), *lexicon.segment(tokens[1:])]
        found = _directions(query)
        times = Counter(symbols[segment].symbol for segment in segments if segment in symbols)
        blanked = [
            "Name" if _NAME.fullmatch(segment[0]) else _kind(lexicon, segment) or segment[0]
            for segment in segments
        ]
        num_words = sum(mark == segment[0] for mark, segment in zip(blanked, segments, strict=True))
        for place, segment in enumerate(segments):
            if segment in symbols:
                symbol = symbols[segment].symbol
                directions = found.get(symbol, set())
                if times[symbol] == 1 and len(directions) == 1:
                    (direction,) = directions
                    context = (*blanked[:place], "", *blanked[place + 1 :])
                    yield Use(segment, context, num_words, direction)


def _kind(lexicon: Lexicon, unit: Unit) -> str:
    """The types that a unit can have; empty for function words."""
    return "|".join(sorted({entry.primitive.type for entry in lexicon.units.get(unit, ())}))


def _directions(query: Query) -> dict[str, set[int]]:
    """Relations and facts of a query -> the directions that they occur in."""
    found: dict[str, set[int]] = defaultdict(set)
    for _, predicate, value in query.triples:
        if predicate == TYPE or value.startswith("m_"):
            found[f"{predicate} {value}"].add(0)
        else:
            name = undirected(predicate)
            is_symmetric = inverse(predicate) == predicate
            found[name].add(0 if is_symmetric else 1 if predicate == name else -1)
    return found
