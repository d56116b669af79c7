"""The names that a network indexes by: words, symbols, operations, primitives."""

from functools import cached_property

import msgspec

from lear.core.lexicon import NOTHING, UNKNOWN, Primitive
from lear.grammar.sentence_reader import SentenceReader

OTHER = "<other>"
"""Stands for typed symbols that no training derivation has."""


class Vocabulary(msgspec.Struct, frozen=True, dict=True):
    """Names in the order of their numbers; fixed for the life of a network."""

    words: tuple[str, ...]
    symbols: tuple[str, ...]
    operations: tuple[str, ...]
    primitives: tuple[Primitive, ...]

    @classmethod
    def of(cls, reader: SentenceReader, symbols: tuple[str, ...]) -> "Vocabulary":
        """The vocabulary of a reader's lexicon and algebra."""
        alike = reader.domain.words.alike
        primitives = {NOTHING} if reader.may_be_nothing else set[Primitive]()
        words = set(reader.lexicon.function_words)
        for unit, entries in reader.lexicon.units.items():
            candidates = [entry.primitive for entry in entries]
            primitives.update(map(alike, candidates))
            words.update(reader.view(unit, candidates))
        return cls(
            (UNKNOWN, *sorted(words - {UNKNOWN})),
            symbols,
            tuple(reader.domain.language.algebra.by_name),
            tuple(sorted(primitives)),
        )

    @cached_property
    def word_numbers(self) -> dict[str, int]:
        """Word -> number."""
        return {word: number for number, word in enumerate(self.words)}

    @cached_property
    def symbol_numbers(self) -> dict[str, int]:
        """Symbol -> number."""
        return {symbol: number for number, symbol in enumerate(self.symbols)}

    @cached_property
    def operation_numbers(self) -> dict[str, int]:
        """Operation -> number."""
        return {name: number for number, name in enumerate(self.operations)}

    @cached_property
    def primitive_numbers(self) -> dict[Primitive, int]:
        """Primitive -> number."""
        return {primitive: number for number, primitive in enumerate(self.primitives)}
