"""Lexicons: which words and multi-word units may stand for which primitives.

A primitive is a 0-ary operation of the semantic algebra. It holds no position; a domain grounds
it at a place in a sentence. Words that stand for nothing by themselves ("the", "by") are function
words: they belong to the nodes above them.
"""

from collections import Counter
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Annotated

import msgspec

from lear.algebra.algebra import Primitive
from lear.errors import DataError
from lear.storage.files import NOT_JSON

OVERLOOKED = "<overlooked>"
"""What stands in place of a word with a meaning that is dropped for want of a derivation."""
UNKNOWN = "<unknown>"
"""A function word: any word that training never showed, or too seldom to tell."""
BLANK = ""
"""A word that is known already where a lexicon is induced, and part of no unit."""
Unit = tuple[str, ...]
"""A word or a multi-word unit, as tokens."""
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
"""A number of training rows."""

NOTHING = Primitive("Nothing", "")
"""A candidate of a unit: it stands for nothing here, and is a function word."""


class Entry(msgspec.Struct, frozen=True):
    """A candidate meaning of a unit, with the number of training rows that speak for it."""

    primitive: Primitive
    count: Count


class _UnitRecord(msgspec.Struct, forbid_unknown_fields=True):
    unit: Annotated[str, msgspec.Meta(pattern=r"\S")]
    entries: tuple[Entry, ...]


class _LexiconFile(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    domain: str
    units: list[_UnitRecord]
    function_words: dict[str, Count]
    relatives: dict[str, str] = {}


@dataclass(frozen=True)
class Lexicon:
    """Units with their candidate primitives, most frequent first, and the function words."""

    domain: str
    units: Mapping[Unit, tuple[Entry, ...]]
    function_words: Mapping[str, int]
    relatives: Mapping[str, str] = field(default_factory=dict)
    """Stem of a word that training lacks -> the word that it is read as: outside knowledge."""

    @classmethod
    def from_counts(
        cls, domain: str, counts: Mapping[tuple[Unit, Primitive], int], words: Mapping[str, int]
    ) -> "Lexicon":
        """Return a lexicon from counts of (unit, primitive) pairs; their order is lost."""
        grouped: dict[Unit, list[Entry]] = {}
        for (unit, primitive), count in sorted(counts.items()):
            grouped.setdefault(unit, []).append(Entry(primitive, count))
        units = {
            unit: tuple(sorted(entries, key=lambda entry: -entry.count))
            for unit, entries in grouped.items()
        }
        return cls(domain, units, dict(sorted(words.items())))

    @cached_property
    def longest_unit(self) -> int:
        """Return the number of tokens of the longest unit."""
        return max(map(len, self.units), default=0)

    @cached_property
    def _first_words(self) -> frozenset[str]:
        """Return the words that units of several tokens begin with."""
        return frozenset(unit[0] for unit in self.units if len(unit) > 1)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return all words that training showed."""
        return frozenset(self.function_words).union(*self.units)

    def function_word(self, word: str) -> str | None:
        """Return the word as a function word, which may be `UNKNOWN`; None if it is none."""
        if word in self.function_words:
            return word
        is_known = UNKNOWN not in self.function_words or (word,) in self.units
        return None if is_known else UNKNOWN

    @cached_property
    def has_open_units(self) -> bool:
        """Return whether some units have room for a word never seen, which `UNKNOWN` stands for."""
        return any(UNKNOWN in unit for unit in self.units)

    def masked(self, tokens: Unit) -> Unit:
        """Tokens, with `UNKNOWN` for words never seen."""
        return tuple(token if token in self.words else UNKNOWN for token in tokens)

    def segment(self, tokens: Unit) -> Iterator[Unit]:
        """Give a sentence cut into units, the longest first at each place, and single words."""
        if not self.has_open_units:
            if self._first_words.isdisjoint(tokens):  # as nearly always
                return zip(tokens, strict=True)
            return segment(tokens, self.units, self.longest_unit)
        rest = iter(tokens)
        shown = segment(self.masked(tokens), self.units, self.longest_unit)
        return (tuple(islice(rest, len(unit))) for unit in shown)

    def with_word(self, word: str) -> "Lexicon":
        """Return the part of the lexicon that is about one word, or about one unit of several."""
        return Lexicon(
            self.domain,
            {
                unit: entries
                for unit, entries in self.units.items()
                if word in unit or word == " ".join(unit)
            },
            {w: count for w, count in self.function_words.items() if w == word},
        )

    def to_json(self) -> bytes:
        """Return one JSON object with `domain`, `units` and `function_words`."""
        records = [_UnitRecord(" ".join(unit), entries) for unit, entries in self.units.items()]
        file = _LexiconFile(self.domain, records, dict(self.function_words), dict(self.relatives))
        return msgspec.json.encode(file)

    @classmethod
    def from_json(cls, text: bytes, source: str) -> "Lexicon":
        """Read what `to_json` wrote; `source` is the name used in errors."""
        try:
            file = msgspec.json.decode(text, type=_LexiconFile)
        except NOT_JSON as error:
            raise DataError(f"{source}: not a lexicon: {error}") from None
        counts: Counter[tuple[Unit, Primitive]] = Counter()
        for record in file.units:
            for entry in record.entries:
                counts[tuple(record.unit.split()), entry.primitive] += entry.count
        lexicon = cls.from_counts(file.domain, counts, file.function_words)
        if strange := [word for word in file.relatives.values() if (word,) not in lexicon.units]:
            raise DataError(f"{source}: not a lexicon: {strange[0]!r} has relatives but no entry")
        return replace(lexicon, relatives=file.relatives)


def pool_rare_words(
    words: Mapping[str, int], content_words: Container[str], min_count: int
) -> Counter[str]:
    """Count rare function words as UNKNOWN: they show how words never seen behave.

    Args:
        words: Function words, and how often training has them.
        content_words: Words that are never pooled, since they also stand for something.
        min_count: What is rarer is rare.
    """
    pooled: Counter[str] = Counter()
    for word, count in words.items():
        is_rare = count < min_count and word not in content_words
        pooled[UNKNOWN if is_rare else word] += count
    return pooled


def segment(tokens: Unit, units: Container[Unit], longest: int) -> Iterator[Unit]:
    """Give a sentence cut into units, the longest first at each place, and single words."""
    begin = 0
    while begin < len(tokens):
        sizes = range(min(longest, len(tokens) - begin), 1, -1)
        size = next((n for n in sizes if tokens[begin : begin + n] in units), 1)
        yield tokens[begin : begin + size]
        begin += size
