"""Words that training lacks, by what they are related to: outside knowledge, from WordNet.

`related_words/wordnet.csv` has pairs of stems, nearest first (`lear.domains.geo.wordnet` made it).
A lexicon keeps what the table says about its own words, so that a model needs no table.
"""

import csv
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from lear.core.lexicon import Lexicon
from lear.core.stems import stem
from lear.domain.example import Example, Gazetteer
from lear.domains.geo.everyday_words import everyday_words
from lear.domains.geo.lexicon import induce
from lear.grammar.unseen_words import is_comparative
from lear.storage.data_file import numbered_lines

TABLE = Path(str(files("lear.domains.geo") / "related_words" / "wordnet.csv"))
"""The table that ships."""


def induce_with_relatives(examples: Sequence[Example], gazetteer: Gazetteer) -> Lexicon:
    """The lexicon of training rows, with what related words are to be read as."""
    return with_relatives(induce(examples, gazetteer))


def with_relatives(lexicon: Lexicon) -> Lexicon:
    """A lexicon that reads words it lacks as the nearest of its own content words."""
    known: dict[str, list[str]] = {}
    for unit, entries in lexicon.units.items():
        num_uses = sum(entry.count for entry in entries)
        if len(unit) == 1 and num_uses > lexicon.function_words.get(unit[0], 0):
            known.setdefault(stem(unit[0]), []).append(unit[0])
    own_stems = {stem(word) for word in lexicon.words}
    own_stems.update(map(stem, everyday_words().without_meaning))
    relatives: dict[str, str] = {}
    for unseen, related in _pairs():
        if (
            unseen not in own_stems
            and related in known
            and not _is_comparative(unseen, related, lexicon)
        ):
            relatives.setdefault(unseen, min(known[related], key=len))
    return replace(lexicon, relatives=relatives)


def _is_comparative(word: str, related: str, lexicon: Lexicon) -> bool:
    """Whether a word is the comparative of one that it is related to, or of a known one."""
    return is_comparative(word, {related, *lexicon.words})


@cache
def _pairs() -> list[tuple[str, str]]:
    rows = csv.reader(line for _, line in numbered_lines(TABLE))
    next(rows)  # the headings
    return [(unseen, related) for unseen, related in rows]
