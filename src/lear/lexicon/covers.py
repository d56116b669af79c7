"""Lexicons by covers, from sentences with the primitives of their meanings.

The cover of a word is a small set of primitives such that every row with the word has one of them;
it is built greedily. A word without such a cover is a function word. Words that share a primitive
of a row and mostly occur together are parts of one multi-word unit ("best friend", "country of
nationality"). Covers are then computed again, over units.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from lear.algebra.algebra import Primitive
from lear.benchmark import Example, Gazetteer
from lear.lexicon.lexicon import BLANK, Lexicon, Unit, segment


@dataclass(frozen=True, slots=True)
class CoverRow:
    """A sentence with the primitives of its meaning."""

    tokens: tuple[str, ...]
    """BLANK in place of words that need no induction."""
    primitives: frozenset[Primitive]


MIN_COHESION = 0.16
"""Cohesion of two neighbouring words of one unit."""
MIN_COHESION_APART = 0.9
"""Cohesion of two words of one unit with another word between them."""

ENOUGH_ROWS = 10
"""A unit with so many rows is not covered by chance."""


def cover_inducer(
    domain: str, primitives_of: Callable[[Example], Iterable[Primitive]], *, max_candidates: int = 1
) -> Callable[[Sequence[Example], Gazetteer], Lexicon]:
    """Return a ready `Words.induce`, which only has to know the primitives of a row's form."""

    def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
        del gazetteer
        rows = [CoverRow(row.tokens, frozenset(primitives_of(row))) for row in examples]
        return induce_by_cover(domain, rows, max_candidates=max_candidates)

    return induce


def induce_by_cover(
    domain: str,
    rows: Sequence[CoverRow],
    *,
    max_candidates: int,
    max_claims: int = 0,
    max_exceptions: float = 0.0,
    max_chance: float = 1.0,
) -> Lexicon:
    """Induce a lexicon in which no unit has more than `max_candidates` primitives.

    Args:
        domain: The lexicon's domain.
        rows: The training rows.
        max_candidates: Primitives of a unit.
        max_claims: Primitives of a single word while multi-word units are looked for ("film" is a
            part of several); raised to `max_candidates` if it is smaller.
        max_exceptions: The share of a unit's rows that may have none of its primitives.
        max_chance: Where a unit has few rows: the chance that as many rows, drawn at random, would
            have one of its primitives, too.
    """
    occurrences: dict[Primitive, int] = {}
    for index, row in enumerate(rows):
        for primitive in row.primitives:
            occurrences[primitive] = occurrences.get(primitive, 0) | 1 << index

    words = [tuple((token,) for token in row.tokens) for row in rows]
    claims = _covers(words, occurrences, max(max_claims, max_candidates), max_exceptions, 1.0)
    units = _Companions(rows, claims).units()
    longest = max(map(len, units), default=1)
    segmented = [tuple(segment(row.tokens, units, longest)) for row in rows]
    covers = _covers(segmented, occurrences, max_candidates, max_exceptions, max_chance)

    counts: Counter[tuple[Unit, Primitive]] = Counter()
    function_words: Counter[str] = Counter()
    for row, segments in zip(rows, segmented, strict=True):
        for unit in set(segments):
            candidates = covers.get(unit)
            if candidates is None and unit != (BLANK,):
                function_words.update(unit)
            for primitive in candidates or ():
                if primitive in row.primitives:
                    counts[unit, primitive] += 1
    return Lexicon.from_counts(domain, counts, function_words)


def _covers(
    segmented: Sequence[Sequence[Unit]],
    occurrences: dict[Primitive, int],
    limit: int,
    max_exceptions: float,
    max_chance: float,
) -> dict[Unit, tuple[Primitive, ...]]:
    """Return unit -> its cover; units that need more than `limit` primitives are left out."""
    rows_of: dict[Unit, int] = {}
    for index, segments in enumerate(segmented):
        for unit in segments:
            if unit != (BLANK,):
                rows_of[unit] = rows_of.get(unit, 0) | 1 << index
    found: dict[Unit, tuple[Primitive, ...]] = {}
    for unit, rows in rows_of.items():
        cover = _greedy_cover(rows, occurrences, limit, max_exceptions)
        if cover is None:
            continue
        num_rows = rows.bit_count()
        covered = reduce(or_, (occurrences[primitive] for primitive in cover), 0)
        share = covered.bit_count() / len(segmented)
        if num_rows >= ENOUGH_ROWS or share**num_rows <= max_chance:
            found[unit] = cover
    return found


def _greedy_cover(
    rows: int, occurrences: dict[Primitive, int], limit: int, max_exceptions: float
) -> tuple[Primitive, ...] | None:
    """Add the primitive that covers most rows, in a tie the rarest, until few rows are left.

    Sets of rows are the bits of an integer.
    """
    cover: list[Primitive] = []
    max_uncovered = max_exceptions * rows.bit_count()
    while rows.bit_count() > max_uncovered:
        if len(cover) == limit or not occurrences:
            return None
        best = min(
            occurrences,
            key=lambda p: (-(rows & occurrences[p]).bit_count(), occurrences[p].bit_count(), p),
        )
        cover.append(best)
        rows &= ~occurrences[best]
    return tuple(cover)


class _Companions:
    """Finds the multi-word units: words that stand together for one primitive."""

    def __init__(self, rows: Sequence[CoverRow], claims: dict[Unit, tuple[Primitive, ...]]) -> None:
        self.rows = rows
        self.claims = {unit[0]: frozenset(cover) for unit, cover in claims.items()}
        self.words = Counter(token for row in rows for token in row.tokens)
        self.pairs = {
            gap: Counter(
                pair for row in rows for pair in zip(row.tokens, row.tokens[gap:], strict=False)
            )
            for gap in (1, 2)
        }

    def units(self) -> set[Unit]:
        """Return all runs of cohesive words whose covers share a primitive of their row."""
        units: set[Unit] = set()
        for row in self.rows:
            tokens, begin = row.tokens, 0
            while begin < len(tokens):
                end = self._end(row, begin)
                if end - begin > 1:
                    units.add(tokens[begin:end])
                begin = end
        return units

    def _end(self, row: CoverRow, begin: int) -> int:
        """Return the end of the unit that begins at a word."""
        tokens = row.tokens
        shared = row.primitives & self.claims.get(tokens[begin], frozenset())
        end = begin + 1
        while shared:
            for gap, min_cohesion in ((1, MIN_COHESION), (2, MIN_COHESION_APART)):
                position = end - 1 + gap
                if (
                    position < len(tokens)
                    and self._cohesion(tokens[end - 1], tokens[position], gap) > min_cohesion
                ):
                    both = shared & self.claims.get(tokens[position], frozenset())
                    if both:
                        shared, end = both, position + 1
                        break
            else:
                return end
        return end

    def _cohesion(self, first: str, second: str, gap: int) -> float:
        """Return joint occurrences, divided by the geometric mean of the words' occurrences."""
        together = self.pairs[gap][first, second]
        return together / math.sqrt(self.words[first] * self.words[second])
