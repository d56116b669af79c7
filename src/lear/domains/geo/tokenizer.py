"""Questions as tokens: lower case, no punctuation, `'s` as a token of its own."""

from lear.core.plain_text import lower, plain, without_accents, words_and_marks
from lear.domains.geo.spellings import as_geobase_spells, without_abbreviating_marks


def tokenize(text: str) -> tuple[str, ...]:
    """`What's the U.S. state's capital?` -> what is the us state 's capital."""
    question = lower(without_accents(plain(text))).replace("-", " ")
    words = words_and_marks(without_abbreviating_marks(question))
    return tuple(as_geobase_spells(" ".join(words)).split())
