"""Which rows no derivation reaches, and why: what their words bring, and what their forms need."""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property

from lear.core.algebra import Meaning, MeaningTable
from lear.core.lexicon import Primitive
from lear.core.meaning_parts import plain_values
from lear.domain.example import Example
from lear.errors import AlgebraError, DomainError, SearchLimitError
from lear.evaluation.category_promise import CategoryPromise
from lear.evaluation.check_rows import shortened
from lear.evaluation.findings import Finding
from lear.grammar.sentence_reading import Reading
from lear.search.oracle import Oracle

MAX_NEAREST = 20
"""Rows out of reach whose nearest form is looked for: that takes long."""


class ReachCheck:
    """Searches rows for derivations, and keeps what is told of all of them together."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.promise = CategoryPromise(oracle.domain)
        self.used: set[str] = set()
        """Operations that derivations use."""
        self.num_rows = 0
        self.num_reached = 0
        self._brought: set[Hashable] = set()
        """Values in the meanings of rows in reach: words or operations bring them."""
        self._lacked: Counter[Hashable] = Counter()
        """Value -> how many rows out of reach have it in their meanings."""

    def check(self, rows: Iterable[Example]) -> Iterator[Finding]:
        """Each row out of reach, with the reason; rows must be readable."""
        for row in rows:
            self.num_rows += 1
            try:
                told = self._search(row)
            except (AlgebraError, DomainError) as error:
                yield Finding("failing", str(error).removeprefix(f"{row.source}: "), row.source)
                continue
            if told is not None:
                yield Finding("unreached", told, row.source)

    def _search(self, row: Example) -> str | None:
        """Why a row is out of reach; None if it is in reach."""
        try:
            forest = self.oracle.gold_forest(row, overlook=True)
        except SearchLimitError as error:
            return self._told(row, str(error))
        if forest is None:
            return self._told(row, "")
        self.num_reached += 1
        self.promise.add(forest.items())
        for item in forest.items():
            self.used.update(edge.label for edge in item.edges if edge.children)
        self._brought |= plain_values(forest.root.value)
        return None

    def in_sum(self) -> Iterator[Finding]:
        """What is told of all rows together."""
        try:
            for broken in self.promise.broken():
                yield Finding("promise", str(broken))
        except (AlgebraError, DomainError) as error:
            yield Finding("failing", str(error))
        named = self._brought | set(self._values_of_primitives)
        for value, count in self._lacked.most_common():
            if value not in named and not _is_number(value):  # any number is a word of its own
                rows = "1 row" if count == 1 else f"{count:,} rows"
                yield Finding("unnamed", f"{value}: in {rows} out of reach")
        for operation in self.oracle.domain.language.algebra.operations:
            if operation.name not in self.used and self.num_reached:
                yield Finding("unused", f"{operation.name} ({operation.signature})")

    @cached_property
    def _values_of_primitives(self) -> dict[Hashable, None]:
        entries = (entry for group in self.oracle.lexicon.units.values() for entry in group)
        values: dict[Hashable, None] = {}
        for primitive in dict.fromkeys(entry.primitive for entry in entries):
            values.update(dict.fromkeys(plain_values(self._ground(primitive, 0))))
        return values

    def _ground(self, primitive: Primitive, position: int) -> Meaning:
        table = MeaningTable(self.oracle.domain.language.algebra)
        return self.oracle.domain.words.ground(primitive, position, table)

    def _told(self, row: Example, reason: str) -> str:
        """Why a row is out of reach, and what is nearest to it."""
        language = self.oracle.domain.language
        table = MeaningTable(language.algebra)
        gold = language.read_gold(row, table)
        wanted = plain_values(gold)
        self._lacked.update(wanted)
        reason = reason or self._reason(self.oracle.reader.read(row.tokens), wanted)
        told = f"{row.sentence!r} cannot mean {shortened(row.form)}: {reason}"
        if self.num_rows - self.num_reached > MAX_NEAREST:
            return told
        try:
            nearest = self.oracle.nearest(row.tokens, gold, table)
        except SearchLimitError:
            nearest = None
        return (
            told if nearest is None else f"{told}; nearest: {shortened(language.render(nearest))}"
        )

    def _reason(self, reading: Reading, wanted: frozenset[Hashable]) -> str:
        """The words that nothing can use, else the symbols that nothing brings."""
        if words := reading.meaningless_words:
            return f"nothing is known of {_listed(words)}"
        brought: set[Hashable] = set()
        for (begin, end), candidates in reading.units.items():
            primitives = [reading.primitive(c) for c in candidates if c.leaf.category >= 0]
            values = [plain_values(self._ground(primitive, begin)) for primitive in primitives]
            brought.update(*values)
            can_be_silent = end == begin + 1 and reading.skeleton.words[begin] is not None
            if values and not can_be_silent and not any(v & wanted for v in values):
                unit = " ".join(reading.tokens[begin:end])
                stands_for = " or ".join(map(str, primitives))
                return f"nothing can use {unit!r}, which stands for {stands_for}"
        lacking = wanted - brought - self._brought
        lacking |= wanted & self._values_of_primitives.keys() - brought
        if lacking:
            return f"no word brings {_listed(sorted(map(str, lacking)))}"
        return "no operations put its words together so"


def _is_number(value: Hashable) -> bool:
    """Whether a value of a meaning is a number, or the text of one."""
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _listed(words: Iterable[str]) -> str:
    return ", ".join(map(repr, words))
