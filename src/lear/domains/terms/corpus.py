"""Files of pairs as benchmarks."""

from importlib.resources import files
from pathlib import Path

from lear.benchmark import Benchmark, Example, FindFile
from lear.domain import Corpus
from lear.domains.pairs import read_pairs
from lear.domains.terms.tokenizer import tokenize

HOME = Path(str(files("lear.domains.terms") / "home.csv"))
"""A small language to begin with: what people say to their house. `lear new` writes a copy."""


def corpus_of(path: Path, name: str) -> Corpus:
    """The rows of a file of pairs, as the one benchmark of this name."""

    def load(benchmark: Benchmark, part: str, find: FindFile) -> list[Example]:
        del benchmark, find
        return read_pairs(path, tokenize)[part]

    return Corpus((Benchmark(name, f"the pairs of {path.name}"),), load)
