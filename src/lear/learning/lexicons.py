"""The lexicon of a run: the one that its settings ask for, without entries that no row needs.

Alignment leaves doubtful entries behind: in "what state is austin in", both "is" and "in" may stand
for the relation. One of them is enough for every row to have a derivation, and the other one would
be read into sentences where nothing stands for it.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from lear.algebra.algebra import Meaning, Primitive
from lear.benchmark import Example, Gazetteer
from lear.domain import Domain
from lear.errors import SearchLimitError, UsageError
from lear.forest.chart import Edge, Forest, Item
from lear.forest.oracle import Oracle
from lear.forest.packed import ANY
from lear.learning.config import RunConfig
from lear.lexicon.lexicon import Lexicon, Unit

UnitEntry = tuple[Unit, Primitive]
"""A unit, and what it may stand for."""
DerivedRow = tuple[Example, Forest[Meaning]]
"""A row with all its derivations."""


def make_lexicon(
    config: RunConfig, domain: Domain, examples: Sequence[Example], gazetteer: Gazetteer
) -> Lexicon:
    """Make the lexicon of training rows, or one with outside knowledge."""
    words = domain.words
    makers = {"induced": words.induce, "related": words.related, "by_hand": words.by_hand}
    make = makers[config.lexicon]
    if make is None:
        lacks = {"related": "no thesaurus", "by_hand": "no entries by hand"}[config.lexicon]
        raise UsageError(f"domain {domain.name!r} has {lacks}: lexicon = 'induced'")
    lexicon = make(examples, gazetteer)
    if not words.max_needless or config.lexicon == "by_hand":
        return lexicon
    return without_needless_entries(lexicon, domain, examples, words.max_needless)


def without_needless_entries(
    lexicon: Lexicon, domain: Domain, examples: Sequence[Example], max_share: float
) -> Lexicon:
    """Leave out rare entries of function words that no row needs.

    The rarest go first, each only if all rows that have derivations still have one. Entries with
    more than `max_share` of their word's uses stay, needed or not.
    """
    rare = _rare_entries(lexicon, max_share)
    rows_with: dict[UnitEntry, list[DerivedRow]] = {entry: [] for entry in rare}
    for row, forest in _derived(lexicon, domain, examples):
        leaves = ((item, edge) for item in forest.items() for edge in item.edges)
        used = {_entry(row, item, edge) for item, edge in leaves if not edge.children}
        for entry in rows_with.keys() & used:
            rows_with[entry].append((row, forest))
    needless: set[UnitEntry] = set()
    for entry in rare:
        without = needless | {entry}
        if all(_is_derived(row, without) for row in rows_with[entry]):
            needless = without
    units = {
        unit: tuple(entry for entry in entries if (unit, entry.primitive) not in needless)
        for unit, entries in lexicon.units.items()
    }
    return replace(lexicon, units={unit: entries for unit, entries in units.items() if entries})


def _rare_entries(lexicon: Lexicon, max_share: float) -> list[UnitEntry]:
    """Return the entries of words that mostly stand for nothing, the rarest first."""
    rare: list[tuple[float, Unit, Primitive]] = []
    for unit, entries in lexicon.units.items():
        silent = lexicon.function_words.get(unit[0], 0) if len(unit) == 1 else 0
        spoken = sum(entry.count for entry in entries)
        if silent > spoken:
            shares = [(entry.count / (silent + spoken), entry.primitive) for entry in entries]
            rare += [(share, unit, primitive) for share, primitive in shares if share <= max_share]
    return [(unit, primitive) for _, unit, primitive in sorted(rare)]


def _derived(lexicon: Lexicon, domain: Domain, examples: Sequence[Example]) -> Iterator[DerivedRow]:
    """Yield the rows that have derivations."""
    oracle = Oracle.of(domain, lexicon)
    for example in examples:
        with suppress(SearchLimitError):
            forest = oracle.gold_forest(example)
            if forest is not None:
                yield example, forest


def _is_derived(row: DerivedRow, without: set[UnitEntry]) -> bool:
    """Return True if a row has a derivation that uses none of these entries."""
    example, forest = row
    is_allowed = [
        bool(edge.children) or _entry(example, item, edge) not in without
        for item, edge in forest.edges()
    ]
    return bool(forest.inside(is_allowed, ANY))


def _entry(row: Example, item: Item[Meaning], edge: Edge[Meaning]) -> UnitEntry:
    return row.tokens[item.begin : item.end], edge.label
