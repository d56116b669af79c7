"""Rows for alignment: words that compete, and units of several words."""

from lear.lexicon.alignment import Pair
from lear.lexicon.lexicon import BLANK

ALIGNMENT_ROWS = [
    Pair(("the", "big", "house"), ("big", "house")),
    Pair(("the", "old", "house"), ("old", "house")),
    Pair(("the", "big", "dog"), ("big", "dog")),
    Pair(("an", "old", "dog"), ("old", "dog")),
    Pair(("united", "states"), ("usa",)),
    Pair(("the", "united", "states"), ("usa",)),
    *[Pair((word, "states"), (word, "state")) for word in ("big", "old") for _ in range(10)],
    *[Pair((word, "states"), ("state",)) for word in ("the", BLANK) for _ in range(5)],
]
