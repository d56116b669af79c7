"""What a parser makes of the words of a text before it looks for derivations.

Words that training never showed are repaired, guessed or unknown; `lear.grammar.unknown_words`
knows what they resemble.
"""

from typing import Literal, NamedTuple

from lear.grammar.reading import SentenceReader


class Substitution(NamedTuple):
    """A word of the text, and what it was read as."""

    word: str
    read_as: str

    def __str__(self) -> str:
        return f"{self.word!r} as {self.read_as!r}"


MarkKind = Literal["repaired", "guessed", "overlooked", "unused"]


class WordMark(NamedTuple):
    """What was done about some words of a sentence, and where they stand."""

    begin: int
    end: int
    """Among the tokens, half-open."""
    kind: MarkKind
    text: str
    """The word that was typed, if it was repaired; what it was read as, if it was guessed; else the
    words themselves."""


class WordCheck(NamedTuple):
    """The tokens to parse, and what was done about words that training never showed."""

    tokens: tuple[str, ...]
    """With repaired words in place of misspelt ones."""
    repaired: tuple[Substitution, ...] = ()
    """Clear misspellings and synonyms, and the known words that they were taken for."""
    guessed: tuple[Substitution, ...] = ()
    """Words never seen, read as known words that they resemble, or as a domain reads such words;
    each once."""
    unknown: tuple[str, ...] = ()
    """Words never seen that nothing could be made of, each once."""
    marks: tuple[WordMark, ...] = ()
    """Where repaired and guessed words stand."""

    @property
    def num_guessed(self) -> int:
        """How many tokens were guessed."""
        words = {word for word, _ in self.guessed}
        return sum(token in words for token in self.tokens) if words else 0

    @property
    def is_all_unknown(self) -> bool:
        """True if nothing is left of the sentence without what nothing could be made of."""
        return bool(self.unknown) and set(self.tokens) == set(self.unknown)


def check_words(reader: SentenceReader, tokens: tuple[str, ...], *, is_typed: bool) -> WordCheck:
    """Look at every word that is no part of a known unit.

    Args:
        reader: Knows the words.
        tokens: Of the sentence.
        is_typed: Whether a person typed it, who may misspell words and use others than training
            has; tokens of a benchmark are taken as they are.
    """
    if reader.single_words.issuperset(tokens):  # as nearly always
        return WordCheck(tokens)
    everyday = reader.domain.words.everyday
    repaired, ignored = [], frozenset[str]()
    marks: list[WordMark] = []
    if is_typed:
        ignored = everyday.without_meaning
        for word in dict.fromkeys(word for _, word in _unknown(reader, tokens)):
            known = everyday.synonyms.get(word)
            if known is None and not _is_right(reader, word):
                known = reader.known_words.repaired(word)
            if known is not None:
                repaired.append(Substitution(word, known))
        tokens, marks = _repair(tokens, dict(repaired))
    places = [(place, word) for place, word in _unknown(reader, tokens) if word not in ignored]
    readings = {word: _guess(reader, word, tokens) for word in dict.fromkeys(w for _, w in places)}
    guessed = {word: read_as for word, read_as in readings.items() if read_as is not None}
    marks += (
        WordMark(place, place + 1, "guessed", guessed[word])
        for place, word in places
        if word in guessed
    )
    return WordCheck(
        tokens,
        tuple(repaired),
        tuple(Substitution(word, read_as) for word, read_as in guessed.items()),
        tuple(word for word in readings if word not in guessed),
        tuple(marks),
    )


def _guess(reader: SentenceReader, word: str, tokens: tuple[str, ...]) -> str | None:
    """Return what a word never seen is read as; None if nothing can be made of it.

    Nothing is made of a word that the lexicon has in units only ("haven", of New Haven).
    """
    if word in reader.lexicon.words:
        return None
    if (known := reader.lookalike(word)) is not None:
        return known
    primitives = reader.domain.words.unknown(word)
    if not primitives or _is_alone(word, tokens):
        return None
    return f"a new {primitives[0].type.lower()}"


def _repair(
    tokens: tuple[str, ...], changed: dict[str, str]
) -> tuple[tuple[str, ...], list[WordMark]]:
    """Return the tokens with words replaced, and where these stand now; one may become several."""
    written: list[str] = []
    marks = []
    for token in tokens:
        begin = len(written)
        written += changed.get(token, token).split()
        if token in changed:
            marks.append(WordMark(begin, len(written), "repaired", token))
    return tuple(written), marks


def _unknown(reader: SentenceReader, tokens: tuple[str, ...]) -> list[tuple[int, str]]:
    """Return the words that the lexicon does not have by themselves, each with its place."""
    found, place = [], 0
    for unit in reader.segment(tokens):
        if len(unit) == 1 and not reader.is_known(unit[0]):
            found.append((place, unit[0]))
        place += len(unit)
    return found


def _is_right(reader: SentenceReader, word: str) -> bool:
    """Return True if a word that training never showed may be spelt as it is meant to be."""
    everyday = reader.domain.words.everyday
    is_listed = word in everyday.without_meaning or word in everyday.outside
    return is_listed or bool(reader.lookalike(word) or reader.domain.words.unknown(word))


def _is_alone(word: str, tokens: tuple[str, ...]) -> bool:
    """Return True if no other word says what a new one may be: it may be of any language."""
    return len(tokens) == 1 and not any(map(str.isdigit, word))
