"""Meanings of total algebras: random ones, and the categories that can be reached."""

import random
from collections.abc import Iterable, Sequence

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.domain import Domain
from lear.grammar.categories import CategoryTable
from lear.grammar.reading import SentenceReader
from lear.lexicon.lexicon import NOTHING

MOST_LEAVES = 6


def primitives_of(reader: SentenceReader, sentences: Iterable[tuple[str, ...]]) -> list[Primitive]:
    """What units of the lexicon and words of some sentences stand for, without repetition."""
    entries = (entry for entries in reader.lexicon.units.values() for entry in entries)
    found = {entry.primitive for entry in entries}
    for tokens in sentences:
        found.update(*reader.read(tokens).primitives.values())
    return sorted(found - {NOTHING})


def random_meanings(
    domain: Domain, primitives: Sequence[Primitive], number: int, table: MeaningTable
) -> list[Meaning]:
    """Meanings of random trees: any two neighbours are combined, by any operation."""
    rng = random.Random(number)
    meanings = []
    for _ in range(number):
        chosen = rng.choices(primitives, k=rng.randint(1, MOST_LEAVES))
        row = [domain.words.ground(p, 2 * place, table) for place, p in enumerate(chosen)]
        while len(row) > 1:
            place = rng.randrange(len(row) - 1)
            pair = (row[place], row[place + 1])
            result = table.apply(rng.choice(table.legal(*pair)), pair)
            assert result is not None
            row[place : place + 2] = [result]
        meanings += row
    return list(dict.fromkeys(meanings))


def reachable(categories: CategoryTable, leaves: Iterable[int], most: int) -> list[int]:
    """Categories of leaves and of what they combine to, level by level, `most` of them."""
    found = list(dict.fromkeys(leaves))
    done = 0
    while done < len(found) < most:
        numbered = list(enumerate(found))
        pairs = [(a, b) for i, a in numbered for j, b in numbered if max(i, j) >= done]
        done = len(found)
        for pair in pairs:
            results = (combination.result for combination in categories.combinations(pair))
            found += dict.fromkeys(result for result in results if result not in found)
    return found[:most]
