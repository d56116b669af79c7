"""Reading a word never seen as a known one with the same stem."""

from collections.abc import Iterable

LEAST_LETTERS = 4
"""That two words must begin with for one to be read as the other,"""
LEAST_SHARE = 0.55
"""and which part of the longer one these must be."""


def same_stem(word: str, known: Iterable[str]) -> str | None:
    """The known word that shares most of its letters with a word, from the first one on."""
    _, best, size = max(
        (
            (size / max(len(word), len(other)), other, size)
            for other in known
            if (size := _common_prefix(word, other))
        ),
        default=(0.0, "", 0),
    )
    is_alike = size >= LEAST_LETTERS and size >= LEAST_SHARE * max(len(word), len(best))
    return best if is_alike else None


def _common_prefix(first: str, second: str) -> int:
    pairs = enumerate(zip(first, second, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(first), len(second)))
