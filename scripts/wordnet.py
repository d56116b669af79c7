"""Make the table of related words, which ships with GEO, from the files of WordNet.

    python scripts/wordnet.py /usr/share/wordnet     # Debian's `wordnet-base`; needs LEAR_DATA

WordNet has words in sets of synonyms, one for each of their senses, the most frequent sense first;
pointers lead from set to set. Two words are the nearer, the fewer pointers are between two of their
senses and the more frequent these senses are. Training and parsing read the table alone.
"""

import csv
import io
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from lear.domains.geo.functions import FUNCTIONS
from lear.domains.geo.lexicon import TABLE
from lear.domains.registry import find_benchmark
from lear.lexicon.stems import stem
from lear.storage.datasets import DataFolder, numbered_lines
from lear.storage.files import write_whole

MAX_DISTANCE = 1
"""How far apart related words may be; on training words left out, farther ones are mostly wrong."""
_PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_POINTERS = frozenset(["&", "^", "=", "+", "$", "\\", "<"])
"""Similar to, see also, attribute, derived form, verb group, pertains to, participle of."""
_COMMENT = "  "
Synset = tuple[str, str]
"""Part of speech and offset: the name of a set of synonyms."""


@dataclass(frozen=True)
class WordNet:
    """The sets of synonyms that have single words, and what leads from one to the other."""

    words: dict[Synset, tuple[str, ...]] = field(default_factory=dict)
    neighbours: dict[Synset, list[Synset]] = field(default_factory=dict)
    senses: dict[str, dict[Synset, int]] = field(default_factory=lambda: defaultdict(dict))
    """Word -> its sets of synonyms, with how many senses are more frequent."""

    @classmethod
    def read(cls, folder: Path) -> "WordNet":
        """Read `data.noun`, `index.noun` and the same for verbs, adjectives and adverbs."""
        wordnet = cls()
        for letter, name in _PARTS_OF_SPEECH.items():
            for line in _lines(folder / f"data.{name}"):
                wordnet._add_synset(letter, line.partition(" | ")[0].split())
            for line in _lines(folder / f"index.{name}"):
                word, _, count, *rest = line.split()
                for rank, offset in enumerate(rest[-int(count) :]):
                    wordnet.senses[word][letter, offset] = rank
        return wordnet

    def _add_synset(self, letter: str, cells: list[str]) -> None:
        """Add a line of a data file: offset, file, type, words with ids, then pointers."""
        end = 4 + 2 * int(cells[3], 16)
        synset = letter, cells[0]
        # An adjective may have its position in brackets.
        self.words[synset] = tuple(word.lower().partition("(")[0] for word in cells[4:end:2])
        pointers = zip(*(cells[end + 1 + place :: 4] for place in range(3)), strict=False)
        self.neighbours[synset] = [
            ("a" if part == "s" else part, offset)
            for symbol, offset, part in pointers
            if symbol in _POINTERS and part in {*_PARTS_OF_SPEECH, "s"}
        ]

    def distances(self, word: str) -> dict[str, int]:
        """Return the single words within `MAX_DISTANCE` of a word, by distance."""
        reached: dict[Synset, int] = {}
        for synset, rank in self.senses.get(word, {}).items():
            for other, steps in ((synset, 0), *((n, 1) for n in self.neighbours[synset])):
                reached[other] = min(rank + steps, reached.get(other, MAX_DISTANCE + 1))
        found: dict[str, int] = {}
        for synset, distance in reached.items():
            for synonym in self.words[synset]:
                whole = distance + self.senses[synonym].get(synset, MAX_DISTANCE + 1)
                if whole <= MAX_DISTANCE and synonym != word and synonym.isalpha():
                    found[synonym] = min(whole, found.get(synonym, whole))
        return found

    def is_adjective(self, word: str) -> bool:
        """Return True if some sense of a word is an adjective."""
        return any(letter == "a" for letter, _ in self.senses.get(word, ()))


def related_pairs(wordnet: WordNet, anchors: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield stems of words and of anchors that are related, nearest first for each word.

    Args:
        wordnet: The thesaurus.
        anchors: The words that others are to be read as.
    """
    stems = {stem(anchor) for anchor in anchors}
    for word in sorted(wordnet.senses):
        if not word.isalpha() or not word.isascii():
            continue
        near = sorted((distance, other) for other, distance in wordnet.distances(word).items())
        pairs = [(stem(word), stem(other)) for _, other in near]
        if wordnet.is_adjective(word):
            others = (other for _, other in near if wordnet.is_adjective(other))
            pairs += [(superlative(word), superlative(other)) for other in others]
        yield from (pair for pair in pairs if pair[1] in stems and pair[0] != pair[1])


def superlative(adjective: str) -> str:
    """Return the regular superlative of a short adjective."""
    if adjective.endswith("e"):
        return f"{adjective}st"
    if adjective.endswith("y"):
        return f"{adjective[:-1]}iest"
    is_short = len(adjective) == 3 and adjective[1] in "aeiou" and adjective[2] not in "aeiouwxy"
    return f"{adjective}{adjective[-1] if is_short else ''}est"


def write_table(wordnet: WordNet, anchors: Iterable[str], path: Path) -> None:
    """Write the table of related words."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("stem", "related"))
    writer.writerows(dict.fromkeys(related_pairs(wordnet, anchors)))
    write_whole(path, text.getvalue().encode())


def _lines(path: Path) -> Iterator[str]:
    return (line for _, line in numbered_lines(path) if not line.startswith(_COMMENT))


def main() -> None:
    """Write the table of the words of GEO: those of its training questions, and of functions."""
    domain, benchmark = find_benchmark("geo/standard")
    rows = domain.corpus.load(benchmark, "train", DataFolder.choose(None).find)
    anchors = {word for row in rows for word in row.tokens}
    anchors |= {name.split("_")[0] for name in FUNCTIONS}
    write_table(WordNet.read(Path(sys.argv[1])), anchors, TABLE)


if __name__ == "__main__":
    main()
