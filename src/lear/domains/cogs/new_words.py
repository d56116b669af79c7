"""What a word that training never showed may be: a noun, or a name if it is capitalised.

English has new nouns and names every day, but hardly ever new auxiliaries, pronouns or
prepositions: a word of such a closed class that training lacks is outside the language.
"""

import unicodedata
from collections.abc import Sequence

from lear.core.lexicon import Primitive

_CLOSED_CLASSES = frozenset(
    (
        "am", "is", "are", "was", "were", "be", "been", "being", "do", "does", "did", "done", "has",
        "have", "had", "having", "can", "could", "will", "would", "shall", "should", "may", "might",
        "must", "ought", "not", "i", "you", "he", "she", "it", "we", "they", "me", "him", "her",
        "us", "them", "my", "your", "his", "its", "our", "their", "mine", "yours", "hers", "ours",
        "theirs", "myself", "yourself", "himself", "herself", "itself", "ourselves", "themselves",
        "who", "whom", "whose", "which", "what", "where", "when", "why", "how", "that", "this",
        "these", "those", "there", "here", "a", "an", "the", "some", "any", "every", "each", "no",
        "all", "both", "either", "neither", "many", "much", "more", "most", "few", "several", "and",
        "or", "but", "nor", "if", "because", "while", "although", "though", "unless", "until",
        "since", "than", "as", "so", "of", "in", "on", "at", "by", "for", "with", "from", "into",
        "onto", "to", "over", "under", "about", "after", "before", "between", "through", "during",
        "without", "within", "against", "among", "above", "below", "beside", "behind", "near", "up",
        "down", "out", "off", "yes", "please", "hello", "hi", "very", "too", "also", "then",
    )
)  # fmt: skip
_ALSO_NAMES = frozenset(("May", "Will"))


def unknown(word: str) -> Sequence[Primitive]:
    """Take an unknown word for a name if it is capitalised, else for a noun with it as lemma."""
    is_closed = word.lower() in _CLOSED_CLASSES and word not in _ALSO_NAMES
    if is_closed or not _is_spelt_with_letters(word):
        return ()
    return (Primitive("Name" if word[:1].isupper() else "Noun", word),)


def _is_spelt_with_letters(word: str) -> bool:
    """Whether a word is Latin letters, with hyphens or apostrophes between some of them at most."""
    return all(
        part.isalpha() and (part.isascii() or all(map(_is_latin, part)))
        for part in word.replace("'", "-").split("-")
    )


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN ")
