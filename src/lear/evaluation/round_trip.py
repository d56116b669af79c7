"""Round trip: whether every form of a benchmark is read and printed back."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lear.core.algebra import MeaningTable
from lear.domain.domain import Domain
from lear.domain.example import Example
from lear.errors import named_row


class Altered(NamedTuple):
    """A row whose form prints back with other letters."""

    example: Example
    printed: str
    is_same_meaning: bool
    """Whether what was printed still means the same."""


def altered(domain: Domain, examples: Iterable[Example]) -> Iterator[Altered]:
    """The rows whose form prints back differently, with what it printed."""
    for example in examples:
        table = MeaningTable(domain.language.algebra)
        meaning = domain.language.read_gold(example, table)
        with named_row(example.source):
            printed = domain.language.render(meaning)
            is_same = printed == example.form
            again = meaning if is_same else domain.language.read(printed, example.tokens, table)
        if not is_same:
            yield Altered(example, printed, again is meaning)
