"""As many sentences of COGS as one likes: rows of gen with other names and nouns in them.

`python -m tests.support.varied_cogs 1000000 > sentences.txt`. Every sentence is a gen row whose
proper names and common nouns are drawn anew, so that few sentences are the same but their shapes,
lengths and depths are those of gen. Nothing is scored on them: they are there to be timed.
"""

import random
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from lear.domains.cogs import domain as corpus
from lear.storage.datasets import DataFolder

ARTICLES = {"a", "the"}


def varied(gen: Path, count: int, seed: int = 1) -> Iterator[str]:
    """So many sentences, the same ones for the same seed."""
    rows = [row.tokens for row in corpus.read_rows(gen)]
    pairs = [pair for tokens in rows for pair in pairwise(tokens)]
    names = sorted({token for _, token in pairs if token[0].isupper()})
    nouns = sorted({noun for article, noun in pairs if article.lower() in ARTICLES})
    draw = random.Random(seed)
    for _ in range(count):
        before = ""
        words = []
        for token in draw.choice(rows):
            kind = nouns if before in ARTICLES else names if token in names else [token]
            words.append(draw.choice(kind))
            before = token.lower()
        yield " ".join(words)


def main(arguments: list[str]) -> None:
    """Print so many sentences."""
    gen = DataFolder.choose(None).root / "cogs/gen.tsv"
    for sentence in varied(gen, int(arguments[0])):
        sys.stdout.write(sentence + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
