"""Which training sentences to learn from, where there are more than is needed.

Sentences with one skeleton teach the same, and most skeletons share their trigrams (three
neighbouring words or units) with many others. So a sample is enough if it holds every trigram often
enough: first come sentences with a trigram that the sample has seldom, then any.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lear.grammar.reading import Skeleton

MIN_SENTENCES = 20
"""How many sentences of the sample should have a trigram, where there are as many."""
Trigram = tuple[object, ...]


def choose(skeletons: Sequence[Skeleton], limit: int, seed: int) -> list[int]:
    """The places of at most `limit` of these, in order; the seed decides between equals."""
    if len(skeletons) <= limit:
        return list(range(len(skeletons)))
    order = np.random.default_rng((seed, len(skeletons))).permutation(len(skeletons)).tolist()
    seen: Counter[Trigram] = Counter()
    chosen: list[int] = []
    others: list[int] = []
    for place in order:
        trigrams = _trigrams(skeletons[place])
        if len(chosen) < limit and any(seen[trigram] < MIN_SENTENCES for trigram in trigrams):
            seen.update(trigrams)
            chosen.append(place)
        else:
            others.append(place)
    return sorted(chosen + others[: limit - len(chosen)])


def _trigrams(skeleton: Skeleton) -> set[Trigram]:
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
