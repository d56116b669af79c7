"""Which training sentences to learn from, where there are more than is needed.

Sentences with one skeleton teach the same, and most skeletons share their trigrams (three
neighbouring words or units) with many others. So a sample is enough if it holds every trigram often
enough: first come sentences with a trigram that the sample has seldom, then any.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from lear.grammar.sentence_reading import Skeleton

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
    for position in order:
        trigrams = _trigrams(skeletons[position])
        if len(chosen) < limit and any(seen[trigram] < MIN_SENTENCES for trigram in trigrams):
            seen.update(trigrams)
            chosen.append(position)
        else:
            others.append(position)
    return sorted(chosen + others[: limit - len(chosen)])


def _trigrams(skeleton: Skeleton) -> set[Trigram]:
    """Every three neighbours of a sentence; a unit is known by the categories that it can have."""
    units: dict[int, list[int]] = {}
    for leaf in skeleton.leaves:
        units.setdefault(leaf.begin, []).append(leaf.category)
    terminals: list[object] = ["", *_terminals(skeleton, units), ""]
    return set(zip(terminals, terminals[1:], terminals[2:], strict=False))


def _terminals(skeleton: Skeleton, units: dict[int, list[int]]) -> list[object]:
    return [
        word if word is not None else tuple(units[position])
        for position, word in enumerate(skeleton.words)
        if word is not None or position in units
    ]
