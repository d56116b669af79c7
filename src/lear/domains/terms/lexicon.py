"""The lexicon of a language of terms: aligned symbols, names, literals, and words never seen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import permutations

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example
from lear.domains.terms.algebra import Part
from lear.domains.terms.evidence import (
    FUNCTION,
    LITERAL,
    NAME,
    align_rows,
    primitive_of,
    read_sentence,
)
from lear.domains.terms.fragments import Fragments
from lear.domains.terms.language import TermLanguage
from lear.domains.terms.literals import MAX_WORDS, LiteralKind, readings, single_word_literals
from lear.domains.terms.naming_functions import name_class, name_part
from lear.domains.terms.tree import Tree
from lear.errors import FormError
from lear.lexicon.alignment import NOTHING
from lear.lexicon.lexicon import BLANK, Lexicon, Unit, pool_rare_words

MIN_COUNT = 0.2
"""Expected emissions of a target for it to become a primitive of a unit."""
MIN_SHARE = 0.02
"""The same, as a share of the unit's uses."""
MIN_WORD_COUNT = 2
"""Occurrences of a function word; rarer ones are treated as UNKNOWN."""
MIN_OTHER_USES = 3
"""Occurrences of a number word that never says a number, for it to say none."""
MAX_NAME_WORDS = 3
"""Words that were never seen and are one name together."""
MAX_NAME_LETTERS = 200
"""Of a name that was never seen: what is longer is noise, and all that holds it takes memory."""


class TermWords:
    """From words to primitives, in one language."""

    def __init__(self, language: TermLanguage, fragments: Fragments) -> None:
        self.language = language
        self.fragments = fragments

    def induce(self, examples: Sequence[Example]) -> Lexicon:
        """Units with primitives, and function words."""
        language = self.language
        rows = [
            read_sentence(
                example.tokens,
                self._tree(example),
                language.symbols,
                partial(name_class, language.notation, language.types),
                partial(name_part, language.notation, language.types),
            )
            for example in examples
        ]
        alignment = align_rows(rows)
        uses = alignment.uses()
        counts: Counter[tuple[Unit, Primitive]] = Counter()
        words: Counter[str] = Counter()
        for (unit, target), count in alignment.counts.items():
            if count < max(MIN_COUNT, MIN_SHARE * uses[unit]) or BLANK in unit:
                continue
            if target != NOTHING:
                counts[unit, primitive_of(target)] += max(1, round(count))
            elif len(unit) == 1:
                words[unit[0]] += max(1, round(count))
        unsaid = {lift.symbol for lift in language.lifts}
        for unit, primitive in counts:
            # Where nothing need say a symbol, a word that seems to say it may be there for nothing.
            if len(unit) == 1 and primitive.type == FUNCTION and primitive.symbol in unsaid:
                words.setdefault(unit[0], 1)
        for row in rows:
            counts.update(row.found)
        self._add_other_classes(counts)
        self._add_literals(counts, Counter(word for e in examples for word in e.tokens))
        words.setdefault(",", 1)  # lists are longer than those of training
        kept = {",", *(word for unit, _ in counts for word in unit)}
        pooled = pool_rare_words(words, kept, MIN_WORD_COUNT)
        return Lexicon.from_counts("terms", counts, pooled)

    def _add_literals(self, counts: Counter[tuple[Unit, Primitive]], seen: Counter[str]) -> None:
        """Words that are literals by themselves, unless training shows them as something else.

        Where *two* stands in *world war two* only, it is no number.
        """
        literals = {word for unit, p in counts if p.type == LITERAL for word in unit}
        others = {
            word
            for word, count in seen.items()
            if count >= MIN_OTHER_USES and word.isalpha() and word not in literals
        }
        for kind in self.language.literal_kinds:
            words = {*seen, *single_word_literals(kind)} - others
            for word in sorted(words):
                for literal in self._literals_of(kind, (word,)):
                    counts.setdefault(((word,), literal), 1)

    def _add_other_classes(self, counts: Counter[tuple[Unit, Primitive]]) -> None:
        """A name of one class may be one of another, where the classes have names in common."""
        units: dict[str, set[Unit]] = {}
        for unit, primitive in counts:
            if primitive.type == NAME:
                units.setdefault(primitive.feature, set()).add(unit)
        classes = [
            open_class for open_class in self.language.open_classes if open_class.name in units
        ]
        for one, other in permutations(classes, 2):
            if units[one.name] & units[other.name]:
                for unit in units[one.name] - units[other.name]:
                    if constant := other.write(unit):
                        counts.setdefault((unit, Primitive(NAME, constant, other.name)), 1)

    def _tree(self, example: Example) -> Tree:
        try:
            return self.language.read(example.form)
        except FormError as error:
            raise FormError(f"{example.source}: {error}") from None

    def _literal(self, kind: LiteralKind, value: str, feature: str) -> Primitive:
        if kind == "time" and not self.language.pads_hours:
            value = value.removeprefix("0")
        quote = self.language.literal_quotes.get(kind, "")
        return Primitive(LITERAL, f"{quote}{value}{quote}", feature)

    def ground(self, primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
        """The meaning of a primitive, the same at every token."""
        del position
        is_function = primitive.type == FUNCTION
        return table.intern(Part(self.fragments.unit(primitive.symbol, is_function=is_function)))

    @staticmethod
    def alike(primitive: Primitive) -> Primitive:
        """One representative for all names of a kind, and for all literals."""
        if primitive.type in (NAME, LITERAL):
            return Primitive(primitive.type, primitive.feature)
        return primitive

    def unknown(self, word: str) -> tuple[Primitive, ...]:
        """A word that training never showed: a literal, or a name of a kind that has more."""
        return self._literals((word,)) or self._names((word,))

    def joined(self, unit: Unit) -> tuple[Primitive, ...]:
        """What several words stand for together."""
        return self._literals(unit) or self._names(unit)

    def _literals(self, unit: Unit) -> tuple[Primitive, ...]:
        kinds = self.language.literal_kinds
        return tuple(literal for kind in kinds for literal in self._literals_of(kind, unit))

    def _literals_of(self, kind: LiteralKind, unit: Unit) -> Iterator[Primitive]:
        for reading in readings(kind, unit):
            literal = self._literal(kind, reading.value, reading.feature)
            if self._reads_back(literal.symbol):  # JSON has no number 00
                yield literal

    def _names(self, unit: Unit) -> tuple[Primitive, ...]:
        if sum(map(len, unit)) > MAX_NAME_LETTERS:
            return ()
        names = ((o.write(unit), o.name) for o in self.language.open_classes)
        return tuple(
            Primitive(NAME, constant, name)
            for constant, name in names
            if constant is not None and self._reads_back(constant)
        )

    def _reads_back(self, constant: str) -> bool:
        """Whether a form can have a constant: what is printed must be read again."""
        notation = self.language.notation
        try:
            tree = notation.read_constant(constant)
        except FormError:
            return False
        is_one = not tree.arguments or tree.symbol in self.language.types.names
        return is_one and notation.render(tree) == constant

    def join_units(self, units: Iterator[Unit], lexicon: Lexicon) -> Iterator[Unit]:
        """Units of a sentence, with literals of several words joined, and unknown names."""
        pieces = list(units)
        begin = 0
        while begin < len(pieces):
            end = self._joined_end(pieces, begin, lexicon)
            yield tuple(word for piece in pieces[begin:end] for word in piece)
            begin = end

    def _joined_end(self, pieces: Sequence[Unit], begin: int, lexicon: Lexicon) -> int:
        for end in range(min(len(pieces), begin + MAX_WORDS), begin + 1, -1):
            words = tuple(word for piece in pieces[begin:end] for word in piece)
            if self._literals(words):
                return end
        end = begin
        while (
            end < len(pieces)
            and end - begin < MAX_NAME_WORDS
            and self._is_new(pieces[end], lexicon)
        ):
            end += 1
        is_long_name = end > begin + 1 and any(o.long_pattern for o in self.language.open_classes)
        return end if is_long_name else begin + 1

    def _is_new(self, unit: Unit, lexicon: Lexicon) -> bool:
        return len(unit) == 1 and unit[0] not in lexicon.words and not self._literals(unit)
