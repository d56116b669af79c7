"""The SLOG lexicon, from training rows alone: that of COGS, with pronouns and ditransitive verbs.

A question begins with the word that stands for its gap. A relative clause does too, and follows the
noun that it modifies. A verb seen with a recipient is ditransitive. The lemma of a verb is a form
of it, whether training shows that or not: questions have lemmas (What did Emma give ?).
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Lexicon, Primitive
from lear.core.meaning_parts import parts
from lear.domain.example import Example, Gazetteer
from lear.domains.cogs import lexicon as cogs
from lear.domains.cogs.algebra import Entity, Event, Frame, Pronoun, Question

PRONOUN = "Pronoun"


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive at a token position."""
    if primitive.type == PRONOUN:
        return table.intern(Pronoun())
    return cogs.ground(primitive, position, table)


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows: units with their primitives, and function words."""
    del gazetteer
    return _Evidence.of(examples).lexicon()


class _Evidence(cogs.Evidence):
    """Counts over training rows."""

    def __init__(self) -> None:
        super().__init__()
        self.recipients: Counter[str] = Counter()
        """Lemma -> uses with a recipient."""

    def add(self, tokens: Sequence[str], meaning: Meaning) -> None:
        """Count one row."""
        super().add(tokens, meaning)
        for position in _pronouns(meaning):
            self.units[tokens[position], PRONOUN, "?"] += 1
            self.words[tokens[position]] -= 1
        for part in parts(meaning):
            if isinstance(part, Event) and part.recipient is not None:
                self.recipients[part.lemma] += 1

    def frame(self, lemma: str) -> Frame:
        """A verb's frame, as in COGS, or ditransitive."""
        frame = super().frame(lemma)
        is_ditransitive = frame == "agent theme" and self.recipients[lemma]
        return "agent theme recipient" if is_ditransitive else frame

    def lexicon(self) -> Lexicon:
        """The lexicon of the rows counted so far."""
        self.words = +self.words  # without words that are nothing but pronouns
        for lemma in {lemma for _, kind, lemma in self.units if kind == "Verb"}:
            self.units[lemma, "Verb", lemma] += not self.units[lemma, "Verb", lemma]
        return super().lexicon()


def _pronouns(meaning: Meaning) -> Iterator[int]:
    """The positions of words that stand for gaps, as far as they are sure."""
    if isinstance(meaning, Question):
        yield 0
    for part in parts(meaning):
        if isinstance(part, Entity) and part.modifiers and part.modifiers[0][0] == "that":
            yield part.position + 1
