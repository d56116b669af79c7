"""Whether probabilities hold: how they tell right answers from wrong ones, and fitting them.

An answer's probability is a model's own belief. `measure` compares it with how often answers are
right; `fit` finds the temperature, and what guessed and overlooked words cost, that make belief and
frequency agree best on rows that the model was not trained on.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from lear.model.calibration import TRAITS, Calibration, Trait, TraitCounts

Floats = NDArray[np.float64]
BINS = 10
LEAST_SURE = 0.12
"""The share of answers that `least_sure_wrong` looks at."""
TEMPERATURES, FACTORS = (0.25, 16.0), (0.05, 1.0)
"""Between these the temperature is looked for, and each factor."""
PRECISION = 0.05
"""Of their logarithms."""
ROUNDS = 3
MIN_SHOWN = 20
"""A trait that fewer rows show is fitted on further answers too, if there are any."""


class Outcome(NamedTuple):
    """An answer: whether it was right, and what its probability depends on."""

    is_right: bool
    probability_at: Callable[[float], float]
    """Temperature -> probability, before factors."""
    traits: TraitCounts

    def probability(self, calibration: Calibration) -> float:
        """How likely the answer is after calibration."""
        return self.probability_at(calibration.temperature) * calibration.factor(self.traits)


class Bin(NamedTuple):
    """The answers whose probabilities are in one tenth of the range."""

    n: int
    mean_probability: float
    share_right: float


@dataclass(frozen=True)
class Report:
    """How far probabilities can be trusted."""

    n: int
    num_right: int
    auc: float
    """How often a right answer has a higher probability than a wrong one; 0.5 is chance."""
    ece: float
    """Expected calibration error: the mean distance of probability and frequency, in ten bins."""
    log_loss: float
    least_sure_wrong: float
    """Of the 12 % least sure answers, the share that are wrong."""
    bins: tuple[Bin, ...]
    risk_coverage: tuple[tuple[float, float], ...]
    """Share of sentences answered, and share of wrong answers among them, the surest first."""


def measure(probabilities: Sequence[float], is_right: Sequence[bool]) -> Report:
    """Compare the probabilities of answers with whether they were right."""
    p = np.array(probabilities, dtype=np.float64)
    right = np.array(is_right, dtype=bool)
    order = np.argsort(-p, kind="stable")
    wrong_so_far = np.cumsum(~right[order])
    num_least = round(LEAST_SURE * len(p))
    least = order[len(p) - num_least :]
    bins = tuple(_bins(p, right))
    return Report(
        n=len(p),
        num_right=int(right.sum()),
        auc=_auc(p[right], p[~right]),
        ece=sum(b.n * abs(b.mean_probability - b.share_right) for b in bins) / max(1, len(p)),
        log_loss=_log_loss(p, right),
        least_sure_wrong=float((~right[least]).mean()) if num_least else math.nan,
        bins=bins,
        risk_coverage=tuple(
            (answered / len(p), wrong / answered)
            for answered, wrong in enumerate(wrong_so_far.tolist(), start=1)
        ),
    )


def _bins(p: Floats, right: NDArray[np.bool_]) -> list[Bin]:
    number = np.minimum((p * BINS).astype(int), BINS - 1)
    return [
        Bin(int(chosen.sum()), float(p[chosen].mean()), float(right[chosen].mean()))
        for chosen in (number == n for n in range(BINS))
        if chosen.any()
    ]


def _auc(right: Floats, wrong: Floats) -> float:
    if not len(right) or not len(wrong):
        return math.nan
    higher = (right[:, None] > wrong).mean() + 0.5 * (right[:, None] == wrong).mean()
    return float(higher)


def _log_loss(p: Floats, right: NDArray[np.bool_]) -> float:
    safe = np.clip(p, 1e-4, 1 - 1e-4)  # one sure mistake must not decide everything
    return float(-np.where(right, np.log(safe), np.log1p(-safe)).mean()) if len(p) else math.nan


def fit(
    outcomes: Sequence[Outcome], fitted_on: str, with_traits: Sequence[Outcome] = ()
) -> Calibration:
    """The calibration with the least log loss on these answers.

    Temperature and factors are fitted in turn. Each factor counts one right and one wrong answer
    more than there are: what no row shows is then worth about one half.

    Args:
        outcomes: Answers to rows that the model was not trained on.
        fitted_on: Which rows these are.
        with_traits: Further answers, to rows that were changed so that they have traits which the
            others lack. They say nothing of the temperature, nor of traits that others often have.
    """
    calibration = Calibration(fitted_on=fitted_on)
    right = np.array([outcome.is_right for outcome in outcomes], dtype=bool)
    rows_of = {trait: _rows_with(trait, outcomes, with_traits) for trait in TRAITS}
    for _ in range(ROUNDS):
        factors = np.array([calibration.factor(o.traits) for o in outcomes])

        def loss_at(temperature: float, factors: Floats = factors) -> float:
            plain = np.array([o.probability_at(temperature) for o in outcomes])
            return _log_loss(plain * factors, right)

        if right.any() and not right.all():
            temperature = round(_least(loss_at, *TEMPERATURES), 4)
            calibration = msgspec.structs.replace(calibration, temperature=temperature)
        for trait in TRAITS:
            value = _fitted_factor(rows_of[trait], calibration, trait)
            calibration = msgspec.structs.replace(calibration, **{trait: value})
    return calibration


def _rows_with(
    trait: Trait, outcomes: Sequence[Outcome], with_traits: Sequence[Outcome]
) -> list[Outcome]:
    """The answers with a trait, further ones only where there are few."""
    own = [outcome for outcome in outcomes if outcome.traits.get(trait)]
    if len(own) >= MIN_SHOWN:
        return own
    return own + [outcome for outcome in with_traits if outcome.traits.get(trait)]


def _fitted_factor(outcomes: Sequence[Outcome], calibration: Calibration, trait: Trait) -> float:
    """The factor of a trait that all these answers have."""
    without = msgspec.structs.replace(calibration, **{trait: 1.0})
    counts = np.array([outcome.traits[trait] for outcome in outcomes])
    others = np.array([outcome.probability(without) for outcome in outcomes])
    verdicts = np.array([*(outcome.is_right for outcome in outcomes), True, False])

    def loss_at(factor: float) -> float:
        return _log_loss(np.append(others * factor**counts, (factor, factor)), verdicts)

    return round(_least(loss_at, *FACTORS), 4)


def _least(loss: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is least, by golden section on the logarithm of its argument."""
    low, high = math.log(low), math.log(high)
    ratio = (math.sqrt(5) - 1) / 2
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    loss_a, loss_b = loss(math.exp(a)), loss(math.exp(b))
    while high - low > PRECISION:
        if loss_a < loss_b:
            high, b, loss_b = b, a, loss_a
            a = high - ratio * (high - low)
            loss_a = loss(math.exp(a))
        else:
            low, a, loss_a = a, b, loss_b
            b = low + ratio * (high - low)
            loss_b = loss(math.exp(b))
    return math.exp((low + high) / 2)
