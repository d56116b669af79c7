"""The rewards of the paper's section 4.1, as pure functions."""

from collections.abc import Hashable
from dataclasses import dataclass

from lear.algebra import Meaning
from lear.domain import Domain


def jaccard(predicted: frozenset[Hashable], gold: frozenset[Hashable]) -> float:
    """|P & G| / |P | G|; two empty sets agree perfectly."""
    union = predicted | gold
    return len(predicted & gold) / len(union) if union else 1.0


@dataclass(frozen=True, slots=True)
class Target:
    """All that rewards compare of a gold meaning."""

    conjuncts: frozenset[Hashable]
    primitives: frozenset[Hashable]

    @classmethod
    def of(cls, domain: Domain, gold: Meaning) -> "Target":
        """What to compare with."""
        return cls(domain.conjuncts(gold), domain.primitives(gold))


def logic_reward(domain: Domain, predicted: Meaning, target: Target) -> float:
    """R1: agreement of the conjunctive components."""
    return jaccard(domain.conjuncts(predicted), target.conjuncts)


def primitive_reward(domain: Domain, predicted: Meaning, target: Target) -> float:
    """R2: agreement of the primitives, however they are put together."""
    return jaccard(domain.primitives(predicted), target.primitives)


def reward(domain: Domain, predicted: Meaning, target: Target, *, alpha: float) -> float:
    """R = alpha * R1 + (1 - alpha) * R2."""
    logic = logic_reward(domain, predicted, target)
    if alpha == 1:  # as on COGS: spare the other part
        return logic
    return alpha * logic + (1 - alpha) * primitive_reward(domain, predicted, target)
