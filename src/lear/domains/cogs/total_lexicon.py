"""The lexicon of the total algebra of COGS: that of the strict one, with determiners in its units.

A determiner and its noun are one unit. Which words are determiners, and whether they make a noun
definite, is read off training rows. Any determiner goes with any noun, also with one never seen.
"""

from collections import Counter
from collections.abc import Sequence

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import UNKNOWN, Lexicon, Primitive, Unit
from lear.domain.example import Example, Gazetteer
from lear.domains.cogs import lexicon as strict
from lear.domains.cogs.algebra import COGS_ALGEBRA, Entity, children
from lear.domains.cogs.form_text import read
from lear.domains.cogs.total_algebra import Determiner, Events, Noun, Phrase, Verb

DETERMINERS: dict[str, Determiner] = {"definite": "definite", "indefinite": "indefinite"}
"""By the feature of a noun's primitive; a noun without one has no determiner."""


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive whose unit begins at a token position."""
    match primitive.type:
        case "Name":
            return table.intern(Phrase((Noun(position, primitive.symbol, "name"),)))
        case "Noun":
            determiner = DETERMINERS.get(primitive.feature, "none")
            place = position + (determiner != "none")  # the noun follows its determiner
            return table.intern(Phrase((Noun(place, primitive.symbol, determiner),)))
        case _:
            frame = strict.FRAMES[primitive.feature]
            return table.intern(Events((Verb(position, primitive.symbol, frame),)))


def induce(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows: units with their primitives, and function words."""
    plain = strict.induce(examples, gazetteer)
    determiners = _determiners(examples)
    counts: Counter[tuple[Unit, Primitive]] = Counter()
    for unit, entries in plain.units.items():
        for primitive, count in ((entry.primitive, entry.count) for entry in entries):
            counts[unit, primitive] += count
            if primitive.type == "Noun":
                for word, feature in determiners.items():
                    determined = Primitive("Noun", primitive.symbol, feature)
                    counts[(word, *unit), determined] += count
    for word, feature in determiners.items():
        counts[(word, UNKNOWN), Primitive("Noun", UNKNOWN, feature)] += 1
    return Lexicon.from_counts(plain.domain, counts, plain.function_words)


def _determiners(examples: Sequence[Example]) -> dict[str, str]:
    """The words directly before nouns -> whether the noun is then mostly definite."""
    votes: Counter[tuple[str, bool]] = Counter()
    for example in examples:
        stack = [read(example.form, example.tokens, MeaningTable(COGS_ALGEBRA))]
        while stack:
            part = stack.pop()
            if isinstance(part, Entity) and part.position:
                votes[example.tokens[part.position - 1], part.is_definite] += 1
            stack.extend(children(part))
    return {
        word: "definite" if votes[word, True] > votes[word, False] else "indefinite"
        for word, _ in sorted(votes)
    }
