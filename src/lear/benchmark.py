"""Rows of data: examples, the benchmarks they belong to, and lists of names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from lear.storage.datasets import DataFile

PARTS = ("train", "dev", "test")

FindFile = Callable[[DataFile], Path]
"""The path of a data file; raises `FileMissingError`."""


@dataclass(frozen=True, slots=True)
class Example:
    """A row of a benchmark: a sentence, its logical form, and where it was read."""

    tokens: tuple[str, ...]
    form: str
    group: str
    """The benchmark's own sort of this row, such as `cp_recursion`; scores are told by group."""
    source: str
    """File and row, as errors name them: `train.tsv:17`."""
    num_words: int = 0
    """Its length where the benchmark counts otherwise than in tokens."""

    @property
    def length(self) -> int:
        """Return how long the sentence is, as the benchmark counts it."""
        return self.num_words or len(self.tokens)

    @property
    def sentence(self) -> str:
        """Return the tokens as text."""
        return " ".join(self.tokens)


class NamedThing(NamedTuple):
    """An entry of a gazetteer: a name as tokens, and the form of what it names."""

    tokens: tuple[str, ...]
    form: str


Gazetteer = tuple[NamedThing, ...]
"""Names that a domain knows of besides those in training rows."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A named split of a domain's data into train, dev and test."""

    name: str
    """The same string everywhere, such as `cogs/gen`."""
    summary: str
    files: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    """Part -> its files; empty where the domain makes its own rows."""
