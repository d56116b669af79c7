"""Checks of a domain and its rows before training: what `lear check` finds, and what to do then.

Forms are read and printed, which is quick on any number of rows. Some rows are searched for
derivations; for a row out of reach, what its words bring is compared with what its form needs.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import msgspec

from lear.algebra.algebra import MeaningTable, Primitive
from lear.algebra.meanings import plain_values
from lear.benchmark import PARTS, Example
from lear.domain import Domain
from lear.errors import AlgebraError, DomainError, FormError, SearchLimitError
from lear.evaluation.coverage import CategoryPromise
from lear.forest.oracle import Oracle
from lear.grammar.reading import Reading
from lear.lexicon.lexicon import UNKNOWN, Lexicon
from lear.messages import SILENT, Tracker


class Kind(NamedTuple):
    """A kind of finding."""

    title: str
    """The heading over its findings."""
    advice: str
    """What to do next."""
    is_serious: bool = True
    """True if it must be mended before training."""
    pairs_advice: str = ""
    """What to do next if there is a file of pairs and no code; empty for the same."""


KINDS = {
    "missing": Kind("parts without rows", "give rows for training, and let some be dev rows"),
    "unreadable": Kind(
        "forms that cannot be read", "mend these forms, or `read`", pairs_advice="mend these forms"
    ),
    "failing": Kind("rows on which the domain's code fails", "mend the function that is named"),
    "altered": Kind(
        "forms that print with another meaning", "mend `render`: it must print what `read` reads"
    ),
    "contradictory": Kind(
        "utterances with two forms", "decide on one form: at most one of them can be learned"
    ),
    "promise": Kind(
        "categories that promise too much", "let `category` tell these two meanings apart"
    ),
    "unreached": Kind(
        "rows out of reach: no operations make their form of their words",
        "add what is missing: an operation, a primitive, or room for function words (`shape`)",
        pairs_advice="see what these rows have in common: words that occur once, or a form that is "
        "no function of its words (docs/from-pairs.md, When it will not work)",
    ),
    "rarely unreached": Kind(
        "rows out of reach: no operations make their form of their words",
        "see whether these few rows are worth an operation",
        is_serious=False,
    ),
    "blurred": Kind(
        "phrases that are of one kind, and yet do not fit everywhere alike",
        "nothing in the file: a few answers may be missed",
        is_serious=False,
    ),
    "unnamed": Kind(
        "symbols of forms that no word stands for and no operation brings",
        "list them among a row's primitives, or write an operation that brings them",
        is_serious=False,
    ),
    "spelt": Kind(
        "forms that print as another text with the same meaning",
        "nothing, if scores may ignore the difference",
        is_serious=False,
    ),
    "unused": Kind(
        "operations that no derivation uses", "leave them out, if rows have all", is_serious=False
    ),
    "unseen": Kind(
        "words that training never shows",
        "add training rows with them, or say what they may stand for (`unknown`)",
        is_serious=False,
    ),
    "silent": Kind(
        "words that stand for nothing by themselves",
        "if one of them should stand for something, see `lear lexicon`",
        is_serious=False,
    ),
    "types": Kind(
        "types that look wrong",
        "if one joins what should be apart, mend what `lear types` prints, and train with --types",
        is_serious=False,
    ),
    "few": Kind(
        "too little to learn from", "give more rows: 30 at least, better 100", is_serious=False
    ),
}
"""In the order in which they are shown: what comes first may be the cause of what comes later."""
MAX_SHOWN = 60
"""The number of characters of a form in a message."""
MAX_NEAREST = 20
"""The number of rows out of reach whose nearest form is searched for: that takes long."""
MIN_ROWS = 30
"""With fewer training rows there is too little to learn from."""
MAX_UNREACHED = 0.1
"""The share of rows that may be out of reach."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong, or worth a look."""

    kind: str
    message: str
    source: str = ""
    """The row; empty where it is about the domain as a whole."""

    @property
    def is_serious(self) -> bool:
        """True if it must be mended."""
        return KINDS[self.kind].is_serious

    def __str__(self) -> str:
        return f"{self.source}: {self.message}" if self.source else self.message


def check_forms(
    domain: Domain, rows: Iterable[Example], readable: list[Example]
) -> Iterator[Finding]:
    """Read and print every form; append rows whose forms can be read to `readable`."""
    language = domain.language
    for row in rows:
        table = MeaningTable(language.algebra)
        try:
            meaning = language.read(row.form, row.tokens, table)
        except (FormError, AlgebraError, DomainError) as error:
            yield Finding("unreadable", str(error), row.source)
            continue
        except RecursionError:
            yield Finding("unreadable", "nested too deeply", row.source)
            continue
        readable.append(row)
        try:
            printed = language.render(meaning)
            if printed != row.form:
                again = language.read(printed, row.tokens, table)
                kind = "spelt" if again is meaning else "altered"
                both = f"{_shortened(row.form)} prints {_shortened(printed)}"
                yield Finding(kind, both, row.source)
        except (FormError, AlgebraError, DomainError) as error:
            yield Finding("altered", str(error), row.source)


def contradictions(rows: Sequence[Example]) -> Iterator[Finding]:
    """Find the rows whose utterance has another form in an earlier row."""
    first: dict[tuple[str, ...], Example] = {}
    for row in rows:
        earlier = first.setdefault(row.tokens, row)
        if earlier.form != row.form:
            forms = f"{_shortened(row.form)}, but in {earlier.source} {_shortened(earlier.form)}"
            yield Finding("contradictory", f"{row.sentence!r} is {forms}", row.source)


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


class ReachCheck:
    """Searches rows for derivations, and collects what can only be said about all of them."""

    def __init__(self, oracle: Oracle) -> None:
        self.oracle = oracle
        self.domain = oracle.domain
        self.promise = CategoryPromise(oracle.domain)
        self.used: set[str] = set()
        """Operations that derivations use."""
        self.num_rows = 0
        self.num_reached = 0
        self._brought: set[Hashable] = set()
        """Values in the meanings of rows in reach: words or operations bring them."""
        self._lacked: Counter[Hashable] = Counter()
        """Value -> the number of rows out of reach with this value in their meanings."""

    def check(self, rows: Iterable[Example]) -> Iterator[Finding]:
        """Find the rows out of reach, with the reason; rows must be readable."""
        for row in rows:
            self.num_rows += 1
            try:
                reason = self._search(row)
            except (AlgebraError, DomainError) as error:
                yield Finding("failing", str(error).removeprefix(f"{row.source}: "), row.source)
                continue
            if reason is not None:
                yield Finding("unreached", reason, row.source)

    def _search(self, row: Example) -> str | None:
        """Return why a row is out of reach; None if it is in reach."""
        limit = ""
        try:
            forest = self.oracle.gold_forest(row, overlook=True)
        except SearchLimitError as error:
            forest, limit = None, str(error)
        if forest is None:
            return self._why_unreached(row, limit)
        self.num_reached += 1
        self.promise.add(forest.items())
        for item in forest.items():
            self.used.update(edge.label for edge in item.edges if edge.children)
        self._brought |= plain_values(forest.root.value)
        return None

    def in_sum(self) -> Iterator[Finding]:
        """Find what is true of all rows together."""
        try:
            for broken in self.promise.broken():
                yield Finding("promise", broken)
        except (AlgebraError, DomainError) as error:
            yield Finding("failing", str(error))
        named = self._brought | set(self._values_of_primitives)
        for value, count in self._lacked.most_common():
            if value not in named and not _is_number(value):  # any number is a word of its own
                rows = "1 row" if count == 1 else f"{count:,} rows"
                yield Finding("unnamed", f"{value}: in {rows} out of reach")
        for operation in self.domain.language.algebra.operations:
            if operation.name not in self.used and self.num_reached:
                yield Finding("unused", f"{operation.name} ({operation.signature})")

    @cached_property
    def _values_of_primitives(self) -> dict[Hashable, None]:
        entries = (entry for group in self.oracle.lexicon.units.values() for entry in group)
        values: dict[Hashable, None] = {}
        for primitive in dict.fromkeys(entry.primitive for entry in entries):
            values.update(dict.fromkeys(self._values(primitive, 0)))
        return values

    def _values(self, primitive: Primitive, position: int) -> frozenset[Hashable]:
        table = MeaningTable(self.domain.language.algebra)
        return plain_values(self.domain.words.ground(primitive, position, table))

    def _why_unreached(self, row: Example, reason: str) -> str:
        """Say why a row is out of reach, and what is nearest to it."""
        language = self.domain.language
        table = MeaningTable(language.algebra)
        gold = language.read_gold(row, table)
        wanted = plain_values(gold)
        self._lacked.update(wanted)
        reason = reason or self._reason(self.oracle.reader.read(row.tokens), wanted)
        text = f"{row.sentence!r} cannot mean {_shortened(row.form)}: {reason}"
        nearest = None
        if self.num_rows - self.num_reached <= MAX_NEAREST:
            with suppress(SearchLimitError):
                nearest = self.oracle.nearest(row.tokens, gold, table)
        if nearest is None:
            return text
        return f"{text}; nearest: {_shortened(language.render(nearest))}"

    def _reason(self, reading: Reading, wanted: frozenset[Hashable]) -> str:
        """Name the words that nothing can use, else the symbols that nothing brings."""
        if words := reading.meaningless_words:
            return f"nothing is known of {_listed(words)}"
        brought: set[Hashable] = set()
        for (begin, end), candidates in reading.units.items():
            primitives = [reading.primitive(c) for c in candidates if c.leaf.category >= 0]
            values = [self._values(primitive, begin) for primitive in primitives]
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
    """Return True if a value of a meaning is a number, or the text of one."""
    try:
        float(str(value))
    except ValueError:
        return False
    return True


def _listed(words: Iterable[str]) -> str:
    return ", ".join(map(repr, words))


@dataclass
class CheckReport:
    """All findings, and the number of rows that they are about."""

    num_rows: dict[str, int]
    """Part -> its rows."""
    findings: list[Finding] = field(default_factory=list)
    num_searched: int = 0
    num_reached: int = 0
    """The number of rows in reach among those that were searched."""

    @property
    def is_sound(self) -> bool:
        """True if nothing must be mended."""
        return not any(finding.is_serious for finding in self.findings)


def check_domain(
    domain: Domain,
    rows: dict[str, list[Example]],
    induce: Callable[[Sequence[Example]], Lexicon],
    *,
    limit: int | None = None,
    tracker: Tracker = SILENT,
) -> CheckReport:
    """Check all rows, and search up to `limit` rows of each part for derivations.

    `rows` are by part; `induce` makes a lexicon from training rows.
    """
    report = CheckReport({part: len(rows.get(part, ())) for part in PARTS})
    readable: dict[str, list[Example]] = {part: [] for part in PARTS}
    for part in PARTS:
        if not rows.get(part) and part != "test":
            report.findings.append(Finding("missing", f"there are no {part} rows"))
        report.findings += check_forms(domain, rows.get(part, ()), readable[part])
    report.findings += contradictions([row for part in PARTS for row in readable[part]])
    if 0 < len(rows["train"]) < MIN_ROWS:
        report.findings.append(Finding("few", f"{len(rows['train'])} training rows"))
    if domain.inference is not None and domain.inferred is not None:
        doubts = domain.inference.doubts(domain.inferred)
        report.findings += (Finding("types", doubt) for doubt in doubts)
    if readable["train"]:
        lexicon = induce(readable["train"])
        reach = ReachCheck(Oracle.of(domain, lexicon))
        chosen = [row for part in PARTS for row in readable[part][:limit]]
        found = list(reach.check(tracker.track(chosen, "rows searched", len(chosen))))
        report.findings += _weighed(domain, reach, found)
        report.num_searched, report.num_reached = reach.num_rows, reach.num_reached
        report.findings += _words(lexicon, readable)
    return report


def _weighed(domain: Domain, reach: ReachCheck, found: list[Finding]) -> Iterator[Finding]:
    """Take rows out of reach lightly if they are few, and what nobody can mend."""
    is_rare = reach.num_rows - reach.num_reached <= MAX_UNREACHED * reach.num_rows
    for finding in found:
        if is_rare and finding.kind == "unreached":
            finding = msgspec.structs.replace(finding, kind="rarely unreached")
        yield finding
    in_sum = list(reach.in_sum())
    if domain.inference is None:
        yield from in_sum
        return
    # An inferred language has all operations that any has: those of no use mean nothing. Nobody can
    # mend its categories: what they promise is no more than a remark.
    yield from (finding for finding in in_sum if finding.kind not in ("unused", "promise"))
    if count := sum(finding.kind == "promise" for finding in in_sum):
        yield Finding("blurred", f"kinds of phrases: {count}")


def _words(lexicon: Lexicon, rows: dict[str, list[Example]]) -> Iterator[Finding]:
    """Find words without a meaning, and words that training lacks."""
    content = {word for unit in lexicon.units for word in unit}
    if silent := [w for w in lexicon.function_words if w not in content and _is_spoken(w)]:
        yield Finding("silent", ", ".join(silent))
    known = {word for row in rows["train"] for word in row.tokens} | content
    for part in ("dev", "test"):
        words = {word for row in rows[part] for word in row.tokens}
        if unseen := {word for word in words - known if _is_spoken(word)}:
            yield Finding("unseen", f"in {part} rows: {', '.join(sorted(unseen))}")


def _is_spoken(word: str) -> bool:
    """Return True if a token is a word, not a mark such as a comma."""
    return word != UNKNOWN and any(map(str.isalnum, word))
