"""What the words of a sentence may stand for, and its skeleton: what a grammar sees of it.

A skeleton is a sentence without its content words: function words, and for each unit the category
that it has. Sentences with one skeleton have the same derivations, so work done for a skeleton is
done for all of them. `SentenceReader` is the one analysis of words, for gold search and for parsers
alike.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import msgspec

from lear.algebra.algebra import MeaningTable, Primitive
from lear.domain import Domain
from lear.grammar.categories import CategoryTable
from lear.grammar.unknown_words import KnownWords, is_comparative, is_superlative
from lear.lexicon.lexicon import NOTHING, OVERLOOKED, UNKNOWN, Lexicon, Unit
from lear.lexicon.stems import stem

Span = tuple[int, int]
"""Half-open: the first token, and the one behind the last."""
Words = tuple[str | None, ...]
"""A word of a sentence as a function word; None where it cannot be one."""


MAX_SHARED = 5_000
"""How many different spans, or leaves, are kept to be shared."""
NO_CATEGORY = -3
"""What stands in place of a category where a unit stands for nothing."""


class CategoryLeaf(NamedTuple):
    """A unit of a sentence, by span and category."""

    begin: int
    end: int
    category: int


@lru_cache(maxsize=MAX_SHARED)
def shared_span(begin: int, end: int) -> Span:
    """Return one object for equal spans: so remembered sentences take less memory."""
    return begin, end


@lru_cache(maxsize=MAX_SHARED)
def shared_leaf(begin: int, end: int, category: int) -> CategoryLeaf:
    """Return one object for equal leaves."""
    return CategoryLeaf(begin, end, category)


class Candidate(NamedTuple):
    """A leaf with one of the primitives behind it."""

    leaf: CategoryLeaf
    rank: int = 0
    """Which one, in the order of `Reading.primitives`."""


class Skeleton(NamedTuple):
    """What a grammar sees of a sentence; equal skeletons have equal charts."""

    words: Words
    leaves: tuple[CategoryLeaf, ...]

    @property
    def is_function_word(self) -> list[bool]:
        """For each token, whether it may be a function word."""
        return [word is not None for word in self.words]


@dataclass(frozen=True)
class Reading:
    """What the words of a sentence may stand for. Made by `SentenceReader`."""

    tokens: tuple[str, ...]
    skeleton: Skeleton
    primitives: dict[CategoryLeaf, tuple[Primitive, ...]]
    """The primitives behind each leaf, most frequent first. Where units may stand for nothing by
    choice, that is a leaf too, of `NO_CATEGORY`; the skeleton has none such."""
    has_choice: bool
    """True if some span may stand for more than one primitive."""
    view: tuple[str, ...]
    """The tokens as a network sees them: names by their sorts, words never seen as unknown."""
    alike: Callable[[Primitive], Primitive]
    """Representative of a primitive's class, as in `Words.alike`."""

    @cached_property
    def units(self) -> dict[Span, tuple[Candidate, ...]]:
        """Return what each span may stand for."""
        groups: dict[Span, list[Candidate]] = {}
        for leaf, primitives in self.primitives.items():
            candidates = groups.setdefault((leaf.begin, leaf.end), [])
            candidates += (Candidate(leaf, rank) for rank in range(len(primitives)))
        return {span: tuple(group) for span, group in groups.items()}

    @cached_property
    def choices(self) -> dict[Span, tuple[Candidate, ...]]:
        """Return the spans that may stand for more than one primitive, and for which."""
        if not self.has_choice:
            return {}
        return {span: group for span, group in self.units.items() if len(group) > 1}

    @cached_property
    def hidden_choices(self) -> dict[Span, tuple[Candidate, ...]]:
        """Return the choices that a grammar cannot see: between primitives of one category."""
        return {
            span: group
            for span, group in self.choices.items()
            if any(candidate.rank for candidate in group)
        }

    @cached_property
    def overlooking(self) -> Skeleton:
        """Return the skeleton where every word may be overlooked that is no name."""
        names = {
            position
            for leaf, primitives in self.primitives.items()
            if any(self.alike(primitive) != primitive for primitive in primitives)
            for position in range(leaf.begin, leaf.end)
        }
        words = tuple(
            OVERLOOKED if word is None and position not in names else word
            for position, word in enumerate(self.skeleton.words)
        )
        return Skeleton(words, self.skeleton.leaves)

    @property
    def meaningless_words(self) -> list[str]:
        """Return the words that are neither function words nor stand for anything."""
        covered = {p for leaf in self.skeleton.leaves for p in range(leaf.begin, leaf.end)}
        words = enumerate(self.skeleton.words)
        return [self.tokens[p] for p, word in words if word is None and p not in covered]

    def primitive(self, candidate: Candidate) -> Primitive:
        """Return what a candidate stands for."""
        return self.primitives[candidate.leaf][candidate.rank]


MIN_RELATED_LETTERS = 3
"""A shorter word is not read as one that it is related to."""
PrimitivesByCategory = tuple[tuple[int, tuple[Primitive, ...]], ...]


class UnitReading(NamedTuple):
    """What a unit may be."""

    word: str | None
    """Itself, if it may be a function word."""
    view: tuple[str, ...]
    """Its tokens as a network sees them."""
    primitives: PrimitivesByCategory


class SentenceReader:
    """Reads sentences with a lexicon; remembers what it worked out about each known unit."""

    def __init__(
        self,
        domain: Domain,
        lexicon: Lexicon,
        categories: CategoryTable | None = None,
        *,
        may_be_nothing: bool = False,
    ) -> None:
        """Read with a lexicon.

        Args:
            domain: What words may stand for.
            lexicon: Which words do.
            categories: Gives categories their numbers; by default a new table does.
            may_be_nothing: Gives a unit that may also be a function word the candidate `NOTHING`.
        """
        self.guesses = True
        """If so, a word never seen may be read as one that only begins like it."""
        self.domain = domain
        self.may_be_nothing = may_be_nothing
        self.lexicon = lexicon
        self.categories = categories or CategoryTable(domain)
        self._units: dict[Unit, UnitReading] = {}

    def read(self, tokens: tuple[str, ...]) -> Reading:
        """Return what the words of a sentence may stand for."""
        primitives: dict[CategoryLeaf, tuple[Primitive, ...]] = {}
        words: list[str | None] = []
        view: list[str] = []
        has_choice = False
        begin = 0
        for unit in self.segment(tokens):
            word, shown, by_category = self.unit(unit)
            words += [word] * len(unit)
            view += shown
            end = begin + len(unit)
            has_choice |= len(by_category) > 1
            for category, group in by_category:
                primitives[shared_leaf(begin, end, category)] = group
                has_choice |= len(group) > 1
            begin = end
        leaves = tuple(leaf for leaf in primitives if leaf.category != NO_CATEGORY)
        skeleton = Skeleton(tuple(words), leaves)
        alike = self.domain.words.alike
        return Reading(tokens, skeleton, primitives, has_choice, tuple(view), alike)

    def segment(self, tokens: tuple[str, ...]) -> Iterator[Unit]:
        """Give a sentence cut into units."""
        return self.domain.words.join_units(self.lexicon.segment(tokens), self.lexicon)

    def unit(self, unit: Unit) -> UnitReading:
        """Return what a unit may be."""
        reading = self._units.get(unit)
        if reading is None:
            primitives = list(dict.fromkeys(self._primitives(unit)))
            word = self._function_word(unit[0]) if len(unit) == 1 else None
            if word is not None and primitives and self.may_be_nothing:
                primitives.append(NOTHING)
            elif NOTHING in primitives and not self.may_be_nothing:  # then it is a function word
                primitives.remove(NOTHING)
                word = word or (unit[0] if len(unit) == 1 else None)
            reading = UnitReading(word, self.view(unit, primitives), self.by_category(primitives))
            # What is unbounded is not kept, nor what depends on `guesses`.
            if unit in self.lexicon.units or (len(unit) == 1 and self.is_known(unit[0])):
                self._units[unit] = reading
        return reading

    def _function_word(self, word: str) -> str | None:
        """Return the word as a function word, or None.

        Where the domain says so, a word never seen that is a form of a known one, or of what the
        domain has a name for, is a function word only if that one is: "capitals" is not dropped
        where "capital" is not. No superlative that can be read at all is a function word. To drop a
        word that is related to a known one is to overlook it.
        """
        found = self.lexicon.function_word(word)
        if found != UNKNOWN or word == UNKNOWN or not self.domain.words.keeps_forms:
            return found
        if stem(word) in self._function_stems:
            return found
        is_form = self.domain.words.unknown(word) or self.known_words.same_stem(word)
        lookalike = self.lookalike(word)
        if is_form or (is_superlative(word) and lookalike):
            return None
        return OVERLOOKED if lookalike else found

    @cached_property
    def _function_stems(self) -> frozenset[str]:
        """Return the stems of function words."""
        return frozenset(map(stem, self.lexicon.function_words))

    def _primitives(self, unit: Unit) -> Iterator[Primitive]:
        """Give a unit's primitives; a word never seen has those of its stem and of the domain."""
        yield from (entry.primitive for entry in self.lexicon.units.get(unit, ()))
        if len(unit) > 1 and unit not in self.lexicon.units:
            yield from self.domain.words.joined(unit)
        if self.lexicon.has_open_units and not self.lexicon.words.issuperset(unit):
            (word, *_) = (word for word in unit if word not in self.lexicon.words)
            for entry in self.lexicon.units.get(self.lexicon.masked(unit), ()):
                yield msgspec.structs.replace(entry.primitive, symbol=word)
        if len(unit) == 1 and unit[0] not in self.lexicon.words:
            lookalike = self.lookalike(unit[0])
            if lookalike is not None:
                yield from (entry.primitive for entry in self.lexicon.units[lookalike,])
            yield from self.domain.words.unknown(unit[0])

    def by_category(self, primitives: Iterable[Primitive]) -> PrimitivesByCategory:
        """Return primitives grouped by the category of their meanings."""
        groups: dict[int, list[Primitive]] = {}
        table = MeaningTable(self.domain.language.algebra)  # what users type is not kept
        for primitive in primitives:
            if primitive == NOTHING:
                groups[NO_CATEGORY] = [NOTHING]
                continue
            # Where a unit stands does not change its category.
            meaning = self.domain.words.ground(primitive, 0, table)
            groups.setdefault(self.categories.number(meaning), []).append(primitive)
        return tuple((category, tuple(group)) for category, group in groups.items())

    def view(self, unit: Unit, primitives: Iterable[Primitive]) -> tuple[str, ...]:
        """Return a unit's tokens as a network sees them."""
        alike = self.domain.words.alike
        sorts = sorted({str(alike(p)) for p in primitives if alike(p) != p})
        if sorts:
            return (f"<{' | '.join(sorts)}>",) * len(unit)
        words, seen_as = self.lexicon.words, self.domain.words.seen_as
        return tuple(
            seen_as(token) if token in words else self.lookalike(token) or UNKNOWN for token in unit
        )

    def is_name(self, primitives: Iterable[Primitive]) -> bool:
        """Return whether a unit with these primitives is one of many that networks see as one."""
        return any(self.domain.words.alike(primitive) != primitive for primitive in primitives)

    def lookalike(self, word: str) -> str | None:
        """Return the known word that a word never seen is read as, where the lexicon allows that.

        It is another form of the word, or one that the lexicon says is related; but no adjective is
        read for its comparative, nor another one that means the same.
        """
        if UNKNOWN not in self.lexicon.function_words:
            return None
        known, relatives = self.known_words, self.lexicon.relatives
        found = known.same_stem(word)
        if found is None and is_comparative(word, self.lexicon.words):
            return None
        # A thesaurus also has abbreviations: "or" is Oregon there.
        if found is None and relatives and len(word) >= MIN_RELATED_LETTERS:
            found = relatives.get(stem(word))
        return found or (known.same_beginning(word) if self.guesses else None)

    @cached_property
    def known_words(self) -> KnownWords:
        """Return the words that others may be forms or misspellings of."""
        counts: Counter[str] = Counter(self.lexicon.function_words)
        inflected: list[str] = []
        names: list[str] = []
        parts_of_names: list[str] = []
        for unit, entries in self.lexicon.units.items():
            is_name = self.is_name(entry.primitive for entry in entries)
            for word in unit:
                counts[word] += sum(entry.count for entry in entries)
            if len(unit) == 1:
                (names if is_name else inflected).append(unit[0])
            elif is_name:
                parts_of_names += unit
        del counts[UNKNOWN]
        return KnownWords(counts, inflected, names, parts_of_names)

    @cached_property
    def single_words(self) -> frozenset[str]:
        """Return the words that training showed by themselves, or that the lexicon lists."""
        units = (unit[0] for unit in self.lexicon.units if len(unit) == 1)
        return frozenset(self.lexicon.function_words).union(units)

    def is_known(self, word: str) -> bool:
        """Return whether training showed a word by itself, or the lexicon lists it."""
        return word in self.single_words

    def unknown_words(self, tokens: tuple[str, ...]) -> tuple[str, ...]:
        """Return the words that training never showed, and that no rule has a meaning for."""
        words = (unit[0] for unit in self.segment(tokens) if len(unit) == 1)
        return tuple(
            word
            for word in words
            if not (self.is_known(word) or self.domain.words.unknown(word) or self.lookalike(word))
        )

    def leaf_categories(self) -> set[int]:
        """Return the categories that units of the lexicon can have."""
        entries = (entry for entries in self.lexicon.units.values() for entry in entries)
        groups = self.by_category(entry.primitive for entry in entries)
        return {category for category, _ in groups} - {NO_CATEGORY}
