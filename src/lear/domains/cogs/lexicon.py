"""The COGS lexicon, induced from training rows alone.

A variable is a token position, so the form itself aligns words with predicates: the word at i has
the lemma of the noun or verb whose first argument is i. A word at a position without a predicate is
a function word. A verb's frame comes from uses without a function word before it (no passive `was`,
no `to`): if the only argument is mostly the theme, the verb is unaccusative. The frame decides how
a lone verb prints and which category it has; it forbids no operation.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Self

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Lexicon, Primitive, Unit
from lear.domain.example import Example, Gazetteer
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
from lear.domains.cogs.form_text import read
from lear.errors import FormError


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive at a token position."""
    match primitive.type:
        case "Name":
            return table.intern(Name(position, primitive.symbol))
        case "Noun":
            return table.intern(Noun(position, primitive.symbol))
        case _:
            frame = FRAMES[primitive.feature]
            return table.intern(Verb(position, primitive.symbol, frame=frame))


FRAMES: dict[str, Frame] = {
    "agent": "agent",
    "theme": "theme",
    "agent theme": "agent theme",
    "agent theme recipient": "agent theme recipient",
}


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows: units with their primitives, and function words."""
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
        """What all training rows say."""
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
        """A verb's frame: first by the role of a sole argument, then by whether it has themes."""
        if self.alone[lemma, "theme"] > self.alone[lemma, "agent"]:
            return "theme"
        return "agent theme" if self.themes[lemma] else "agent"

    def lexicon(self) -> Lexicon:
        """The lexicon of the rows counted so far."""
        counts: dict[tuple[Unit, Primitive], int] = {}
        for (word, kind, lemma), count in self.units.items():
            feature = self.frame(lemma) if kind == "Verb" else ""
            counts[(word,), Primitive(kind, lemma, feature)] = count
        return Lexicon.from_counts(COGS_ALGEBRA.name, counts, self.words)
