"""The toy lexicon, induced from training pairs; a word never seen stands for nothing."""

from collections.abc import Iterable, Sequence

from lear.algebra import Meaning, MeaningTable
from lear.domain import Example
from lear.domains.toy.algebra import TOY_ALGEBRA, TYPE_OF_SYMBOL, TYPES
from lear.induction import Row, induce_by_cover
from lear.lexicon import Lexicon, Primitive


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    return table.intern(TYPES[primitive.type](primitive.symbol))


def unknown(word: str) -> Sequence[Primitive]:
    """Nothing: the symbols of this language cannot be guessed from words."""
    del word
    return ()


def induce(examples: Iterable[Example]) -> Lexicon:
    """Units and function words of the training rows."""
    rows = [
        Row(
            example.tokens,
            frozenset(
                Primitive(TYPE_OF_SYMBOL[symbol], symbol)
                for symbol in example.form.split()
                if symbol in TYPE_OF_SYMBOL
            ),
        )
        for example in examples
    ]
    return induce_by_cover(TOY_ALGEBRA.name, rows, max_candidates=2)
