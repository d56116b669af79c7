"""The toy lexicon, induced from training rows; unknown words have no primitives."""

from collections.abc import Iterator

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Primitive
from lear.domain.example import Example
from lear.domains.toy.algebra import TOY_ALGEBRA, TYPE_OF_SYMBOL, TYPES
from lear.induction.cover_lexicon import cover_inducer


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token."""
    del position
    return table.intern(TYPES[primitive.type](primitive.symbol))


def primitives_of(example: Example) -> Iterator[Primitive]:
    """The primitives in a row's form."""
    for symbol in example.form.split():
        if symbol in TYPE_OF_SYMBOL:
            yield Primitive(TYPE_OF_SYMBOL[symbol], symbol)


induce = cover_inducer(TOY_ALGEBRA.name, primitives_of, max_candidates=2)
