"""Columns, and the figures that they take of results."""

from collections.abc import Mapping
from typing import Any

from lear.reproduction.table import Column, Result, Value


def field(*path: str, scale: float = 1.0) -> Value:
    """The figure at this place of a result, times a scale."""

    def value(result: Result) -> float | None:
        place: Any = result
        for name in path:
            place = place.get(name) if isinstance(place, Mapping) else None
        return scale * place if isinstance(place, int | float) else None

    return value


def percent(*path: str) -> Value:
    """The share at this place of a result, in percent."""
    return field(*path, scale=100.0)


def share_of_faults(fault: str) -> Value:
    """How many of a hundred wrong answers are this one's fault; None if no answer is wrong."""

    def value(result: Result) -> float | None:
        faults: Mapping[str, int] = result.get("faults", {})
        total = sum(faults.values())
        return 100.0 * faults.get(fault, 0) / total if total else None

    return value


def wrong_answers(result: Result) -> float | None:
    """How many answers are wrong; None if their faults were skipped."""
    faults: Mapping[str, int] = result.get("faults", {})
    return None if are_faults_missing(result) else float(sum(faults.values()))


def are_faults_missing(result: Result) -> bool:
    """Whether there are wrong answers, but nobody was blamed for them."""
    return not result.get("faults") and result.get("exact_match", 1.0) < 1.0


def lenient(key: str, title: str, benchmark: str) -> Column:
    """The score that the published evaluation gives."""
    return Column(f"{key}_lenient", f"{title}, lenient", percent("lenient"), benchmark)


def strict(key: str, title: str, benchmark: str, *, is_plotted: bool = True) -> Column:
    """The strict score."""
    value = percent("exact_match")
    return Column(f"{key}_strict", f"{title}, strict", value, benchmark, is_plotted=is_plotted)


def published(key: str, title: str) -> Column:
    """A column that only quoted rows have figures for."""
    return Column(key, title, field(), "published only", is_plotted=False)


def training_minutes(benchmark: str) -> Column:
    """The time of one training, a seed on one core."""
    value = field("training_seconds", scale=1 / 60)
    return Column(
        "minutes", "training, min", value, benchmark, ".1f", is_plotted=False, has_interval=False
    )
