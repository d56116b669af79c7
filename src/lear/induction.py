"""Inducing a lexicon from pairs of sentence and primitives alone, by small covers.

A word stands for a small set of primitives that has a member in every row with the word, found
greedily; a word that no such set covers is a function word. Neighbours that claim the same
primitive of a row are parts of one multi-word unit ("best friend"), and the covers are computed
again over units.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from lear.lexicon import Lexicon, Primitive, Unit


@dataclass(frozen=True, slots=True)
class Row:
    """A training pair as the induction sees it."""

    tokens: tuple[str, ...]
    primitives: frozenset[Primitive]


def induce_by_cover(domain: str, rows: Sequence[Row], *, max_candidates: int) -> Lexicon:
    """A lexicon in which no unit has more than `max_candidates` primitives."""
    occurrences: dict[Primitive, int] = {}
    for index, row in enumerate(rows):
        for primitive in row.primitives:
            occurrences[primitive] = occurrences.get(primitive, 0) | 1 << index

    words = [tuple((token,) for token in row.tokens) for row in rows]
    covers = _covers(words, occurrences, max_candidates)
    units = _merge_claims(rows, covers)
    segmented = [tuple(_segment(row.tokens, units)) for row in rows]
    covers = _covers(segmented, occurrences, max_candidates)

    counts: Counter[tuple[Unit, Primitive]] = Counter()
    function_words: Counter[str] = Counter()
    for row, segments in zip(rows, segmented, strict=True):
        for unit in set(segments):
            candidates = covers.get(unit)
            if candidates is None:
                function_words.update(unit)
            for primitive in candidates or ():
                if primitive in row.primitives:
                    counts[unit, primitive] += 1
    return Lexicon.from_counts(domain, counts, function_words)


def _covers(
    segmented: Sequence[Sequence[Unit]], occurrences: dict[Primitive, int], limit: int
) -> dict[Unit, tuple[Primitive, ...]]:
    """Unit -> its greedy cover; units that need more than `limit` primitives are left out."""
    rows_of: dict[Unit, int] = {}
    for index, segments in enumerate(segmented):
        for unit in segments:
            rows_of[unit] = rows_of.get(unit, 0) | 1 << index
    covers = {unit: _greedy_cover(rows, occurrences, limit) for unit, rows in rows_of.items()}
    return {unit: cover for unit, cover in covers.items() if cover is not None}


def _greedy_cover(
    rows: int, occurrences: dict[Primitive, int], limit: int
) -> tuple[Primitive, ...] | None:
    """The primitive that covers most rows, ties to the rarest one, until all rows are covered."""
    cover: list[Primitive] = []
    while rows:
        if len(cover) == limit or not occurrences:
            return None
        best = min(
            occurrences,
            key=lambda p: (-(rows & occurrences[p]).bit_count(), occurrences[p].bit_count(), p),
        )
        cover.append(best)
        rows &= ~occurrences[best]
    return tuple(cover)


def _merge_claims(rows: Iterable[Row], covers: dict[Unit, tuple[Primitive, ...]]) -> set[Unit]:
    """Runs of neighbours that all claim one and the same primitive of their row."""
    units: set[Unit] = set()
    for row in rows:
        begin = 0
        shared: frozenset[Primitive] = frozenset()
        for end, token in enumerate((*row.tokens, "")):
            claims = row.primitives & frozenset(covers.get((token,), ()))
            if end > begin and shared & claims:
                shared &= claims
                continue
            if end - begin > 1:
                units.add(row.tokens[begin:end])
            begin, shared = end, claims
    return units


def _segment(tokens: tuple[str, ...], units: set[Unit]) -> Iterator[Unit]:
    """A sentence cut into units, the longest first at each place, and single words."""
    longest = max(map(len, units), default=1)
    begin = 0
    while begin < len(tokens):
        size = next(
            (n for n in range(longest, 1, -1) if tokens[begin : begin + n] in units),
            1,
        )
        yield tokens[begin : begin + size]
        begin += size
