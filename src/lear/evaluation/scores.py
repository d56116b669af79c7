"""Scores of a parser on rows: strict, with the published metric beside it; no row is skipped.

Wrong answers are blamed as in the paper's analysis: if the tree of an answer has some assignment of
primitives and operations that gives the right meaning, the Composer did its part and the
Interpreter erred; else the Composer did.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from itertools import product
from typing import Literal, NamedTuple

from lear.algebra.algebra import Meaning, MeaningTable
from lear.algebra.derivations import Derivation, Leaf, Node, fold_derivation, walk
from lear.benchmark import Example
from lear.domain import Domain
from lear.errors import FormError, SearchLimitError
from lear.forest.oracle import BareNode, Oracle
from lear.lexicon.lexicon import UNKNOWN
from lear.memory import no_garbage_collection
from lear.messages import SILENT, Tracker
from lear.parser import Parse, Parser


class Verdict(NamedTuple):
    """The senses in which a prediction is right; each includes the ones before it."""

    text: bool
    """The form is the official text, letter for letter."""
    exact: bool
    """The meaning is gold's: the strict sense."""
    lenient: bool
    """They agree in what the published evaluation compares."""
    denotation: bool | None = None
    """Running it gives what running gold gives; None where gold was not run."""


WRONG = Verdict(text=False, exact=False, lenient=False)
RIGHT = Verdict(text=True, exact=True, lenient=True)


def same_answer(execute: Callable[[str], object], gold: str, form: str | None) -> bool | None:
    """Return True if a form gives the answer that gold gives; None if gold cannot be run.

    A form that cannot be run has no answer, which is not the same as an empty one.
    """
    try:
        expected = execute(gold)
    except FormError:
        return None
    try:
        return form is not None and execute(form) == expected
    except FormError:
        return False


def judge(domain: Domain, row: Example, form: str | None, meaning: Meaning | None) -> Verdict:
    """Compare an answer, form and meaning, with a row's form; no answer is a wrong one."""
    if form == row.form:
        return RIGHT
    if meaning is None:
        return WRONG
    gold = domain.language.read_gold(row, MeaningTable(domain.language.algebra))
    # Printing is canonical: equal meanings print alike, whatever the official text looks like.
    exact = domain.language.render(gold) == domain.language.render(meaning)
    compared = domain.metrics.lenient
    lenient = exact or (compared is not None and compared(meaning) == compared(gold))
    return Verdict(text=False, exact=exact, lenient=lenient)


Fault = Literal["Composer", "Interpreter", "no answer", "beyond the search limit"]
MAX_MEANINGS = 5_000
"""If a node of a tree without labels has more meanings, nobody is blamed."""


def blame(
    oracle: Oracle, row: Example, derivation: Derivation | None, *, is_free: bool = False
) -> Fault:
    """Return who is to blame for a wrong answer.

    With `is_free`, function words are anywhere in the tree (`model.merging` is free).
    """
    if derivation is None:
        return "no answer"
    can_mean_gold = _can_mean_gold_freely if is_free else _can_mean_gold
    try:
        return "Interpreter" if can_mean_gold(oracle, row, derivation) else "Composer"
    except SearchLimitError:
        return "beyond the search limit"


def _can_mean_gold(oracle: Oracle, row: Example, derivation: Derivation) -> bool:
    """Search a tree for gold like all derivations are searched."""
    table = MeaningTable(oracle.domain.language.algebra)
    gold = oracle.domain.language.read_gold(row, table)
    nodes = frozenset(_bare_node(part) for _, part in walk(derivation))
    may_overlook = UNKNOWN in oracle.lexicon.function_words
    reading = oracle.reader.read(row.tokens)
    forest = oracle.forest(reading, gold, table, only=nodes, overlook=may_overlook)
    return forest is not None


def _can_mean_gold_freely(oracle: Oracle, row: Example, derivation: Derivation) -> bool:
    """Compare gold with everything that a tree can mean."""
    domain, language = oracle.domain, oracle.domain.language
    table = MeaningTable(language.algebra)
    reading = oracle.reader.read(row.tokens)

    def leaf(part: Leaf) -> frozenset[Meaning]:
        candidates = reading.units[part.begin, part.end]
        primitives = (reading.primitive(c) for c in candidates if c.leaf.category >= 0)
        return frozenset(domain.words.ground(p, part.begin, table) for p in primitives)

    def node(part: Node, children: tuple[frozenset[Meaning], ...]) -> frozenset[Meaning]:
        del part
        found: set[Meaning] = set()
        for arguments in product(*children):
            for operation in language.algebra.candidates(*arguments):
                meaning = table.apply(operation, arguments)
                if meaning is not None:
                    found.add(meaning)
            if len(found) > MAX_MEANINGS:
                raise SearchLimitError(f"{row.source}: too many meanings of one tree")
        return frozenset(found)

    gold = language.render(language.read_gold(row, table))
    meanings = fold_derivation(derivation, leaf, node)
    return any(language.render(language.finish(m, row.tokens, table)) == gold for m in meanings)


def _bare_node(part: Derivation) -> BareNode:
    return part.begin, part.end, tuple((child.begin, child.end) for child in part.children)


@dataclass
class Score:
    """Right answers out of all; nothing is skipped."""

    n: int = 0
    text: int = 0
    exact: int = 0
    lenient: int = 0
    run: int = 0
    """Rows whose gold form was run."""
    denotation: int = 0
    """Rows among these whose answer is the same as gold's."""

    def add(self, verdict: Verdict) -> None:
        """Count one row."""
        self.n += 1
        self.text += verdict.text
        self.exact += verdict.exact
        self.lenient += verdict.lenient
        self.run += verdict.denotation is not None
        self.denotation += bool(verdict.denotation)

    @classmethod
    def total(cls, scores: Iterable["Score"]) -> "Score":
        """Add up several scores."""
        return cls(*map(sum, zip(*map(astuple, scores), strict=True)))

    @property
    def text_match(self) -> float:
        """The share that is right letter for letter; 0 without rows."""
        return self.text / self.n if self.n else 0.0

    @property
    def exact_match(self) -> float:
        """The strict share; 0 without rows."""
        return self.exact / self.n if self.n else 0.0

    @property
    def lenient_match(self) -> float:
        """The lenient share; 0 without rows."""
        return self.lenient / self.n if self.n else 0.0

    @property
    def denotation_match(self) -> float | None:
        """The share of answers that are the same as gold's; None where nothing was run."""
        return self.denotation / self.run if self.run else None


@dataclass
class Scores:
    """The scores of one evaluation."""

    groups: dict[str, Score] = field(default_factory=dict)
    """By the benchmark's own groups of rows."""
    lengths: dict[int, Score] = field(default_factory=dict)
    """By the largest length of each of the paper's groups of five: 5, 10, 15 ..."""
    faults: Counter[str] = field(default_factory=Counter)
    """Whose fault wrong answers are, where that was looked into."""
    parse_seconds: float = 0.0

    def add(self, group: str, length: int, verdict: Verdict) -> None:
        """Count one row."""
        self.groups.setdefault(group, Score()).add(verdict)
        self.lengths.setdefault(-(-length // 5) * 5, Score()).add(verdict)

    @property
    def overall(self) -> Score:
        """The score of all rows."""
        return Score.total(self.groups.values())

    def by_kind(self, domain: Domain) -> dict[str, Score]:
        """Score structural and lexical generalisation, where the domain tells them apart."""
        kinds: dict[str, list[Score]] = {"structural": [], "lexical": []}
        for name, score in self.groups.items():
            is_structural = name in domain.corpus.structural_groups
            kinds["structural" if is_structural else "lexical"].append(score)
        return {k: Score.total(v) for k, v in kinds.items()} if kinds["structural"] else {}

    def by_length(self) -> dict[str, Score]:
        """Score groups of lengths such as `6-10`, short ones first."""
        return {f"{last - 4}-{last}": self.lengths[last] for last in sorted(self.lengths)}

    @property
    def sentences_per_second(self) -> float:
        """The speed of parsing, from tokens to printed form."""
        return self.overall.n / self.parse_seconds if self.parse_seconds else 0.0


CHUNK = 4000
"""The number of rows parsed at a time: memory does not grow with the number of all rows."""


def evaluate(
    parser: Parser,
    examples: Sequence[Example],
    on_wrong: Callable[[Example, Parse], None] | None = None,
    execute: Callable[[str], object] | None = None,
    tracker: Tracker = SILENT,
) -> Scores:
    """Parse every row and compare with its form; with `execute`, also what the forms give."""
    scores = Scores()
    parsed = _parsed(parser, examples, scores)
    for row, parse in tracker.track(parsed, "rows evaluated", len(examples)):
        verdict = judge(parser.domain, row, parse.form, parse.meaning)
        if execute is not None:
            verdict = verdict._replace(denotation=same_answer(execute, row.form, parse.form))
        scores.add(row.group, row.length, verdict)
        if not verdict.exact and on_wrong is not None:
            on_wrong(row, parse)
    return scores


def _parsed(
    parser: Parser, examples: Sequence[Example], scores: Scores
) -> Iterator[tuple[Example, Parse]]:
    """Yield each row with its parse; the time of parsing is added to the scores."""
    for begin in range(0, len(examples), CHUNK):
        rows = examples[begin : begin + CHUNK]
        started = time.perf_counter()
        with no_garbage_collection():
            parses = parser.parse_batch([row.tokens for row in rows])
        scores.parse_seconds += time.perf_counter() - started
        yield from zip(rows, parses, strict=True)
