"""When a prediction is right: strictly, and in the sense of the published evaluation."""

from lear.algebra import Meaning
from lear.domain import Domain


def exact_match(predicted: str | None, gold: str) -> bool:
    """Whether the printed form is the official string; no prediction is a wrong one."""
    return predicted == gold


def lenient_match(domain: Domain, predicted: Meaning, gold: Meaning) -> bool:
    """Whether they agree in what the published evaluation compares."""
    return domain.lenient(predicted) == domain.lenient(gold)
