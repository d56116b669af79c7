"""The toy lexicon, induced from training rows; unknown words have no primitives."""

from collections.abc import Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Lexicon, Primitive
from lear.domain.example import Example, Gazetteer
from lear.domains.toy.algebra import TOY_ALGEBRA, TYPE_OF_SYMBOL, TYPES
from lear.induction.cover_lexicon import CoverRow, induce_by_cover


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    return table.intern(TYPES[primitive.type](primitive.symbol))


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows: units with their primitives, and function words."""
    del gazetteer
    rows = [
        CoverRow(
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
