"""What a domain says to lear: one value made of six parts, most of which have defaults.

A minimal domain gives a name, `Language(algebra, read, render)`, `Words(induce, ground)` and
`Corpus(benchmarks, load)`. The defaults of the rest are right wherever an operation that takes two
types is defined on all their values; where it may return None, `Syntax.category` must tell apart
the meanings that it refuses. A domain replaces the other defaults to be faster, to generalise
further, or to be measured as its benchmark is.

Here are also the rewards of the paper's section 4.1, running forms on facts, and answers as text.
"""

import math
import random
import re
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from lear.algebra.algebra import Algebra, Meaning, MeaningTable, Primitive
from lear.algebra.meanings import plain_values, substructures
from lear.benchmark import Benchmark, Example, FindFile, Gazetteer
from lear.errors import UsageError, named_row
from lear.lexicon import plain_text
from lear.lexicon.lexicon import Lexicon, Unit
from lear.storage.datasets import DataFolder


@dataclass(frozen=True, slots=True)
class Shape:
    """Limits on the function words that a node may own. Every search keeps to them."""

    beside: int = 1
    """At most this many words beside the one argument of a unary operation, and at least one."""
    between: int = 1
    """At most this many words between the two arguments of a binary operation."""
    after: bool = True
    """If not, words follow the argument of a unary operation only where nothing but function words
    follows."""

    def allows_unary(self, before: int, after: int, *, is_trailing: bool) -> bool:
        """Return whether a unary node may own this many words before and after its argument.

        `is_trailing` says that nothing but function words follows the argument in the sentence.
        """
        return 1 <= before + after <= self.beside and (after == 0 or self.after or is_trailing)

    def leaves_room(self, before: int, after: int, *, is_trailing: bool) -> bool:
        """Return whether a unary node that has these words may still get more of them."""
        return before + after < self.beside and (after == 0 or self.after or is_trailing)

    @property
    def max_words(self) -> int:
        """Return how many words in a row may belong to one node."""
        return max(self.beside, self.between)

    def allows_binary(self, between: int) -> bool:
        """Return whether a binary node may own this many words between its arguments."""
        return between <= self.between

    def unary_gaps(
        self, before: int, after: int, *, is_trailing: bool
    ) -> tuple[tuple[int, int], ...]:
        """Return the allowed pairs (words before, words after), where so many stand in a row."""
        return _unary_gaps(self, min(before, self.beside), min(after, self.beside), is_trailing)


@cache
def _unary_gaps(
    shape: Shape,
    before: int,
    after: int,
    is_trailing: bool,  # noqa: FBT001
) -> tuple[tuple[int, int], ...]:
    return tuple(
        (left, right)
        for left in range(before + 1)
        for right in range(after + 1)
        if shape.allows_unary(left, right, is_trailing=is_trailing)
    )


def trailing_begin(is_function_word: Sequence[bool]) -> int:
    """Return the first token from which on all tokens of a sentence are function words."""
    begin = len(is_function_word)
    while begin and is_function_word[begin - 1]:
        begin -= 1
    return begin


ONE_WORD = Shape()
"""A node owns one function word at most."""

Guide = Callable[[Meaning], Callable[[Meaning], bool]]
"""Gold meaning -> test of whether a meaning can be a part of some derivation of it."""
Finish = Callable[[Meaning, Sequence[str]], Meaning]
"""A finishing step: a whole meaning, with the tokens of its sentence -> a meaning."""


@dataclass(frozen=True)
class Language:
    """Meanings, their algebra, and the forms that they are written in."""

    algebra: Algebra
    read: Callable[[str, Sequence[str], MeaningTable], Meaning]
    """Form and tokens -> meaning; raises `FormError`."""
    render: Callable[[Meaning], str]
    """A complete meaning -> the form, exactly as the benchmark writes it."""
    guide: Guide | None = None
    """Narrows the search for derivations of gold. None compares the values inside meanings, where
    operations keep those of their arguments, and else keeps everything."""
    finishing: Mapping[str, Finish] = field(default_factory=dict)
    """Named finishing steps: what whole meanings go through after composition, in this order."""
    render_part: Callable[[Meaning], str] | None = None
    """Any meaning, complete or not -> text for people, as derivations show it at their nodes. None
    shows its type and its fields."""

    def finish(
        self,
        meaning: Meaning,
        tokens: Sequence[str],
        table: MeaningTable,
        skip: Collection[str] = (),
    ) -> Meaning:
        """Return a complete meaning after all finishing steps but those to skip."""
        for name, step in self.finishing.items():
            if name not in skip:
                meaning = table.intern(step(meaning, tokens))
        return meaning

    def read_gold(self, example: Example, table: MeaningTable) -> Meaning:
        """Return the meaning of a row's form; errors name the row."""
        with named_row(example.source):
            return self.read(example.form, example.tokens, table)


RuleParts = tuple[str, tuple[str, ...]]
"""A rule: its operation, and its yield of words and of symbols in brackets."""


def type_name(meaning: Meaning) -> str:
    """Return the name of a meaning's semantic type."""
    return type(meaning).__name__


@dataclass(frozen=True)
class Syntax:
    """What a grammar sees of meanings, and where function words may stand."""

    shape: Shape = ONE_WORD
    category: Callable[[Meaning], str] = type_name
    """Decides what is legal: meanings of one category accept the same operations."""
    argument: Callable[[Meaning], str] | None = None
    """The symbol that a rule shows of an argument; by default its category."""
    head: Callable[[Meaning], str] | None = None
    """The symbol that a rule shows of a head; by default its category."""
    heads: Mapping[str, int] = field(default_factory=dict)
    """Operation -> which of its arguments is the head; operations not listed have none."""
    is_well_typed: Callable[[Meaning], bool] | None = None
    """The results to prefer, where operations never refuse. Where some operation has such a result,
    others are not tried. Meanings of one category must be alike in this, too."""
    joints: Callable[[Meaning], tuple[int, int]] | None = None
    """Saves time where most pairs of meanings fit no operation: bits of a meaning on the left and
    on the right. A left and a right one without a common bit are never tried together."""

    scored_as: Callable[[RuleParts], RuleParts] | None = None
    """A rule -> the rule that it is the same as to a model; by default itself. An operation on
    something that is not said (a gap) can so be one that training shows, on something said."""

    def argument_symbol(self, meaning: Meaning) -> str:
        """Return what a rule shows of an argument that is no head."""
        return (self.argument or self.category)(meaning)

    def symbol(self, meaning: Meaning, *, is_head: bool) -> str:
        """Return what a rule shows of a head, or of another argument."""
        return (self.head or self.category)(meaning) if is_head else self.argument_symbol(meaning)

    def rule_symbols(self, operation: str, arguments: tuple[Meaning, ...]) -> tuple[str, ...]:
        """Return what a rule of this operation shows of its arguments."""
        head = self.heads.get(operation)
        return tuple(self.symbol(a, is_head=index == head) for index, a in enumerate(arguments))


def second_sentence(text: str, lexicon: Lexicon) -> str:
    """Return what follows the first sentence, in a language without marks between sentences."""
    del lexicon
    return plain_text.second_sentence(text)


@dataclass(frozen=True)
class EverydayWords:
    """What is known of words beside training: for text that people type, not for benchmarks."""

    synonyms: Mapping[str, str] = field(default_factory=dict)
    """A word that training may not have -> one or more, with the same meaning, that it has."""
    without_meaning: frozenset[str] = frozenset()
    """Words that say nothing in this language, whether training has them or not."""
    outside: frozenset[str] = frozenset()
    """Words that are not of this language, and no misspellings of others that are."""


@dataclass(frozen=True)
class Words:
    """How words become primitives."""

    induce: Callable[[Sequence[Example], Gazetteer], Lexicon]
    """Training rows and names -> lexicon; nothing else is looked at."""
    ground: Callable[[Primitive, int, MeaningTable], Meaning]
    """A primitive at a token position -> meaning."""
    unknown: Callable[[str], Sequence[Primitive]] = lambda _: ()
    """What a word that training never showed may stand for."""
    hint: Callable[[str], str] = lambda _: ""
    """What to tell somebody who used a word that stands for nothing; empty if there is nothing."""
    alike: Callable[[Primitive], Primitive] = lambda primitive: primitive
    """Representative of a primitive's class; the network embeds only representatives."""
    join_units: Callable[[Iterator[Unit], Lexicon], Iterator[Unit]] = lambda units, _lexicon: units
    """A sentence cut into the lexicon's units -> into units, of which some may be joined."""
    joined: Callable[[Unit], Sequence[Primitive]] = lambda _: ()
    """What a unit stands for that `join_units` has made."""
    seen_as: Callable[[str], str] = lambda word: word
    """A function word -> what networks see in its place: one word for all that say the same."""
    tokenize: Callable[[str], tuple[str, ...]] = lambda text: tuple(text.split())
    """Text -> tokens."""
    second_sentence: Callable[[str, Lexicon], str] = lambda _text, _lexicon: ""
    """What follows the first sentence of a text, which is then refused: for tokenizers that leave
    out the marks between sentences. Empty if there is but one, or if the lexicon has such marks."""
    gazetteer: Callable[[Benchmark, FindFile], Gazetteer] = lambda _benchmark, _find: ()
    """The names that a benchmark's domain lists."""
    everyday: EverydayWords = EverydayWords()
    """Synonyms and words without meaning, where a word is not in the lexicon."""
    by_hand: Callable[[Sequence[Example], Gazetteer], Lexicon] | None = None
    """Like `induce`, with entries written by hand where the paper has such; else None."""
    related: Callable[[Sequence[Example], Gazetteer], Lexicon] | None = None
    """Like `induce`, but words that training lacks are read as words that a thesaurus relates them
    to; None where there is no thesaurus."""
    renamed: Callable[[Sequence[Example], Lexicon, random.Random], Iterator[Example]] | None = None
    """Training rows -> copies of them with other names, which show choices that a lexicon leaves
    between sorts of names; None where names leave none."""
    keeps_forms: bool = False
    """If so, a word never seen is no function word where a known form of it is none: then it is
    dropped only by overlooking it."""
    max_needless: float = 0.0
    """Entries of function words with at most this share of the word's uses are left out of a
    lexicon, unless some training row has no derivation without them; 0 leaves none out."""


@dataclass(frozen=True)
class Metrics:
    """What rewards and the lenient metric compare of meanings."""

    conjuncts: Callable[[Meaning], frozenset[Hashable]] = substructures
    """The conjunctive components of a meaning, complete or not: the paper's S, section 4.1."""
    primitives: Callable[[Meaning], frozenset[Hashable]] = plain_values
    """The primitives of a meaning, complete or not: the paper's S', section 4.1."""
    lenient: Callable[[Meaning], Hashable] | None = None
    """What the published evaluation compares; None if it is as strict as ours."""


@dataclass(frozen=True)
class Corpus:
    """Benchmarks and their rows."""

    benchmarks: tuple[Benchmark, ...]
    """The first one is the default."""
    load: Callable[[Benchmark, str, FindFile], list[Example]]
    """Benchmark, part and a finder of files -> rows."""
    benchmark_named: Callable[[str], Benchmark] | None = None
    """Name -> benchmark, where any name after the domain's makes one (`cfq/NAME`)."""
    group_titles: Mapping[str, str] = field(default_factory=dict)
    """Group of rows -> what it is, with the section of the paper that describes it."""
    structural_groups: frozenset[str] = frozenset()
    """The groups that need new structures; the others need new uses of words."""


@dataclass(frozen=True, slots=True)
class AnswerCheck:
    """How many gold answers were compared, and those that forms do not give."""

    total: int
    misses: list[dict[str, object]]


Execute = Callable[[str], object]
"""Form -> answer, a JSON value; raises `FormError` for what cannot be run."""


@dataclass(frozen=True)
class Execution:
    """How forms are run."""

    open_store: Callable[[Path | None, FindFile], Execute]
    """A file of facts, or None for the domain's own -> a function that runs forms on them."""
    check_answers: Callable[[Path | None, FindFile], AnswerCheck] | None = None
    """Compares gold answers with what their forms give; None where there are no gold answers."""
    unit: Callable[[str], str | None] = lambda _: None
    """Form -> the unit of the numbers in its answer, in the plural (`square miles`); None for names
    and counts. Raises `FormError` for what cannot be run. `answer_text` shows answers with it."""


@dataclass(frozen=True)
class Inference:
    """How the language of a domain is worked out from training rows, where nobody wrote it."""

    variants: tuple[str, ...]
    """Ways to see it, between which held-out rows decide; of equals the first one is taken."""
    infer: "Callable[[Sequence[Example], str, Path | None], Domain]"
    """Training rows, a variant, and a file of types that somebody has looked over -> the domain."""
    readable: Callable[[Sequence[Example]], list[Example]]
    """The rows whose forms can be read, so that others can be told of one by one."""
    describe: "Callable[[Any], list[tuple[str, str]]]"
    """What `Domain.inferred` is -> what there is in the language, and what it takes and gives."""
    doubts: Callable[[Any], list[str]]
    """The same -> what looks wrong about it."""
    restore: "Callable[[Any], Domain]"
    """What `Domain.inferred` was -> the domain. It comes from a file and may be anything; raises
    `DataError`."""


@dataclass(frozen=True)
class Domain:
    """A language of meanings with its words and its data."""

    name: str
    language: Language
    words: Words
    corpus: Corpus
    syntax: Syntax = Syntax()
    metrics: Metrics = Metrics()
    execution: Execution | None = None
    """How forms are run; None where they cannot be."""
    recipes: Path | None = None
    """A folder with recipes of its own (`best.toml`), for domains that do not ship with lear."""
    other_algebras: "Mapping[str, Domain]" = field(default_factory=dict)
    """The same language with other algebras, whose finishing steps give meanings of this one:
    `total`, in which any two constituents combine."""

    inference: Inference | None = None
    """How training rows give the language, where they do; before that nothing can be read."""
    inferred: Any = None
    """What was worked out, as plain values, for models to keep."""

    def with_algebra(self, algebra: str) -> "Domain":
        """Return the domain with its own algebra, `strict`, or with another one."""
        if algebra == "strict":
            return self
        if algebra not in self.other_algebras:
            raise UsageError(f"domain {self.name!r} has no {algebra} algebra")
        return self.other_algebras[algebra]


def jaccard(predicted: frozenset[Hashable], gold: frozenset[Hashable]) -> float:
    """Return |P & G| / |P | G|; two empty sets agree perfectly."""
    union = predicted | gold
    return len(predicted & gold) / len(union) if union else 1.0


@dataclass(frozen=True, slots=True)
class Target:
    """All that rewards compare of a gold meaning."""

    conjuncts: frozenset[Hashable]
    primitives: frozenset[Hashable]
    form: str = ""
    """For the published code's reward only."""

    @classmethod
    def of(cls, metrics: Metrics, gold: Meaning, form: str = "") -> "Target":
        """Return what to compare with."""
        return cls(metrics.conjuncts(gold), metrics.primitives(gold), form)


def logic_reward(metrics: Metrics, predicted: Meaning, target: Target) -> float:
    """R1: agreement of the conjunctive components."""
    return jaccard(metrics.conjuncts(predicted), target.conjuncts)


def primitive_reward(metrics: Metrics, predicted: Meaning, target: Target) -> float:
    """R2: agreement of the primitives, however they are put together."""
    return jaccard(metrics.primitives(predicted), target.primitives)


def reward(metrics: Metrics, predicted: Meaning, target: Target, *, alpha: float) -> float:
    """R = alpha * R1 + (1 - alpha) * R2."""
    logic = logic_reward(metrics, predicted, target)
    if alpha == 1:  # as on COGS: spare the other part
        return logic
    return alpha * logic + (1 - alpha) * primitive_reward(metrics, predicted, target)


_WORD = re.compile(r"[^\s(),]+")


def longest_run_reward(predicted: str, gold: str) -> float:
    """Return the longest run of words that two forms share, over all words of either.

    The published code rewards so on COGS and GEO, where the paper has conjunctive components.
    """
    ours, theirs = _WORD.findall(predicted), _WORD.findall(gold)
    run = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match().size
    return run / max(1, len(ours) + len(theirs) - run)


def open_store(domain: Domain, store: str | None, data: str | None) -> Execute:
    """Return a function that runs forms; raise `UsageError` if the domain has no facts."""
    if domain.execution is None:
        raise UsageError(f"{domain.name} has no facts to run forms on")
    find = DataFolder.choose(data).find
    return domain.execution.open_store(None if store is None else Path(store), find)


def run_form(domain: Domain, execute: Execute, form: str) -> dict[str, object]:
    """Return what commands show of a form that is run: `answer`, and `unit` where it has one.

    `execute` comes from `open_store`. Raise `FormError` if the form cannot be run.
    """
    assert domain.execution is not None  # open_store refuses other domains
    answer = execute(form)
    unit = domain.execution.unit(form)
    return {"answer": answer} if unit is None else {"answer": answer, "unit": unit}


DIGITS = 3
"""Significant digits of numbers that are not whole; what is before the point is always whole."""
_FACTORS = {
    ("square miles", "square km"): 2.589988110336,
    ("miles", "km"): 1.609344,
    ("feet", "metres"): 0.3048,
    ("people per square mile", "people per square km"): 1 / 2.589988110336,
}
CONVERSIONS: Mapping[str, tuple[str, float]] = {
    **{unit: (other, factor) for (unit, other), factor in _FACTORS.items()},
    **{other: (unit, 1 / factor) for (unit, other), factor in _FACTORS.items()},
}
"""Unit -> the unit of the other system, and how many of those it is."""


def answer_text(answer: object, unit: str | None = None) -> str:
    """Return an answer of `Execute` in one line, with its unit and that of the other system.

    `answer_text([266807], "square miles")` is `266,807 square miles (691,027 square km)`. Names are
    separated by commas. Where there are numbers, parts are separated by semicolons, since a comma
    separates thousands.
    """
    if not isinstance(answer, list | tuple):
        return _part_text(answer, unit)
    if not answer:
        return "none"
    separator = "; " if any(map(_is_number, answer)) else ", "
    return separator.join(_part_text(part, unit) for part in answer)


def number_text(number: float) -> str:
    """Return a number with thousands separated; one that is not whole is rounded."""
    if number == int(number):
        return f"{int(number):,}"
    places = max(0, DIGITS - 1 - math.floor(math.log10(abs(number))))
    return f"{number:,.{places}f}"


def _is_number(part: object) -> bool:
    return isinstance(part, int | float) and not isinstance(part, bool)


def _part_text(part: object, unit: str | None) -> str:
    if isinstance(part, bool):
        return "yes" if part else "no"
    if not isinstance(part, int | float):
        return part if isinstance(part, str) else msgspec.json.encode(part).decode()
    shown = number_text(part) + (f" {unit}" if unit else "")
    if unit is None or unit not in CONVERSIONS:
        return shown
    other, factor = CONVERSIONS[unit]
    return f"{shown} ({number_text(part * factor)} {other})"
