"""GEO's lexicon, induced from training pairs and lists of names; nothing is written by hand.

Names are found where their own words stand in the question (`lear.domains.geo.name_lexicon`). All
other symbols of a program, the functions and what has no name of its own ("usa" for "the
country"), are aligned with words by EM (`lear.induction.alignment`). Words that mostly stand for
nothing are function words; many are both.
"""

from collections import Counter
from collections.abc import Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import BLANK, UNKNOWN, Lexicon, Primitive, Unit, segment
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.algebra import GEO_ALGEBRA, Entity, Negation, Predicate
from lear.domains.geo.functions import FUNCTIONS, INVERSES
from lear.domains.geo.name_lexicon import find_names, stands_in, symbols_of
from lear.domains.geo.type_check import entity_kinds, signature
from lear.induction.alignment import Alignment, align_often, companions
from lear.induction.alignment_lattice import NOTHING, Pair

LOOKS = (0.01, 0.002)
"""From which share of a unit's occurrences on a symbol is considered, in each of two alignments."""
MIN_COUNT = 0.2
"""How many emissions must be expected of a unit for a primitive to be one of its candidates."""
MIN_SHARE = 0.005
"""Which part of its occurrences that must be."""
MIN_ONE_WAY_COUNT = 5
"""A relation that a unit stands for so often is meant as it is, not also the other way round;
unless both take and give the same, so that this makes no more derivations."""
MIN_WORD_COUNT = 2
"""How often training must show a function word for it to be told from words never seen."""
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
    """Names of one sort are one to a model."""
    if primitive.type != "Entity":
        return primitive
    sorts = {kind.sort for kind in entity_kinds(primitive.symbol)}
    return Primitive("Entity", sorts.pop() if len(sorts) == 1 else "name")


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Units and function words of the training rows, and names of the gazetteer."""
    symbols = [symbols_of(example) for example in examples]
    names = find_names(examples, symbols, gazetteer)
    named = {unit for unit, _ in names}
    longest = max(map(len, named), default=1)
    pairs = []
    for example, of_row in zip(examples, symbols, strict=True):
        tokens: list[str] = []
        for unit in segment(example.tokens, named, longest):
            tokens += [BLANK if unit in named else token for token in unit]
        unnamed = tuple(symbol for symbol in of_row if not stands_in(example, symbol))
        pairs.append(Pair(tuple(tokens), unnamed))
    counts, words = _read_off(align_often(pairs, LOOKS))
    counts.update(names)
    _add_companions(counts, pairs)
    _add_inverses(counts)
    return Lexicon.from_counts(GEO_ALGEBRA.name, counts, _pool(words, counts))


def _read_off(alignment: Alignment) -> tuple[Counts, Counter[str]]:
    """Units with their primitives, and function words."""
    uses = alignment.uses()
    counts: Counts = Counter()
    words: Counter[str] = Counter()
    for (unit, symbol), count in alignment.counts.items():
        if count < max(MIN_COUNT, MIN_SHARE * uses[unit]):
            continue
        rounded = max(1, round(count))
        if symbol not in (NOTHING, "intersection", "union"):
            counts[unit, _primitive(symbol)] += rounded
        elif len(unit) == 1 and unit != (BLANK,):  # where two sets meet no word need stand
            words[unit[0]] += rounded
    return counts, words


def _primitive(symbol: str) -> Primitive:
    if symbol == "exclude":
        return Primitive("Negation", symbol)
    return Primitive("Predicate" if symbol in FUNCTIONS else "Entity", symbol)


def _add_companions(counts: Counts, pairs: Sequence[Pair]) -> None:
    """Let words that stand for nothing yet stand for what they hardly ever are without."""
    # Whichever way a relation goes.
    merged = [
        Pair(pair.tokens, tuple(min(s, INVERSES.get(s, s)) for s in pair.targets)) for pair in pairs
    ]
    contents = {unit for unit, _ in counts}
    for word, symbol in companions(merged):
        if (word,) not in contents and symbol in FUNCTIONS:
            counts[(word,), _primitive(symbol)] += 1


def _add_inverses(counts: Counts) -> None:
    """Which argument of a relation is asked for is a matter of place more than of words."""
    for (unit, primitive), count in list(counts.items()):
        inverse = INVERSES.get(primitive.symbol)
        if inverse is None:
            continue
        is_free = signature((inverse,)) == signature((primitive.symbol,))
        if is_free or count < MIN_ONE_WAY_COUNT:
            counts[unit, _primitive(inverse)] += 1


def _pool(words: Counter[str], counts: Counts) -> Counter[str]:
    """Function words, with the rare ones as one: what they teach is about words never seen."""
    contents = {word for unit, _ in counts for word in unit}
    pooled: Counter[str] = Counter()
    for word, count in words.items():
        is_rare = count < MIN_WORD_COUNT and word not in contents
        pooled[UNKNOWN if is_rare else word] += count
    return pooled
