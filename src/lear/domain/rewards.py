"""The rewards of the paper's section 4.1, as pure functions, and that of its published code."""

import re
from collections.abc import Hashable
from dataclasses import dataclass
from difflib import SequenceMatcher

from lear.core.algebra import Meaning
from lear.domain.domain import Metrics


def jaccard(predicted: frozenset[Hashable], gold: frozenset[Hashable]) -> float:
    """|P & G| / |P | G|; two empty sets agree perfectly."""
    union = predicted | gold
    return len(predicted & gold) / len(union) if union else 1.0


_WORD = re.compile(r"[^\s(),]+")


@dataclass(frozen=True, slots=True)
class Target:
    """All that rewards compare of a gold meaning."""

    conjuncts: frozenset[Hashable]
    primitives: frozenset[Hashable]
    form: str = ""
    """For the published code's reward only."""

    @classmethod
    def of(cls, metrics: Metrics, gold: Meaning, form: str = "") -> "Target":
        """What to compare with."""
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


def longest_run_reward(predicted: str, gold: str) -> float:
    """The longest run of words that two forms share, over all words of either.

    The published code rewards so on COGS and GEO, where the paper has conjunctive components.
    """
    ours, theirs = _WORD.findall(predicted), _WORD.findall(gold)
    run = SequenceMatcher(None, ours, theirs, autojunk=False).find_longest_match().size
    return run / max(1, len(ours) + len(theirs) - run)
