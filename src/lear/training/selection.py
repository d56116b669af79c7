"""Which training sentences to learn from, where there are more than is needed.

Sentences with one skeleton teach the same, and most skeletons are put together from pieces that
many others have too. So a sample is enough if it holds every piece often enough: first come
sentences with a piece (three neighbouring words or units) that the sample has seldom, then any.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lear.grammar import Skeleton

OFTEN = 20
"""How many sentences of the sample should have a piece, where there are as many."""
Piece = tuple[object, ...]


def choose(skeletons: Sequence[Skeleton], limit: int, seed: int) -> list[int]:
    """The places of at most `limit` of these, in order; the seed decides between equals."""
    if len(skeletons) <= limit:
        return list(range(len(skeletons)))
    order = np.random.default_rng((seed, len(skeletons))).permutation(len(skeletons)).tolist()
    seen: Counter[Piece] = Counter()
    chosen: list[int] = []
    others: list[int] = []
    for place in order:
        pieces = _pieces(skeletons[place])
        if len(chosen) < limit and any(seen[piece] < OFTEN for piece in pieces):
            seen.update(pieces)
            chosen.append(place)
        else:
            others.append(place)
    return sorted(chosen + others[: limit - len(chosen)])


def _pieces(skeleton: Skeleton) -> set[Piece]:
    """Every three neighbours of a sentence; a unit is known by the categories that it can have."""
    units: dict[int, list[int]] = {}
    for leaf in skeleton.leaves:
        units.setdefault(leaf.begin, []).append(leaf.category)
    symbols: list[object] = ["", *_symbols(skeleton, units), ""]
    return set(zip(symbols, symbols[1:], symbols[2:], strict=False))


def _symbols(skeleton: Skeleton, units: dict[int, list[int]]) -> list[object]:
    return [
        word if word is not None else tuple(units[place])
        for place, word in enumerate(skeleton.words)
        if word is not None or place in units
    ]
