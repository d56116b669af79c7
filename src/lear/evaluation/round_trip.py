"""Round trip: whether every form of a benchmark is read and printed back letter for letter."""

from collections.abc import Iterable, Iterator

from lear.algebra import MeaningTable
from lear.domain import Domain, Example


def altered(domain: Domain, examples: Iterable[Example]) -> Iterator[tuple[Example, str]]:
    """The rows whose form prints back differently, with what it printed."""
    for example in examples:
        printed = domain.render(domain.read_gold(example, MeaningTable(domain.algebra)))
        if printed != example.form:
            yield example, printed
