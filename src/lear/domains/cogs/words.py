"""Words of COGS: tokens, what words never seen may be, and the lexicon from training rows alone.

A variable is a token position, so the form itself aligns words with predicates: the word at i has
the lemma of the noun or verb whose first argument is i. A word at a position without a predicate is
a function word. A verb's frame comes from uses without a function word before it (no passive `was`,
no `to`): if the only argument is mostly the theme, the verb is unaccusative. The frame decides how
a lone verb prints and which category it has; it forbids no operation.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Self, get_args

from lear.algebra.algebra import Meaning, MeaningTable, Primitive
from lear.benchmark import Example, Gazetteer
from lear.domains.cogs.algebra import (
    COGS_ALGEBRA,
    Entity,
    Event,
    Frame,
    Name,
    Noun,
    Verb,
    arguments,
    children,
)
from lear.domains.cogs.forms import read
from lear.errors import FormError
from lear.lexicon.lexicon import Lexicon, Unit
from lear.lexicon.plain_text import is_shouted, lower, plain, words_and_marks

ENDS = ".?!"
DETERMINERS = ("a", "the")
_SPELT = {"a": "a", "an": "a", "the": "the", "tv": "TV"}  # COGS writes "a envelope"
_ANY_CASE = re.compile(rf"(?<!\w)(?:{'|'.join(_SPELT)})(?!\w)", re.IGNORECASE)
_QUESTION_WORDS = frozenset(
    ("who", "whom", "whose", "what", "which", "where", "when", "why", "how")
)


def tokenize(text: str) -> tuple[str, ...]:
    """Spell text as COGS does: `the girl slept` -> The girl slept . (a lone word has no stop)."""
    # Each sentence ends once, however many marks it ends with.
    found = words_and_ends(text)
    sentences = [list(part) for is_end, part in groupby(found, ENDS.__contains__) if not is_end]
    if not sentences:
        return ()
    tokens = [_spelt(word) for words in sentences for word in (*words, ".")]
    if len(tokens) == 2:
        return (tokens[0],)
    if tokens[0] in DETERMINERS:
        tokens[0] = tokens[0].capitalize()
    # COGS asks nothing. With a full stop, "Who slept?" would be about somebody called Who.
    if tokens[0].lower() in _QUESTION_WORDS:
        tokens[-1] = "?"
    return tuple(tokens)


def words_and_ends(text: str) -> list[str]:
    """Return the words of a text and the marks at ends of sentences, not all in capitals."""
    plain_text = plain(text)
    if is_shouted(_ANY_CASE.sub("", plain_text)):
        plain_text = lower(plain_text)
    return list(words_and_marks(plain_text, marks=ENDS))


def _spelt(word: str) -> str:
    return _SPELT.get(word.lower(), word)


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
    """Take an unknown word for a name if it is capitalised, else for a noun with it as lemma.

    English has new nouns and names every day, but hardly ever new auxiliaries, pronouns or
    prepositions: a word of such a closed class that training lacks is outside the language.
    """
    is_closed = word.lower() in _CLOSED_CLASSES and word not in _ALSO_NAMES
    if is_closed or not _is_spelt_with_letters(word):
        return ()
    return (Primitive("Name" if word[:1].isupper() else "Noun", word),)


def _is_spelt_with_letters(word: str) -> bool:
    """Return whether a word is Latin letters, with hyphens or apostrophes between them at most."""
    return all(
        part.isalpha() and (part.isascii() or all(map(_is_latin, part)))
        for part in word.replace("'", "-").split("-")
    )


def _is_latin(letter: str) -> bool:
    return unicodedata.name(letter, "").startswith("LATIN ")


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """Return the meaning of a primitive at a token position."""
    match primitive.type:
        case "Name":
            return table.intern(Name(position, primitive.symbol))
        case "Noun":
            return table.intern(Noun(position, primitive.symbol))
        case _:
            frame = FRAMES[primitive.feature]
            return table.intern(Verb(position, primitive.symbol, frame=frame))


FRAMES: dict[str, Frame] = {frame: frame for frame in get_args(Frame)}


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """Return the lexicon of training rows: units with their primitives, and function words."""
    del gazetteer
    return Evidence.of(examples).lexicon()


class Evidence:
    """Counts over training rows; verb frames are decided after the last row."""

    def __init__(self) -> None:
        self.units: Counter[tuple[str, str, str]] = Counter()
        """(word, type, lemma or name) -> rows."""
        self.words: Counter[str] = Counter()
        self.themes: Counter[str] = Counter()
        """Lemma -> uses with a theme."""
        self.alone: Counter[tuple[str, str]] = Counter()
        """(lemma, role) -> uses with this argument only and no function word before the verb."""

    @classmethod
    def of(cls, examples: Sequence[Example]) -> Self:
        """Return what all training rows say."""
        evidence = cls()
        for example in examples:
            table = MeaningTable(COGS_ALGEBRA)
            try:
                evidence.add(example.tokens, read(example.form, example.tokens, table))
            except FormError as error:
                raise FormError(f"{example.source}: {error}") from None
        return evidence

    def add(self, tokens: Sequence[str], meaning: Meaning) -> None:
        """Count one row."""
        heads: dict[int, Name | Noun | Entity | Event] = {}
        stack = [meaning]
        while stack:
            part = stack.pop()
            if isinstance(part, Name | Noun | Entity | Event):
                heads[part.position] = part
            stack.extend(children(part))
        for position, word in enumerate(tokens):
            match heads.get(position):
                case Name(name=name):
                    self.units[word, "Name", name] += 1
                case Noun(lemma=lemma) | Entity(lemma=lemma):
                    self.units[word, "Noun", lemma] += 1
                case Event() as event:
                    self.units[word, "Verb", event.lemma] += 1
                    self._add_use(event, is_bare=position - 1 in heads)
                case None:
                    self.words[word] += 1

    def _add_use(self, event: Event, *, is_bare: bool) -> None:
        if isinstance(event, Verb):  # a lone verb shows its frame
            self.themes[event.lemma] += "theme" in event.frame.split()
            self.alone[event.lemma, event.frame] += 1
            return
        self.themes[event.lemma] += event.theme is not None
        if is_bare and len(arguments(event)) == 1:
            self.alone[event.lemma, "theme" if event.theme is not None else "agent"] += 1

    def frame(self, lemma: str) -> Frame:
        """Return a verb's frame, by the role of a sole argument, then by whether it has themes."""
        if self.alone[lemma, "theme"] > self.alone[lemma, "agent"]:
            return "theme"
        return "agent theme" if self.themes[lemma] else "agent"

    def lexicon(self) -> Lexicon:
        """Return the lexicon of the rows counted so far."""
        counts: dict[tuple[Unit, Primitive], int] = {}
        for (word, kind, lemma), count in self.units.items():
            feature = self.frame(lemma) if kind == "Verb" else ""
            counts[(word,), Primitive(kind, lemma, feature)] = count
        return Lexicon.from_counts(COGS_ALGEBRA.name, counts, self.words)
