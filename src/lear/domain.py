"""What a domain must say for lear to work in it: one value that holds a handful of functions."""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from lear.algebra import Algebra, Meaning, MeaningTable
from lear.chart import Shape
from lear.data.files import DataFile
from lear.errors import FormError
from lear.lexicon import UNKNOWN, Lexicon, Primitive, Unit
from lear.stems import same_stem


@dataclass(frozen=True, slots=True)
class Example:
    """A row of a benchmark: a sentence, its logical form, and where it was read."""

    tokens: tuple[str, ...]
    form: str
    category: str
    source: str
    """File and row, as errors name them: `train.tsv:17`."""
    num_words: int = 0
    """Its length where the benchmark counts otherwise than in tokens."""

    @property
    def length(self) -> int:
        """How long the sentence is, as the benchmark counts it."""
        return self.num_words or len(self.tokens)

    @property
    def sentence(self) -> str:
        """The tokens as text."""
        return " ".join(self.tokens)


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A named split of a domain's data into train, dev and test."""

    name: str
    """The same string everywhere, such as `cogs/gen`."""
    summary: str
    files: Mapping[str, tuple[DataFile, ...]] = field(default_factory=dict)
    """Part -> its files; empty where the domain makes its own rows."""


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """How many gold answers were compared, and those that forms do not give."""

    total: int
    misses: list[dict[str, object]]


FindFile = Callable[[DataFile], Path]
"""The path of a data file; raises `FileMissingError`."""

PARTS = ("train", "dev", "test")


def _itself(primitive: Primitive) -> Primitive:
    return primitive


def _split(text: str) -> tuple[str, ...]:
    return tuple(text.split())


@dataclass(frozen=True)
class Domain:
    """A language of meanings, its algebra and its data. Adding a domain is making one of these."""

    name: str
    algebra: Algebra
    shape: Shape
    read: Callable[[str, Sequence[str], MeaningTable], Meaning]
    """Form and tokens -> meaning; raises FormError."""
    render: Callable[[Meaning], str]
    """A complete meaning -> the form, exactly as the benchmark writes it."""
    ground: Callable[[Primitive, int, MeaningTable], Meaning]
    """A primitive at a token position -> meaning."""
    guide: Callable[[Meaning], Callable[[Meaning], bool]]
    """Gold meaning -> test of whether a meaning can be a part of some derivation of it."""
    induce: Callable[[Iterable[Example]], Lexicon]
    """Training rows -> lexicon; nothing else is looked at."""
    unknown: Callable[[str], Sequence[Primitive]]
    """What a word that training never showed may stand for."""
    category: Callable[[Meaning], str]
    """Decides what is legal on a meaning; all that a grammar sees of the head of a phrase."""
    closed: Callable[[Meaning], str]
    """All that a grammar sees of an argument."""
    heads: Mapping[str, int]
    """Operation -> which argument is the head of the phrase; unlisted ones have none."""
    conjuncts: Callable[[Meaning], frozenset[Hashable]]
    """The conjunctive components of a meaning, complete or not: the paper's S, section 4.1."""
    primitives: Callable[[Meaning], frozenset[Hashable]]
    """The primitives of a meaning, complete or not: the paper's S', section 4.1."""
    lenient: Callable[[Meaning], Hashable]
    """What the published evaluation compares of a meaning."""
    benchmarks: tuple[Benchmark, ...]
    """The first one is the default."""
    load: Callable[[Benchmark, str, FindFile], list[Example]]
    """Benchmark, part and a finder of files -> rows."""
    head: Callable[[Meaning], str] | None = None
    """What a grammar sees of a head, where that is less than its category."""
    other_benchmark: Callable[[str], Benchmark] | None = None
    """Where any name after the domain's makes a benchmark (`cfq/NAME`): the benchmark so named."""
    names: Callable[[Benchmark, FindFile], list[Example]] | None = None
    """Where there are lists of names: rows from which lexicons are induced beside those of train,
    but which nothing else is learned from."""
    tokenize: Callable[[str], tuple[str, ...]] = _split
    """Text -> tokens."""
    open_store: Callable[[Path | None, FindFile], Callable[[str], object]] | None = None
    """Where forms can be run: a file of facts, or None for those that ship or lie in the data
    folder -> a function from a form to its answer (JSON values), which raises `FormError` for
    what cannot be run."""
    check_answers: Callable[[Path | None, FindFile], AnswerCheck] | None = None
    """Where there are gold answers: compare them with what their forms give."""
    alike: Callable[[Primitive], Primitive] = _itself
    """One for all primitives that a model need not tell apart, such as the names of one sort."""
    steps: Mapping[str, Callable[[Meaning], Meaning]] = field(default_factory=dict)
    """Named post-processing of whole meanings, in this order."""
    settings: Mapping[str, str] = field(default_factory=dict)
    """How its models are best trained, as dotted settings of a run with their values in TOML."""
    has_one_text: bool = True
    """Whether `render` gives the official text of every meaning, letter for letter."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Category -> the section of the benchmark's paper that describes it."""
    structural: frozenset[str] = frozenset()
    """The categories that need new structures; the others need new uses of words."""

    def is_name(self, primitives: Iterable[Primitive]) -> bool:
        """Whether a unit with these candidates is one of many that models take for alike."""
        return any(self.alike(primitive) != primitive for primitive in primitives)

    def view(
        self, lexicon: Lexicon, unit: Unit, primitives: Iterable[Primitive]
    ) -> tuple[str, ...]:
        """A unit's tokens as a model sees them."""
        sorts = sorted({str(self.alike(p)) for p in primitives if self.alike(p) != p})
        if sorts:
            return (f"<{' | '.join(sorts)}>",) * len(unit)
        return tuple(
            token if token in lexicon.words else self.lookalike(lexicon, token) or UNKNOWN
            for token in unit
        )

    def lookalike(self, lexicon: Lexicon, word: str) -> str | None:
        """A known word with the stem of one never seen, where a lexicon knows of such words."""
        if UNKNOWN not in lexicon.function_words:
            return None
        units = lexicon.units.items()
        return same_stem(
            word,
            (
                unit[0]
                for unit, entries in units
                if len(unit) == 1 and not self.is_name(entry.primitive for entry in entries)
            ),
        )

    def guesses(self, lexicon: Lexicon) -> Callable[[str], Sequence[Primitive]]:
        """What a word never seen may stand for beside this lexicon."""

        def guess(word: str) -> Sequence[Primitive]:
            known = self.lookalike(lexicon, word)
            entries = () if known is None else lexicon.units[known,]
            return (*(entry.primitive for entry in entries), *self.unknown(word))

        return guess

    def finish(self, meaning: Meaning, table: MeaningTable, skip: Collection[str] = ()) -> Meaning:
        """A complete meaning after post-processing, but for the steps to skip."""
        for name, step in self.steps.items():
            if name not in skip:
                meaning = table.intern(step(meaning))
        return meaning

    def read_gold(self, example: Example, table: MeaningTable) -> Meaning:
        """The meaning of a row's form; a form that cannot be read is named with its row."""
        try:
            return self.read(example.form, example.tokens, table)
        except FormError as error:
            raise FormError(f"{example.source}: {error}") from None
