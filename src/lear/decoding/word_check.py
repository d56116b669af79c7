"""What a parser makes of the words of a text before it looks for derivations."""

from typing import NamedTuple

from lear.grammar.sentence_reader import SentenceReader


class Substitution(NamedTuple):
    """A word of the text, and what it was read as."""

    word: str
    read_as: str

    def __str__(self) -> str:
        return f"{self.word!r} as {self.read_as!r}"


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

    @property
    def num_guessed(self) -> int:
        """How many tokens were guessed."""
        words = {word for word, _ in self.guessed}
        return sum(token in words for token in self.tokens) if words else 0

    @property
    def is_all_unknown(self) -> bool:
        """Whether nothing is left of the sentence without what nothing could be made of."""
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
    if is_typed:
        ignored = everyday.without_meaning
        for word in dict.fromkeys(_unknown(reader, tokens)):
            known = everyday.synonyms.get(word)
            if known is None and not _is_right(reader, word):
                known = reader.known_words.repaired(word)
            if known is not None:
                repaired.append(Substitution(word, known))
        changed = dict(repaired)
        # A synonym may be several words.
        tokens = tuple(part for token in tokens for part in changed.get(token, token).split())
    guessed, unknown = [], []
    for word in dict.fromkeys(_unknown(reader, tokens)):
        if word in ignored:
            continue
        if (known := reader.lookalike(word)) is not None:
            guessed.append(Substitution(word, known))
        elif (primitives := reader.domain.words.unknown(word)) and not _is_alone(word, tokens):
            guessed.append(Substitution(word, f"a new {primitives[0].type.lower()}"))
        else:
            unknown.append(word)
    return WordCheck(tokens, tuple(repaired), tuple(guessed), tuple(unknown))


def _unknown(reader: SentenceReader, tokens: tuple[str, ...]) -> list[str]:
    """The words that the lexicon does not have by themselves."""
    units = reader.segment(tokens)
    return [unit[0] for unit in units if len(unit) == 1 and not reader.is_known(unit[0])]


def _is_right(reader: SentenceReader, word: str) -> bool:
    """Whether a word that training never showed may be spelt as it is meant to be."""
    everyday = reader.domain.words.everyday
    is_listed = word in everyday.without_meaning or word in everyday.outside
    return is_listed or bool(reader.lookalike(word) or reader.domain.words.unknown(word))


def _is_alone(word: str, tokens: tuple[str, ...]) -> bool:
    """Whether no other word says what a new one may be, so that it may be of any language."""
    return len(tokens) == 1 and not any(map(str.isdigit, word))
