"""The rewards of the paper's section 4.1, as pure functions of two meanings."""

from collections.abc import Hashable

from lear.algebra import Meaning
from lear.domain import Domain


def jaccard(predicted: frozenset[Hashable], gold: frozenset[Hashable]) -> float:
    """|P & G| / |P | G|; two empty sets agree perfectly."""
    union = predicted | gold
    return len(predicted & gold) / len(union) if union else 1.0


def logic_reward(domain: Domain, predicted: Meaning, gold: Meaning) -> float:
    """R1: agreement of the conjunctive components."""
    return jaccard(domain.conjuncts(predicted), domain.conjuncts(gold))


def primitive_reward(domain: Domain, predicted: Meaning, gold: Meaning) -> float:
    """R2: agreement of the primitives, however they are put together."""
    return jaccard(domain.primitives(predicted), domain.primitives(gold))


def reward(domain: Domain, predicted: Meaning, gold: Meaning, *, alpha: float) -> float:
    """R = alpha * R1 + (1 - alpha) * R2."""
    logic = logic_reward(domain, predicted, gold)
    if alpha == 1:  # as on COGS: spare the other part
        return logic
    return alpha * logic + (1 - alpha) * primitive_reward(domain, predicted, gold)
