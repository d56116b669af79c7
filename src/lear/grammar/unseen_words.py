"""Reading a word that training never showed as one that it did, with the same stem."""

from collections.abc import Iterable

MIN_LETTERS = 4
"""How many first letters two words must share for one to be read as the other."""
MIN_SHARE = 0.55
"""How large a part of the longer word these letters must be."""


def same_stem(word: str, others: Iterable[str]) -> str | None:
    """The word that shares the longest beginning with a given one, if it is long enough."""
    _, best, size = max(
        (
            (size / max(len(word), len(other)), other, size)
            for other in others
            if (size := _common_prefix(word, other))
        ),
        default=(0.0, "", 0),
    )
    is_alike = size >= MIN_LETTERS and size >= MIN_SHARE * max(len(word), len(best))
    return best if is_alike else None


def _common_prefix(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))
