"""All that the units of a sentence come to, in any bracketing and by any operations: plain CKY."""

import random
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import accumulate, pairwise

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example
from lear.domain import Domain
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from lear.lexicon.lexicon import NOTHING

Constituent = Meaning | None
"""None is what stands for nothing."""


def constituents(
    reader: SentenceReader, tokens: tuple[str, ...], table: MeaningTable
) -> list[list[Constituent]]:
    """What each unit may be, without words that are function words for certain."""
    units = list(reader.segment(tokens))
    begins = accumulate(map(len, units), initial=0)
    options: list[list[Constituent]] = []
    for unit, (begin, _) in zip(units, pairwise(begins), strict=True):
        reading = reader.unit(unit)
        primitives: list[Primitive] = [p for _, group in reading.primitives for p in group]
        if not primitives:
            assert reading.word is not None, unit
            continue
        ground = reader.domain.words.ground
        options.append([None if p == NOTHING else ground(p, begin, table) for p in primitives])
    return options


def sample_by_size(
    reader: SentenceReader, rows: Iterable[Example], largest: int, most: int
) -> list[Example]:
    """For each number of constituents up to the largest, so many rows at most."""
    by_size: dict[int, list[Example]] = {}
    for row in rows:
        table = MeaningTable(reader.domain.language.algebra)
        by_size.setdefault(len(constituents(reader, row.tokens, table)), []).append(row)
    rng = random.Random(most)
    sizes = [by_size.get(size, []) for size in range(1, largest + 1)]
    return [row for found in sizes for row in rng.sample(found, min(most, len(found)))]


def all_meanings(
    options: list[list[Constituent]], categories: CategoryTable, table: MeaningTable
) -> list[Meaning]:
    """Every meaning over all constituents, by the operations that are legal on categories."""
    by_name = categories.domain.language.algebra.by_name

    def combined(left: Constituent, right: Constituent) -> list[Constituent]:
        if left is None or right is None:
            return [left or right]
        legal = categories.combinations((categories.number(left), categories.number(right)))
        return [table.apply(by_name[found.operation], (left, right)) for found in legal]

    @cache
    def over(begin: int, end: int) -> tuple[Constituent, ...]:
        found = dict.fromkeys(options[begin] if end - begin == 1 else ())
        for middle in range(begin + 1, end):
            for left in over(begin, middle):
                for right in over(middle, end):
                    found.update(dict.fromkeys(combined(left, right)))
        return tuple(found)

    return [meaning for meaning in over(0, len(options)) if meaning is not None]


def forms_of(reader: SentenceReader, tokens: tuple[str, ...]) -> set[str]:
    """The forms of all that a sentence comes to."""
    language = reader.domain.language
    table = MeaningTable(language.algebra)
    options = constituents(reader, tokens, table)
    return {
        language.render(language.finish(meaning, tokens, table))
        for meaning in all_meanings(options, reader.categories, table)
        if language.algebra.is_complete(meaning)
    }


def gold_form(domain: Domain, row: Example) -> str:
    """The form of a row as it is rendered."""
    language = domain.language
    return language.render(language.read_gold(row, MeaningTable(language.algebra)))


def folds(leaves: Sequence[Meaning], gaps: Sequence[str], table: MeaningTable) -> list[Meaning]:
    """What leaves come to in each bracketing, if the operation of a node is that of its gap.

    A gap may name several operations, which all are tried. Bracketings in which none is defined at
    some node are left out.
    """
    by_name = table.algebra.by_name

    def over(begin: int, end: int) -> list[Meaning]:
        if end - begin == 1:
            return [leaves[begin]]
        results = (
            table.apply(by_name[name], (left, right))
            for middle in range(begin + 1, end)
            for left in over(begin, middle)
            for right in over(middle, end)
            for name in gaps[middle - 1].split()
        )
        return [result for result in results if result is not None]

    return over(0, len(leaves))
