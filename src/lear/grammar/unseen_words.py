"""Words that training never showed: what they may be forms or misspellings of."""

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from itertools import takewhile
from operator import eq

from lear.core.stems import stem

MIN_REPAIR_LETTERS = 6
"""A shorter word is never repaired: too many words are one letter away from it."""
MIN_SUGGESTION_LETTERS, MIN_LETTERS_FOR_TWO_EDITS = 5, 8
"""How long a word must be for others to be suggested that are one edit away, or two."""
MIN_COMMON_LETTERS = 4
"""How many first letters two words must share for one to be guessed to mean the other."""
MIN_COMMON_SHARE = 0.55
"""How large a part of the longer word these letters must be."""
MIN_COUNT = 2
"""How often training must have a word for it to be suggested in place of another."""


class KnownWords:
    """The words of a lexicon, to compare others with.

    Distances are counted in edits: a letter more, less or other, or two
    neighbours exchanged.
    """

    def __init__(self, counts: Mapping[str, int], inflected: Iterable[str]) -> None:
        """Words by how often training has them, and those of them that have other forms."""
        self._counts = counts
        self._inflected = frozenset(inflected)

    @cached_property
    def _frequent(self) -> list[str]:
        """The words that may be meant by a misspelt one."""
        return [word for word, count in self._counts.items() if count >= MIN_COUNT]

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        """First letter -> its inflected words, the most frequent first."""
        by_letter: dict[str, list[str]] = {}
        for word in sorted(self._inflected, key=lambda word: (-self._counts[word], word)):
            by_letter.setdefault(word[:1], []).append(word)
        return by_letter

    def same_stem(self, word: str) -> str | None:
        """The known word of which a word may be another form; of several the one nearest in length.

        The more letters two forms share, the more of their meaning: neighbors, neighbor, but
        neighboring.
        """
        # A stem begins as its word does, so others need not be stemmed, which takes long.
        words = [other for other in self._by_letter.get(word[:1], ()) if stem(other) == stem(word)]
        return min(words, key=lambda other: abs(len(other) - len(word)), default=None)

    def same_beginning(self, word: str) -> str | None:
        """The known word that shares the longest beginning with a word: a guess, no more."""
        shares = [
            (_num_common_letters(word, other) / max(len(word), len(other)), other)
            for other in self._inflected
            if other.startswith(word[:1]) and is_superlative(other) == is_superlative(word)
        ]
        share, best = max(shares, default=(0.0, ""))
        is_alike = _num_common_letters(word, best) >= MIN_COMMON_LETTERS
        return best if is_alike and share >= MIN_COMMON_SHARE else None

    def repaired(self, word: str) -> str | None:
        """The known word that a word is a clear misspelling of: one edit away, and the only one."""
        if len(word) < MIN_REPAIR_LETTERS or not word.isalpha():
            return None
        near = self._near(word, 1, MIN_REPAIR_LETTERS)
        return near[0] if len(near) == 1 else None

    def suggestion(self, word: str) -> str | None:
        """The known word that is spelt most like a word, if it is like it at all."""
        if len(word) < MIN_SUGGESTION_LETTERS or not word.isalpha():
            return None
        near = self._near(
            word, 1 + (len(word) >= MIN_LETTERS_FOR_TWO_EDITS), MIN_SUGGESTION_LETTERS
        )
        return near[0] if near else None

    def _near(self, word: str, max_edits: int, min_letters: int) -> list[str]:
        """Frequent known words within so many edits, nearest first, then by frequency."""
        from rapidfuzz import process  # loaded when a word is unknown, which is seldom
        from rapidfuzz.distance import OSA

        near = process.extract_iter(
            word, self._frequent, scorer=OSA.distance, score_cutoff=max_edits
        )
        found = [
            (edits, -self._counts[other], other)
            for other, edits, _ in near
            # An ending more or less makes another word, not a misspelling.
            if len(other) >= min_letters and not (word.startswith(other) or other.startswith(word))
        ]
        return [other for _, _, other in sorted(found)]


def is_comparative(word: str, known: Container[str]) -> bool:
    """Whether a word is the comparative of a known one, by its ending: bigger, larger, longer.

    Who asks what is bigger asks not how big. Few of the nouns that end so, as pointer, are asked
    about.
    """
    if not word.endswith("er"):
        return False
    base = word.removesuffix("er")
    return base in known or f"{base}e" in known or (base[-1:] == base[-2:-1] and base[:-1] in known)


def is_superlative(word: str) -> bool:
    """Whether a word is one by its ending: what is higher, or high, is not the highest."""
    return word.endswith("est")


def _num_common_letters(word: str, other: str) -> int:
    """How many letters two words begin with alike."""
    return sum(takewhile(bool, map(eq, word, other)))
