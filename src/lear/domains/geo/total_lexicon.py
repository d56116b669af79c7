"""What the units of GEO mean in the total algebra, and the phrase table that was written by hand.

`phrase_table.toml` is the paper's bargain: a table by hand. Ours was written from the training rows
of the query split alone. Names come from training rows and the gazetteer, as in the induced
lexicon.
"""

import tomllib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import NOTHING, UNKNOWN, Lexicon, Primitive, Unit
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.algebra import GEO_ALGEBRA, Entity, Negation, Predicate
from lear.domains.geo.function_types import FUNCTIONS
from lear.domains.geo.name_lexicon import find_names, targets_of


def ground(primitive: Primitive, position: int, table: MeaningTable) -> Meaning:
    """The meaning of a primitive, the same at every token; it may name several functions."""
    del position
    match primitive.type:
        case "Entity":
            return table.intern(Entity(primitive.symbol, primitive.feature))
        case "Negation":
            return table.intern(Negation(primitive.symbol))
        case _:
            return table.intern(Predicate(tuple(primitive.symbol.split())))


def by_hand(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The phrase table, with the names of training rows; all other words are function words."""
    counts: Counter[tuple[Unit, Primitive]] = Counter()
    for phrase, values in read_phrase_table().items():
        for rank, value in enumerate(values):  # counts keep the order of the table
            counts[tuple(phrase.split()), _primitive(value)] = len(values) - rank
    counts.update(find_names(examples, [targets_of(example) for example in examples], gazetteer))
    content_words = {unit[0] for unit, _ in counts if len(unit) == 1}
    words = Counter(token for example in examples for token in example.tokens)
    function_words = {word: count for word, count in words.items() if word not in content_words}
    return Lexicon.from_counts(GEO_ALGEBRA.name, counts, {**function_words, UNKNOWN: 1})


def read_phrase_table() -> dict[str, list[str]]:
    """Phrase -> what it may stand for, as the file has it."""
    text = (files("lear.domains.geo") / "phrase_table.toml").read_text(encoding="utf-8")
    phrases: dict[str, list[str]] = tomllib.loads(text)["phrases"]
    return phrases


def _primitive(value: str) -> Primitive:
    if not value:
        return NOTHING
    if value == "exclude":
        return Primitive("Negation", value)
    is_function = all(name in FUNCTIONS for name in value.split())
    return Primitive("Predicate" if is_function else "Entity", value)
