"""The GEO lexicon, induced from training rows and a gazetteer; no entry is written by hand.

The targets of a row are the functions and names in its program. Names are matched with their own
words in the question; all other targets are aligned with words by EM (`lear.lexicon.alignment`),
as families of functions that types tell apart: "largest" is `largest` of cities and `longest` of
rivers. Words that training lacks are read by what WordNet relates them to (`scripts/wordnet.py`).
"""

import csv
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example, Gazetteer
from lear.domains.geo.algebra import GEO_ALGEBRA, Entity, Negation, Predicate
from lear.domains.geo.functions import (
    FUNCTIONS,
    INVERSES,
    SUPERLATIVES_OF_COUNT,
    Chain,
    Fork,
    chain_of,
    entity_kinds,
    lower_most,
    open_all,
    read_program,
    signature,
)
from lear.domains.geo.words import everyday_words, parts_of_name, sort_of_name, words_of_name
from lear.errors import named_row
from lear.grammar.unknown_words import is_comparative, is_superlative
from lear.lexicon.alignment import (
    NOTHING,
    Alignment,
    AlignmentSettings,
    Emission,
    Pair,
    align,
    align_all,
    companions,
)
from lear.lexicon.lexicon import BLANK, Lexicon, Unit, pool_rare_words, segment
from lear.lexicon.stems import stem
from lear.storage.datasets import numbered_lines

_GREATEST = ("largest", "largest_one", "longest", "highest")
_LEAST = ("smallest", "smallest_one", "shortest", "lowest")
_CAPITAL = ("capital", "capital_1", "capital_2")
# "Where is X?" is `loc_1(X)`: place, unlike other relations, is asked for by words of its own.
_DIRECTED = ("loc_1", "loc_2")
SUPERLATIVES = (("most", *_GREATEST), ("fewest", *_LEAST))
"""What a superlative word can stand for: its family, and the superlative of counts. Words for that
("most", "least") are aligned by themselves, since types allow it beside others."""

OF_SIZE = frozenset(("largest", "longest", "highest", "smallest", "shortest", "lowest"))
"""The superlatives of things by their own size, not by a count or a property that is named."""


def _families() -> dict[str, tuple[str, ...]]:
    pairs = (
        tuple(sorted((name, inverse)))
        for name, inverse in INVERSES.items()
        if name not in (*_DIRECTED, *_CAPITAL)
    )
    families = (_GREATEST, _LEAST, _CAPITAL, *pairs)
    return {member: family for family in families for member in family}


FAMILIES: Mapping[str, tuple[str, ...]] = _families()
"""Function -> all functions of its family; functions of no family are not listed."""


def family_name(target: str) -> str:
    """Return one name for all functions of a family; other targets are their own."""
    return FAMILIES.get(target, (target,))[0]


ENGLISH_WORDS: frozenset[Unit] = frozenset({("in",), ("or",), ("me",)})
"""Abbreviations that are mostly words; they are states only where training shows them to be."""
MIN_NAME_SHARE = 0.5
"""Share of the occurrences of a gazetteer name in questions where the program has the name."""


def targets_of(example: Example) -> tuple[str, ...]:
    """Return the functions, set operations and names of a row's program before finishing."""
    with named_row(example.source):
        chain = chain_of(read_program(example.form))
    return tuple(_targets(lower_most(open_all(chain))))


def _targets(chain: Chain) -> Iterator[str]:
    yield from chain.functions
    match chain.end:
        case str():
            yield from parts_of_name(chain.end)
        case Fork(operation, left, right):
            yield operation
            yield from _targets(left)
            yield from _targets(right)


def stands_in(example: Example, target: str) -> bool:
    """Return whether a target is a name whose words are in the question."""
    name = words_of_name(target)
    starts = range(len(example.tokens) - len(name) + 1)
    return bool(name) and any(example.tokens[b : b + len(name)] == name for b in starts)


def find_names(
    rows: Sequence[Example], targets: Sequence[Sequence[str]], gazetteer: Gazetteer
) -> Counter[tuple[Unit, Primitive]]:
    """Return entries of names with their counts; a state has its abbreviation as feature.

    Args:
        rows: The training rows.
        targets: The targets of each row.
        gazetteer: The listed names.
    """
    abbreviations = {
        thing.form: thing.tokens[0]
        for thing in gazetteer
        if thing.form.startswith("stateid") and len(" ".join(thing.tokens)) == 2
    }
    listed: dict[Unit, set[str]] = {}
    for thing in gazetteer:
        listed.setdefault(thing.tokens, set()).add(thing.form)
    counts: Counter[tuple[Unit, str]] = Counter(
        (words_of_name(target), target)
        for example, targets_in_row in zip(rows, targets, strict=True)
        for target in targets_in_row
        if stands_in(example, target)
    )
    for unit, forms in _listed_names_in_use(rows, targets, listed, abbreviations).items():
        counts.update((unit, form) for form in forms)
    return Counter(
        {
            (unit, Primitive("Entity", form, abbreviations.get(form, ""))): count
            for (unit, form), count in counts.items()
        }
    )


def _listed_names_in_use(
    rows: Sequence[Example],
    targets: Sequence[Sequence[str]],
    listed: dict[Unit, set[str]],
    abbreviations: dict[str, str],
) -> dict[Unit, list[str]]:
    """Return the listed names without those that are mostly other words ("in" is not Indiana)."""
    longest = max(map(len, listed), default=1)
    occurrences: Counter[Unit] = Counter()
    uses: Counter[Unit] = Counter()
    for example, targets_in_row in zip(rows, targets, strict=True):
        states = {form for form, code in abbreviations.items() if f", '{code}')" in example.form}
        for unit in segment(example.tokens, listed, longest):
            if unit in listed:
                occurrences[unit] += 1
                uses[unit] += not listed[unit].isdisjoint({*targets_in_row, *states})
    return {
        unit: sorted(forms)
        for unit, forms in listed.items()
        if uses[unit] >= MIN_NAME_SHARE * max(occurrences[unit], unit in ENGLISH_WORDS)
        and not _has_sort_word(unit, listed)
    }


def _has_sort_word(unit: Unit, listed: dict[Unit, set[str]]) -> bool:
    """Return whether a name is a listed name followed by its sort: "red river" is the river "red".

    Geobase also lists such names as places, where the river leaves a state.
    """
    return any(sort_of_name(form) == unit[-1] for form in listed.get(unit[:-1], ()))


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
"""Questions ask both for owners and for what they have: "rivers that Texas has"."""
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
"""The settings of the two alignments that are merged."""
NEGATIONS = frozenset(("no", "not", "never", "without", "except"))
"""The closed class of negating words, for training rows without any."""
SHORT_NAMES = {"len": "length"}
"""Names of functions that are no words -> the words that they are short for."""
Counts = Counter[tuple[Unit, Primitive]]


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive; a phrase by hand may name several functions."""
    del position
    match primitive.type:
        case "Entity":
            return table.intern(Entity(primitive.symbol, primitive.feature, is_unit=True))
        case "Negation":
            return table.intern(Negation(primitive.symbol))
        case _:
            return table.intern(Predicate(tuple(primitive.symbol.split())))


def alike(primitive: Primitive) -> Primitive:
    """Return one representative for all names of a sort; other primitives represent themselves."""
    if primitive.type != "Entity":
        return primitive
    sorts = {kind.sort for kind in entity_kinds(primitive.symbol)}
    return Primitive("Entity", sorts.pop() if len(sorts) == 1 else "name")


def unknown(word: str) -> Sequence[Primitive]:
    """Return the functions that a word is named as: "traverses" is `traverse_1` or its inverse.

    The names of functions are English, and say what the functions mean. Negation is a closed class:
    its words are not learned one by one.
    """
    if word in NEGATIONS:
        return (primitive_of("exclude"),)
    return _functions_by_stem().get(stem(word), ())


@cache
def _functions_by_stem() -> dict[str, list[Primitive]]:
    by_stem: dict[str, list[Primitive]] = {}
    for function in (*FUNCTIONS, "exclude"):
        name = function.removesuffix("_1").removesuffix("_2").removesuffix("_one")
        name = SHORT_NAMES.get(name, name)
        if "_" not in name:
            by_stem.setdefault(stem(name), []).append(primitive_of(function))
    return by_stem


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the units with primitives, and the function words, of training rows and gazetteer."""
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
    """Return what speaks for each emission of a word: that other forms of it emit the same.

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
    """Replace the families in an alignment by their members, as the rows of each unit show them."""
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
    """Count the rows of a unit with a function; rows with several of its family count in parts."""
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
    """Return units with their primitives, and function words, as an alignment counts them."""
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
            counts[unit, primitive_of(target)] += rounded
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


def primitive_of(target: str) -> Primitive:
    """Return the primitive of a negation, of functions or of a name."""
    if target == "exclude":
        return Primitive("Negation", target)
    is_function = all(name in FUNCTIONS for name in target.split())
    return Primitive("Predicate" if is_function else "Entity", target)


def _add_companions(counts: Counts, pairs: Sequence[Pair]) -> None:
    """Add a primitive to words without one that nearly always occur with the same function."""
    units = {unit for unit, _ in counts}
    for word, target in companions(pairs):
        if (word,) not in units and target in FUNCTIONS:
            counts[(word,), primitive_of(target)] += 1


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
                    counts[unit, primitive_of(member)] = 1


def _add_inverses(counts: Counts) -> None:
    """Add inverses of relations: word order, more than words, says which argument is asked for."""
    for (unit, primitive), count in list(counts.items()):
        inverse = INVERSES.get(primitive.symbol)
        if inverse is None:
            continue
        is_free = signature((inverse,)).results == signature((primitive.symbol,)).results
        if is_free or count < MIN_ONE_WAY_COUNT or unit in HAVING:
            counts[unit, primitive_of(inverse)] += 1


TABLE = Path(str(files("lear.domains.geo") / "related_words" / "wordnet.csv"))
"""The table that ships."""


def induce_with_relatives(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the lexicon of training rows, with what related words are to be read as."""
    return with_relatives(induce(examples, gazetteer))


def with_relatives(lexicon: Lexicon) -> Lexicon:
    """Return a lexicon that reads words it lacks as the nearest of its own content words."""
    known: dict[str, list[str]] = {}
    for unit, entries in lexicon.units.items():
        num_uses = sum(entry.count for entry in entries)
        if len(unit) == 1 and num_uses > lexicon.function_words.get(unit[0], 0):
            known.setdefault(stem(unit[0]), []).append(unit[0])
    own_stems = {stem(word) for word in lexicon.words}
    own_stems.update(map(stem, everyday_words().without_meaning))
    relatives: dict[str, str] = {}
    for unseen, related in _pairs():
        if (
            unseen not in own_stems
            and related in known
            and not is_comparative(unseen, {related, *lexicon.words})
        ):
            relatives.setdefault(unseen, min(known[related], key=len))
    return replace(lexicon, relatives=relatives)


@cache
def _pairs() -> list[tuple[str, str]]:
    rows = csv.reader(line for _, line in numbered_lines(TABLE))
    next(rows)  # the headings
    return [(unseen, related) for unseen, related in rows]
