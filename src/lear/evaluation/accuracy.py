"""When a prediction is right: strictly, and in the sense of the published evaluation."""

from lear.algebra import Meaning
from lear.domain import Domain


def exact_match(domain: Domain, predicted: Meaning | None, form: str) -> bool:
    """Whether the printed form is the official string; no prediction is a wrong one."""
    return predicted is not None and domain.render(predicted) == form


def lenient_match(domain: Domain, predicted: Meaning | None, gold: Meaning) -> bool:
    """Whether they agree in what the published evaluation compares."""
    return predicted is not None and domain.lenient(predicted) == domain.lenient(gold)
