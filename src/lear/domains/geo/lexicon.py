"""The GEO lexicon, induced from training rows and a gazetteer; no entry is written by hand.

The targets of a row are the functions and names in its program. Names are matched with their own
words in the question (`lear.domains.geo.name_lexicon`). All other targets, such as functions or
`usa` for "the country", are aligned with words by EM (`lear.induction.alignment`). Words that emit
nothing are function words; many words are both.
"""

from collections import Counter
from collections.abc import Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import BLANK, UNKNOWN, Lexicon, Primitive, Unit, segment
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.algebra import GEO_ALGEBRA, Entity, Negation, Predicate
from lear.domains.geo.function_types import FUNCTIONS, INVERSES
from lear.domains.geo.name_lexicon import find_names, stands_in, targets_of
from lear.domains.geo.type_check import entity_kinds, signature
from lear.induction.alignment import Alignment, align_with_shares, companions
from lear.induction.alignment_lattice import NOTHING, Pair

ALIGNMENT_MIN_SHARES = (0.01, 0.002)
"""`AlignmentSettings.min_share` of the two alignments that are merged."""
MIN_COUNT = 0.2
"""Expected emissions of a target for it to become a primitive of a unit."""
MIN_SHARE = 0.005
"""The same, as a share of the unit's uses."""
MIN_ONE_WAY_COUNT = 5
"""A unit with a relation of this count does not get the inverse relation too; unless both have the
same type, so that the inverse adds no derivations."""
MIN_WORD_COUNT = 2
"""Occurrences of a function word; rarer ones are treated as UNKNOWN."""
Counts = Counter[tuple[Unit, Primitive]]


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    match primitive.type:
        case "Entity":
            return table.intern(Entity(primitive.symbol, primitive.feature, is_unit=True))
        case "Negation":
            return table.intern(Negation(primitive.symbol))
        case _:
            return table.intern(Predicate((primitive.symbol,)))


def alike(primitive: Primitive) -> Primitive:
    """One representative for all names of a sort; other primitives represent themselves."""
    if primitive.type != "Entity":
        return primitive
    sorts = {kind.sort for kind in entity_kinds(primitive.symbol)}
    return Primitive("Entity", sorts.pop() if len(sorts) == 1 else "name")


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows and gazetteer: units with primitives, and function words."""
    targets = [targets_of(example) for example in examples]
    names = find_names(examples, targets, gazetteer)
    name_units = {unit for unit, _ in names}
    longest = max(map(len, name_units), default=1)
    pairs = []
    for example, targets_in_row in zip(examples, targets, strict=True):
        tokens: list[str] = []
        for unit in segment(example.tokens, name_units, longest):
            tokens += [BLANK if unit in name_units else token for token in unit]
        unmatched = tuple(target for target in targets_in_row if not stands_in(example, target))
        pairs.append(Pair(tuple(tokens), unmatched))
    counts, words = _entries(align_with_shares(pairs, ALIGNMENT_MIN_SHARES))
    counts.update(names)
    _add_companions(counts, pairs)
    _add_inverses(counts)
    return Lexicon.from_counts(GEO_ALGEBRA.name, counts, _pool(words, counts))


def _entries(alignment: Alignment) -> tuple[Counts, Counter[str]]:
    """Units with their primitives, and function words, as an alignment counts them."""
    uses = alignment.uses()
    counts: Counts = Counter()
    words: Counter[str] = Counter()
    for (unit, target), count in alignment.counts.items():
        if count < max(MIN_COUNT, MIN_SHARE * uses[unit]):
            continue
        rounded = max(1, round(count))
        # Intersection and union are operations of the algebra, so their words are function words.
        if target not in (NOTHING, "intersection", "union"):
            counts[unit, _primitive(target)] += rounded
        elif len(unit) == 1 and unit != (BLANK,):
            words[unit[0]] += rounded
    return counts, words


def _primitive(target: str) -> Primitive:
    if target == "exclude":
        return Primitive("Negation", target)
    return Primitive("Predicate" if target in FUNCTIONS else "Entity", target)


def _add_companions(counts: Counts, pairs: Sequence[Pair]) -> None:
    """Add a primitive to words without one that nearly always occur with the same function."""
    undirected = [
        Pair(pair.tokens, tuple(min(t, INVERSES.get(t, t)) for t in pair.targets)) for pair in pairs
    ]
    units = {unit for unit, _ in counts}
    for word, target in companions(undirected):
        if (word,) not in units and target in FUNCTIONS:
            counts[(word,), _primitive(target)] += 1


def _add_inverses(counts: Counts) -> None:
    """Add inverses of relations: word order, more than words, says which argument is asked for."""
    for (unit, primitive), count in list(counts.items()):
        inverse = INVERSES.get(primitive.symbol)
        if inverse is None:
            continue
        is_free = signature((inverse,)) == signature((primitive.symbol,))
        if is_free or count < MIN_ONE_WAY_COUNT:
            counts[unit, _primitive(inverse)] += 1


def _pool(words: Counter[str], counts: Counts) -> Counter[str]:
    """Function words, with all rare ones counted as UNKNOWN: they show how unknown words behave."""
    content_words = {word for unit, _ in counts for word in unit}
    pooled: Counter[str] = Counter()
    for word, count in words.items():
        is_rare = count < MIN_WORD_COUNT and word not in content_words
        pooled[UNKNOWN if is_rare else word] += count
    return pooled
