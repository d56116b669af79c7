"""All that can be told of a domain and its rows before training: what `lear check` prints."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import msgspec

from lear.core.lexicon import UNKNOWN, Lexicon
from lear.domain.domain import Domain
from lear.domain.example import PARTS, Example
from lear.evaluation.check_reach import ReachCheck
from lear.evaluation.check_rows import check_forms, contradictions
from lear.evaluation.findings import Finding
from lear.messages.progress import SILENT, Tracker
from lear.search.oracle import Oracle

MIN_ROWS = 30
"""Fewer training rows are too few."""
MAX_UNREACHED = 0.1
"""The share of rows that may be out of reach."""


@dataclass
class CheckReport:
    """What was found, and how much was looked at."""

    findings: list[Finding] = field(default_factory=list)
    num_rows: dict[str, int] = field(default_factory=dict)
    """Part -> its rows."""
    num_searched: int = 0
    num_reached: int = 0
    """Of the rows that were searched."""

    @property
    def is_sound(self) -> bool:
        """Whether nothing must be mended."""
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

    Args:
        domain: Whose rows they are.
        rows: By part.
        induce: Training rows -> lexicon.
        limit: Of rows to search; None is all.
        tracker: Told how far the work has come.
    """
    report = CheckReport(num_rows={part: len(rows.get(part, ())) for part in PARTS})
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
        _search(domain, lexicon, readable, limit, report, tracker)
        report.findings += _words(lexicon, readable)
    return report


def _search(
    domain: Domain,
    lexicon: Lexicon,
    rows: dict[str, list[Example]],
    limit: int | None,
    report: CheckReport,
    tracker: Tracker,
) -> None:
    reach = ReachCheck(Oracle.of(domain, lexicon))
    chosen = [row for part in PARTS for row in rows[part][:limit]]
    found = list(reach.check(tracker.track(chosen, "rows searched", len(chosen))))
    is_rare = reach.num_rows - reach.num_reached <= MAX_UNREACHED * reach.num_rows
    if is_rare:
        found = [
            msgspec.structs.replace(f, kind="rarely unreached") if f.kind == "unreached" else f
            for f in found
        ]
    report.findings += found
    # An inferred language has all operations that any has: those of no use tell nothing.
    is_own = domain.inference is None
    in_sum = list(reach.in_sum())
    report.findings += (f for f in in_sum if is_own or f.kind not in ("unused", "promise"))
    if not is_own and any(finding.kind == "promise" for finding in in_sum):
        # Nobody can mend a category of a language that was worked out: it is no more than a remark.
        count = sum(finding.kind == "promise" for finding in in_sum)
        report.findings.append(Finding("blurred", f"kinds of phrases: {count}"))
    report.num_searched, report.num_reached = reach.num_rows, reach.num_reached


def _words(lexicon: Lexicon, rows: dict[str, list[Example]]) -> list[Finding]:
    """What there is to say of words: those without a meaning, and those that training lacks."""
    found = []
    content = {word for unit in lexicon.units for word in unit}
    silent = [w for w in lexicon.function_words if w not in content and _is_spoken(w)]
    if silent:
        found.append(Finding("silent", ", ".join(silent)))
    known = {word for row in rows["train"] for word in row.tokens} | content
    for part in ("dev", "test"):
        words = {word for row in rows[part] for word in row.tokens}
        unseen = {word for word in words - known if _is_spoken(word)}
        if unseen:
            found.append(Finding("unseen", f"in {part} rows: {', '.join(sorted(unseen))}"))
    return found


def _is_spoken(word: str) -> bool:
    """Whether a token is a word, not a mark such as a comma."""
    return word != UNKNOWN and any(map(str.isalnum, word))
