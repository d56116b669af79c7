"""The GEO lexicon, induced from training rows and a gazetteer; no entry is written by hand.

The targets of a row are the functions and names in its program. Names are matched with their own
words in the question (`lear.domains.geo.name_lexicon`). All other targets, such as functions or
`usa` for "the country", are aligned with words by EM (`lear.induction.alignment`). Words that emit
nothing are function words; many words are both.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Sequence
from functools import cache

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import BLANK, Lexicon, Primitive, Unit, pool_rare_words, segment
from lear.core.stems import stem
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.algebra import GEO_ALGEBRA, Entity, Negation, Predicate
from lear.domains.geo.function_families import FAMILIES, OF_SIZE, SUPERLATIVES, family_name
from lear.domains.geo.function_types import FUNCTIONS, INVERSES, SUPERLATIVES_OF_COUNT
from lear.domains.geo.name_lexicon import find_names, stands_in, targets_of
from lear.domains.geo.type_check import entity_kinds, signature
from lear.grammar.unseen_words import is_superlative
from lear.induction.alignment import Alignment, AlignmentSettings, align, align_all, companions
from lear.induction.alignment_lattice import NOTHING, Emission, Pair

MIN_COUNT = 0.2
"""Expected emissions of a target for it to become a primitive of a unit."""
MIN_SHARE = 0.005
"""The same, as a share of the unit's uses."""
MIN_SILENT_SHARE = 0.05
"""The same for function words: what seldom stands for nothing is not dropped, unless there is no
other derivation."""
MIN_ONE_WAY_COUNT = 5
"""A unit with a relation of this count does not get the inverse relation too; unless both have the
same type, so that the inverse adds no derivations."""
HAVING = (("have",), ("has",))
"""Who has something is asked for, and what they have: "rivers that Texas has"."""
MIN_SIBLING_SHARE = 0.5
"""Share of a unit's emissions that are superlatives of one family, for it to be one of them all."""
MIN_WORD_COUNT = 2
"""Occurrences of a function word; rarer ones are treated as UNKNOWN."""
EXTRA_WORD = 0.5
"""`AlignmentSettings.extra_word`. "Population density" is rather one unit than that "population",
which elsewhere stands for something, stands for nothing in it."""
NAME_OF_FUNCTION = ""
"""In place of a form of a word: the name that a function has."""
FORMS_WEIGHT = 2.0
"""How many uses of a word its other forms count for, at most."""
SETTINGS = tuple(AlignmentSettings(min_share=s, extra_word=EXTRA_WORD) for s in (0.01, 0.002))
"""Of the two alignments that are merged."""
NEGATIONS = frozenset(("no", "not", "never", "without", "except"))
"""The closed class of negating words, for training rows without any."""
SHORT_NAMES = {"len": "length"}
"""Names of functions that are no words -> the words that they are short for."""
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


def unknown(word: str) -> Sequence[Primitive]:
    """The functions whose own name a word is a form of: "traverses" is `traverse_1` or its inverse.

    The names of functions are English, and say what the functions mean. Negation is a closed class:
    its words are not learned one by one.
    """
    if word in NEGATIONS:
        return (_primitive("exclude"),)
    return _functions_by_stem().get(stem(word), ())


@cache
def _functions_by_stem() -> dict[str, list[Primitive]]:
    by_stem: dict[str, list[Primitive]] = {}
    for function in (*FUNCTIONS, "exclude"):
        name = function.removesuffix("_1").removesuffix("_2").removesuffix("_one")
        name = SHORT_NAMES.get(name, name)
        if "_" not in name:
            by_stem.setdefault(stem(name), []).append(_primitive(function))
    return by_stem


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
    by_family = [Pair(tokens, tuple(map(family_name, targets))) for tokens, targets in pairs]
    by_forms = _forms_bonus(align(by_family, SETTINGS[0]))
    alignment = _with_members(align_all(by_family, SETTINGS, by_forms), pairs)
    counts, words = _entries(alignment)
    _add_own_names(counts, words, {token for pair in pairs for token in pair.tokens})
    counts.update(names)
    _add_companions(counts, by_family)
    _add_siblings(counts)
    _add_inverses(counts)
    content_words = {word for unit, _ in counts for word in unit}
    pooled = pool_rare_words(words, content_words, MIN_WORD_COUNT)
    return Lexicon.from_counts(GEO_ALGEBRA.name, counts, pooled)


def _forms_bonus(alignment: Alignment) -> dict[Emission, float]:
    """What speaks for each emission of a word: that other forms of it emit the same.

    A form that training has once would be aligned with whatever its row leaves over.
    """
    by_stem: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for (unit, target), count in alignment.counts.items():
        if len(unit) == 1 and unit != (BLANK,):
            by_stem[stem(unit[0])].append((unit[0], target, count))
    for name_stem, functions in _functions_by_stem().items():  # a name is as good as a form
        named = {family_name(function.symbol) for function in functions}
        by_stem[name_stem] += [(NAME_OF_FUNCTION, target, 1.0) for target in sorted(named)]
    bonus: dict[Emission, float] = defaultdict(float)
    for uses in by_stem.values():
        for word in {word for word, _, _ in uses}:
            others = [(target, count) for form, target, count in uses if form != word]
            total = sum(count for _, count in others) or 1.0
            for target, count in others:
                bonus[(word,), target] += FORMS_WEIGHT * count / total
    return bonus


def _with_members(alignment: Alignment, pairs: Sequence[Pair]) -> Alignment:
    """An alignment with families as one with their members, as the rows of each unit show them."""
    counts: dict[Emission, float] = {}
    shown = _members_shown(alignment, pairs)
    for (unit, target), count in alignment.counts.items():
        members = FAMILIES.get(target, (target,))
        weights = [shown[unit, member] for member in members] if len(members) > 1 else [1.0]
        total = sum(weights)
        for member, weight in zip(members, weights, strict=True):
            if weight:
                counts[unit, member] = count * weight / total
    return alignment._replace(counts=counts)


def _members_shown(alignment: Alignment, pairs: Sequence[Pair]) -> dict[Emission, float]:
    """How many rows of a unit have a function; rows with several of its family count in parts."""
    units = {unit for unit, target in alignment.counts if target in FAMILIES}
    longest = max(map(len, units), default=1)
    shown: dict[Emission, float] = defaultdict(float)
    for tokens, targets in pairs:
        in_family = Counter(map(family_name, targets))
        runs = {
            tokens[begin : begin + size]
            for size in range(1, longest + 1)
            for begin in range(len(tokens) - size + 1)
        }
        for unit in runs & units:
            for target in targets:
                shown[unit, target] += 1 / in_family[family_name(target)]
    return shown


def _entries(alignment: Alignment) -> tuple[Counts, Counter[str]]:
    """Units with their primitives, and function words, as an alignment counts them."""
    uses = alignment.uses()
    counts: Counts = Counter()
    words: Counter[str] = Counter()
    for (unit, target), count in alignment.counts.items():
        min_share = MIN_SILENT_SHARE if target == NOTHING else MIN_SHARE
        if count < max(MIN_COUNT, min_share * uses[unit]):
            continue
        rounded = max(1, round(count))
        # Intersection and union are operations of the algebra, so their words are function words.
        if target not in (NOTHING, "intersection", "union"):
            counts[unit, _primitive(target)] += rounded
        elif len(unit) == 1 and unit != (BLANK,):
            words[unit[0]] += rounded
    return counts, words


def _add_own_names(counts: Counts, words: Counter[str], training_words: Collection[str]) -> None:
    """Let training words stand for functions of their own name, whatever rows show them for.

    Questions about the highest elevation are about a place, but an elevation is a number. And what
    negates, or is a superlative, is never dropped as if it said nothing.
    """
    for word in sorted(training_words):
        for primitive in unknown(word):
            if not counts[(word,), primitive]:
                counts[(word,), primitive] = 1
    read = {unit for unit, _ in counts}
    for word in list(words):
        if word in NEGATIONS or (is_superlative(word) and (word,) in read):
            del words[word]


def _primitive(target: str) -> Primitive:
    if target == "exclude":
        return Primitive("Negation", target)
    return Primitive("Predicate" if target in FUNCTIONS else "Entity", target)


def _add_companions(counts: Counts, pairs: Sequence[Pair]) -> None:
    """Add a primitive to words without one that nearly always occur with the same function."""
    units = {unit for unit, _ in counts}
    for word, target in companions(pairs):
        if (word,) not in units and target in FUNCTIONS:
            counts[(word,), _primitive(target)] += 1


def _add_siblings(counts: Counts) -> None:
    """Let superlatives stand for all functions of their family: types say which one is meant."""
    of_unit: dict[Unit, Counter[str]] = defaultdict(Counter)
    for (unit, primitive), count in counts.items():
        of_unit[unit][primitive.symbol] += count
    for unit, symbols in of_unit.items():
        for family in SUPERLATIVES:
            if sum(symbols[member] for member in family) < MIN_SIBLING_SHARE * symbols.total():
                continue
            # Types allow superlatives of counts nearly everywhere, so there words must decide:
            # no adjective of size is one.
            is_of_size = any(symbols[member] for member in family if member in OF_SIZE)
            for member in family:
                if not symbols[member] and not (is_of_size and member in SUPERLATIVES_OF_COUNT):
                    counts[unit, _primitive(member)] = 1


def _add_inverses(counts: Counts) -> None:
    """Add inverses of relations: word order, more than words, says which argument is asked for."""
    for (unit, primitive), count in list(counts.items()):
        inverse = INVERSES.get(primitive.symbol)
        if inverse is None:
            continue
        is_free = signature((inverse,)).results == signature((primitive.symbol,)).results
        if is_free or count < MIN_ONE_WAY_COUNT or unit in HAVING:
            counts[unit, _primitive(inverse)] += 1
