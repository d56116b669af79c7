"""What a parser makes of the words of a text before it looks for derivations."""

from typing import Literal, NamedTuple

from lear.grammar.sentence_reader import SentenceReader


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
    """Words never seen, read as known words that they resemble, or as a domain reads such words."""
    unknown: tuple[str, ...] = ()
    """Words never seen that nothing could be made of."""
    marks: tuple[WordMark, ...] = ()
    """Where repaired and guessed words stand."""


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
            if known is None and word not in ignored and reader.lookalike(word) is None:
                known = reader.known_words.repaired(word)
            if known is not None:
                repaired.append(Substitution(word, known))
        tokens, marks = _repair(tokens, dict(repaired))
    guessed, unknown = [], []
    for place, word in _unknown(reader, tokens):
        if word in ignored:
            continue
        if (known := reader.lookalike(word)) is not None:
            guessed.append(Substitution(word, known))
        elif primitives := reader.domain.words.unknown(word):
            guessed.append(Substitution(word, f"a new {primitives[0].type.lower()}"))
        else:
            unknown.append(word)
            continue
        marks.append(WordMark(place, place + 1, "guessed", guessed[-1].read_as))
    return WordCheck(tokens, tuple(repaired), tuple(guessed), tuple(unknown), tuple(marks))


def _repair(
    tokens: tuple[str, ...], changed: dict[str, str]
) -> tuple[tuple[str, ...], list[WordMark]]:
    """The tokens with words replaced, and where these stand now; one may become several."""
    written: list[str] = []
    marks = []
    for token in tokens:
        begin = len(written)
        written += changed.get(token, token).split()
        if token in changed:
            marks.append(WordMark(begin, len(written), "repaired", token))
    return tuple(written), marks


def _unknown(reader: SentenceReader, tokens: tuple[str, ...]) -> list[tuple[int, str]]:
    """The words that the lexicon does not have by themselves, each with its place."""
    found, place = [], 0
    for unit in reader.segment(tokens):
        if len(unit) == 1 and not reader.is_known(unit[0]):
            found.append((place, unit[0]))
        place += len(unit)
    return found
