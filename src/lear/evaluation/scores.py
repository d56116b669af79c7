"""Scores: right answers counted overall, by group, by kind of group and by length."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from lear.domain.domain import Domain
from lear.evaluation.blame import Fault
from lear.evaluation.verdict import Verdict


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
    """Of these, the answers that are the same as gold's."""

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
        """All rows of several scores."""
        result = cls()
        for score in scores:
            result.n += score.n
            result.text += score.text
            result.exact += score.exact
            result.lenient += score.lenient
            result.run += score.run
            result.denotation += score.denotation
        return result

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
    faults: Counter[Fault] = field(default_factory=Counter)
    """Whose fault wrong answers are, where that was looked into."""
    parse_seconds: float = 0.0

    def add(self, group: str, length: int, verdict: Verdict) -> None:
        """Count one row."""
        last = -(-length // 5) * 5
        for score in (
            self.groups.setdefault(group, Score()),
            self.lengths.setdefault(last, Score()),
        ):
            score.add(verdict)

    @property
    def overall(self) -> Score:
        """All rows."""
        return Score.total(self.groups.values())

    def by_kind(self, domain: Domain) -> dict[str, Score]:
        """Structural and lexical generalisation, where the domain tells them apart."""
        structural = [
            s for name, s in self.groups.items() if name in domain.corpus.structural_groups
        ]
        lexical = [
            s for name, s in self.groups.items() if name not in domain.corpus.structural_groups
        ]
        if not structural:
            return {}
        return {"structural": Score.total(structural), "lexical": Score.total(lexical)}

    def by_length(self) -> dict[str, Score]:
        """Groups such as `6-10`, short ones first."""
        return {f"{last - 4}-{last}": self.lengths[last] for last in sorted(self.lengths)}

    @property
    def sentences_per_second(self) -> float:
        """Speed of parsing, from tokens to printed form."""
        return self.overall.n / self.parse_seconds if self.parse_seconds else 0.0
