"""Mean and 95 % interval of a few seeds, by Student's t."""

import math
from collections.abc import Sequence
from statistics import fmean, stdev

CONFIDENCE = 0.95


def mean(values: Sequence[float]) -> float | None:
    """The mean; None of no values."""
    return fmean(values) if values else None


def half_width(values: Sequence[float], confidence: float = CONFIDENCE) -> float | None:
    """Half the width of the interval around the mean; None of fewer than two values."""
    if len(values) < 2:
        return None
    return t_quantile(len(values) - 1, confidence) * stdev(values) / math.sqrt(len(values))


def t_quantile(freedom: int, confidence: float = CONFIDENCE) -> float:
    """The t that a variable with so many degrees of freedom exceeds neither way, so probably."""
    low, high = 0.0, math.pi / 2
    for _ in range(100):
        middle = (low + high) / 2
        if _within(middle, freedom) < confidence:
            low = middle
        else:
            high = middle
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability of |t| < sqrt(freedom) tan(angle) (Abramowitz & Stegun 26.7.3, 26.7.4)."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term = cosine if odd else 1.0
    total = 0.0
    for i in range(freedom // 2):
        total += term
        term *= cosine**2 * (2 * i + 1 + odd) / (2 * i + 2 + odd)
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
