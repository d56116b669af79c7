"""Words that training never showed: what they may be forms or misspellings of."""

from collections.abc import Container, Iterable, Mapping
from functools import cached_property
from itertools import takewhile
from operator import eq
from typing import Literal, get_args

from lear.lexicon.stems import stem

UnknownWords = Literal["refuse", "overlook"]
UNKNOWN_WORDS: tuple[UnknownWords, ...] = get_args(UnknownWords)
"""What may become of sentences with words that nothing can be made of."""

MIN_REPAIR_LETTERS = 6
"""A shorter word is never repaired: too many words are one letter away from it."""
MIN_SUGGESTION_LETTERS, MIN_LETTERS_FOR_TWO_EDITS = 4, 8
"""How long a word must be for others to be suggested that are one edit away, or two."""
MIN_COMMON_LETTERS = 4
"""How many first letters two words must share for one to be guessed to mean the other."""
MIN_COMMON_SHARE = 0.55
"""How large a part of the longer word these letters must be."""
SHORT, LONG = 6, 8
"""A word with fewer letters is short, as many others are like it; one with so many is long."""
MIN_COUNT, MIN_COUNT_OF_SHORT, MIN_COUNT_OF_LONG = 3, 5, 2
"""How often training must have a word for it to be meant by another one; by a short one; by a long
one that is one edit away."""
MIN_COUNT_OF_REPAIR = 5
"""How often it must have a word that is no name for one that is not long to be repaired."""
MIN_LETTERS_FOR_OTHER_VOWEL, MIN_LETTERS_FOR_OTHER_LETTER = 7, 9
"""How long a word must be to be repaired by another letter in place of one of its own."""
VOWELS = frozenset("aeiouy")
MIN_LETTERS_OF_PART = 7
"""A word that is only a part of longer names is seldom meant, and never one that is shorter."""
MORE_ENDINGS, LESS_ENDINGS = frozenset("sdrny"), frozenset("s")
"""Letters that a word may end with more than a name, or less, for other reasons than an error."""


class KnownWords:
    """The words of a lexicon, to compare others with.

    Distances are counted in edits: a letter more, less or other, or two
    neighbours exchanged.
    """

    def __init__(
        self,
        counts: Mapping[str, int],
        inflected: Iterable[str],
        names: Iterable[str] = (),
        parts_of_names: Iterable[str] = (),
    ) -> None:
        """The words that there are.

        Args:
            counts: Words by how often training has them; names that are only listed have few.
            inflected: Those of them that have other forms.
            names: Those that are names.
            parts_of_names: Those that names of several words are made of.
        """
        self._counts = counts
        self._inflected = frozenset(inflected)
        self._names = frozenset(names)
        self._parts = frozenset(parts_of_names)

    @cached_property
    def _in_lower_case(self) -> dict[str, str]:
        """Return words in lower case -> the most frequent of those that are spelt so."""
        words = sorted(self._counts, key=lambda word: (self._counts[word], word))
        return {word.lower(): word for word in words}

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        """First letter -> its inflected words, the most frequent first."""
        by_letter: dict[str, list[str]] = {}
        for word in sorted(self._inflected, key=lambda word: (-self._counts[word], word)):
            by_letter.setdefault(word[:1], []).append(word)
        return by_letter

    def same_stem(self, word: str) -> str | None:
        """Return the known word of which a word may be a form; of several the nearest in length.

        The more letters two forms share, the more of their meaning: neighbors, neighbor, but
        neighboring.
        """
        # A stem begins as its word does, so others need not be stemmed, which takes long.
        wanted = stem(word)
        words = [other for other in self._by_letter.get(word[:1], ()) if stem(other) == wanted]
        return min(words, key=lambda other: abs(len(other) - len(word)), default=None)

    def same_beginning(self, word: str) -> str | None:
        """Return the known word that shares the longest beginning with a word: a guess, no more."""
        shares = [
            (_num_common_letters(word, other) / max(len(word), len(other)), other)
            for other in self._inflected
            if other.startswith(word[:1]) and is_superlative(other) == is_superlative(word)
        ]
        share, best = max(shares, default=(0.0, ""))
        is_alike = _num_common_letters(word, best) >= MIN_COMMON_LETTERS
        return best if is_alike and share >= MIN_COMMON_SHARE else None

    def repaired(self, word: str) -> str | None:
        """Return the known word that a word clearly misspells: the only one an edit away."""
        if len(word) < MIN_REPAIR_LETTERS or not word.isalpha():
            return None
        near = self._near(word, 1, MIN_REPAIR_LETTERS)
        if len(near) != 1 or self._is_form(word, near[0]) or self._is_rare(near[0], len(word)):
            return None
        return None if _is_another_word(word, near[0]) else near[0]

    def suggestion(self, word: str) -> str | None:
        """Return the known word that is spelt most like a word, if it is like it at all.

        That is the same word in other case, if there is one.
        """
        same = self._in_lower_case.get(word.lower())
        if same is not None and same != word:
            return same
        if len(word) < MIN_SUGGESTION_LETTERS or not word.isalpha():
            return None
        near = self._near(
            word, 1 + (len(word) >= MIN_LETTERS_FOR_TWO_EDITS), MIN_SUGGESTION_LETTERS
        )
        return near[0] if near else None

    def _near(self, word: str, max_edits: int, min_letters: int) -> list[str]:
        """Known words within so many edits that may be meant, nearest first, then by frequency."""
        from rapidfuzz import process  # loaded when a word is unknown, which is seldom
        from rapidfuzz.distance import OSA

        words = list(self._counts)
        near = process.extract_iter(word, words, scorer=OSA.distance, score_cutoff=max_edits)
        found = [
            (edits, -self._counts[other], other)
            for other, edits, _ in near
            if len(other) >= min_letters and self._may_mean(word, other, edits)
        ]
        return [other for _, _, other in sorted(found)]

    def _may_mean(self, word: str, other: str, edits: int) -> bool:
        """Return whether a word so many edits away from a known one may be meant for that one.

        Few people misspell the first letter of a word, and north is not worth. Superlatives are
        alike for their ending: the youngest is not the longest.
        """
        if edits == 0 or (word[0] != other[0] and word[:2] != other[1::-1]):
            return False
        if (is_superlative(word) or is_superlative(other)) and (
            edits > 1 or not set(word) <= set(other)
        ):
            return False
        if len(word) == MIN_SUGGESTION_LETTERS == len(other) and sorted(word) != sorted(other):
            return False  # most words of four letters have others that differ in one
        return self._counts[other] >= self._min_count(word, other, edits)

    def _min_count(self, word: str, other: str, edits: int) -> int:
        """Return how often training must have a known word for another one to be meant for it."""
        if len(word) < SHORT:
            return MIN_COUNT_OF_SHORT
        if edits == 1 and other in self._names:
            return 0
        if edits == 1 and other in self._parts and len(other) >= MIN_LETTERS_OF_PART:
            return 0
        return MIN_COUNT_OF_LONG if edits == 1 and len(word) >= LONG else MIN_COUNT

    def _is_rare(self, other: str, num_letters: int) -> bool:
        """Return whether training hardly has a word that is no name: a county is not a country."""
        is_name = other in self._names or other in self._parts
        return self._counts[other] < MIN_COUNT_OF_REPAIR and num_letters < LONG and not is_name

    def _is_form(self, word: str, other: str) -> bool:
        """Return whether a word may be another form of a known one: an ending more or less.

        A long name has no forms, but there may be a word for who lives there (virginian).
        """
        if not (word.startswith(other) or other.startswith(word)):
            return False
        if other not in self._names or len(word) < LONG:
            return True
        endings = MORE_ENDINGS if len(word) > len(other) else LESS_ENDINGS
        return max(word, other, key=len)[-1] in endings


def _is_another_word(word: str, other: str) -> bool:
    """Return whether one letter is another one, as between many English words (prints, points).

    Long words have few such neighbours, and vowels are often confused.
    """
    pairs = [pair for pair in zip(word, other, strict=False) if pair[0] != pair[1]]
    if len(word) != len(other) or len(pairs) != 1:
        return False
    is_vowel = VOWELS.issuperset(pairs[0])
    return len(word) < (MIN_LETTERS_FOR_OTHER_VOWEL if is_vowel else MIN_LETTERS_FOR_OTHER_LETTER)


def is_comparative(word: str, known: Container[str]) -> bool:
    """Return whether a word is by its ending the comparative of a known one: bigger, larger.

    Who asks what is bigger asks not how big. Few of the nouns that end so, as pointer, are asked
    about.
    """
    if not word.endswith("er"):
        return False
    base = word.removesuffix("er")
    return base in known or f"{base}e" in known or (base[-1:] == base[-2:-1] and base[:-1] in known)


def is_superlative(word: str) -> bool:
    """Return whether a word is one by its ending: what is higher, or high, is not the highest."""
    return word.endswith("est")


def _num_common_letters(word: str, other: str) -> int:
    """Return how many letters two words begin with alike."""
    return sum(takewhile(bool, map(eq, word, other)))
