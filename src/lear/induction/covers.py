"""Inducing a lexicon from pairs of sentence and primitives alone, by small covers.

A word stands for a small set of primitives that has a member in every row with the word, found
greedily; a word that no such set covers is a function word. Words that claim the same primitive of
a row and keep each other's company are parts of one multi-word unit ("best friend", "country of
nationality"), and the covers are computed again over units.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lear.core.lexicon import BLANK, Lexicon, Primitive, Unit, segment


@dataclass(frozen=True, slots=True)
class CoverRow:
    """A training pair as the induction sees it."""

    tokens: tuple[str, ...]
    """BLANK where a word is known already."""
    primitives: frozenset[Primitive]


COHESION = 0.16
"""How much of the time two neighbours must spend together to be one unit."""
COHESION_APART = 0.9
"""The same for two words with another between them."""


def induce_by_cover(
    domain: str,
    rows: Sequence[CoverRow],
    *,
    max_candidates: int,
    max_claims: int = 0,
    max_exceptions: float = 0.0,
) -> Lexicon:
    """A lexicon in which no unit has more than `max_candidates` primitives.

    Args:
        domain: The lexicon's domain.
        rows: The training pairs.
        max_candidates: How ambiguous a unit may be.
        max_claims: How ambiguous a word of a multi-word unit may be by itself, as "film" is in
            "film editor"; at least `max_candidates`.
        max_exceptions: The share of its rows that a unit's primitives may fail to explain.
    """
    occurrences: dict[Primitive, int] = {}
    for index, row in enumerate(rows):
        for primitive in row.primitives:
            occurrences[primitive] = occurrences.get(primitive, 0) | 1 << index

    words = [tuple((token,) for token in row.tokens) for row in rows]
    claims = _covers(words, occurrences, max(max_claims, max_candidates), max_exceptions)
    units = _Companions(rows, claims).units()
    longest = max(map(len, units), default=1)
    segmented = [tuple(segment(row.tokens, units, longest)) for row in rows]
    covers = _covers(segmented, occurrences, max_candidates, max_exceptions)

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
) -> dict[Unit, tuple[Primitive, ...]]:
    """Unit -> its greedy cover; units that need more than `limit` primitives are left out."""
    rows_of: dict[Unit, int] = {}
    for index, segments in enumerate(segmented):
        for unit in segments:
            if unit != (BLANK,):
                rows_of[unit] = rows_of.get(unit, 0) | 1 << index
    covers = {
        unit: _greedy_cover(rows, occurrences, limit, max_exceptions)
        for unit, rows in rows_of.items()
    }
    return {unit: cover for unit, cover in covers.items() if cover is not None}


def _greedy_cover(
    rows: int, occurrences: dict[Primitive, int], limit: int, max_exceptions: float
) -> tuple[Primitive, ...] | None:
    """The primitive that covers most rows, ties to the rarest one, until few rows are left."""
    cover: list[Primitive] = []
    most_left = max_exceptions * rows.bit_count()
    while rows.bit_count() > most_left:
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
    """Words that stand together for one primitive."""

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
        """Every run of words that claim one primitive of their row and belong together."""
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
        """Where the unit ends that begins at a word."""
        tokens = row.tokens
        shared = row.primitives & self.claims.get(tokens[begin], frozenset())
        end = begin + 1
        while shared:
            for gap, least in ((1, COHESION), (2, COHESION_APART)):
                place = end - 1 + gap
                if (
                    place < len(tokens)
                    and self._cohesion(tokens[end - 1], tokens[place], gap) > least
                ):
                    both = shared & self.claims.get(tokens[place], frozenset())
                    if both:
                        shared, end = both, place + 1
                        break
            else:
                return end
        return end

    def _cohesion(self, first: str, second: str, gap: int) -> float:
        """How often two words stand so, beside how often they occur: the cosine of the two."""
        together = self.pairs[gap][first, second]
        return together / math.sqrt(self.words[first] * self.words[second])
