"""What a table consists of: columns, and rows that are quoted or our own.

An experiment is what a row of ours runs: a training with a recipe, a baseline, or a measurement.

Columns, and the figures that they take of results.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Result = Mapping[str, Any]
"""What a command printed as JSON; for trained models also `training_seconds`."""
Value = Callable[[Result], float | None]
"""The figure that a column takes of a result; None if the result has none."""
Kind = Literal["quoted", "ours", "ablation", "baseline"]
Plot = Literal["dots", "lines", "groups", "bars", "stack"]

MEASURED = ""
"""The key of a result that is of no benchmark in particular: of a measurement."""
ONE_LESSON = "one lesson"
"""As a curriculum: the recipe's last lesson for as many epochs as all lessons together."""


@dataclass(frozen=True)
class Column:
    """A column of figures."""

    key: str
    """As CSV and JSON name it."""
    title: str
    value: Value
    benchmark: str = MEASURED
    """Of which evaluation; if empty, of the only one that a row has."""
    format: str = ".2f"
    """How a figure is printed."""
    is_plotted: bool = True
    has_interval: bool = True
    """Whether it is a score, with an interval and every seed; else only its mean is shown."""


@dataclass(frozen=True)
class Quoted:
    """A row that is quoted, as it was printed."""

    name: str
    source: str
    """Who published it."""
    values: Mapping[str, str]
    """Key of a column -> the figure as printed, such as `97.7 ± 0.7`."""


@dataclass(frozen=True)
class Training:
    """A model of a recipe with some settings changed, and where it is evaluated."""

    benchmark: str
    recipe: str
    evaluated_on: tuple[str, ...]
    seeds: int = 3
    overrides: Mapping[str, str] | None = None
    """Setting -> its value as a flag has it; the value of `curriculum` may be `ONE_LESSON`."""
    executes: bool = False
    """Whether forms are executed too, to compare the answers."""
    blames: bool = False
    """Whether it is found out whose fault wrong answers are, which takes time."""
    minutes: float = 1.0
    """About how long one seed takes on one core, until a run has shown it."""


@dataclass(frozen=True)
class Baseline:
    """A sequence-to-sequence model, and where it is evaluated."""

    benchmark: str
    architecture: str
    evaluated_on: tuple[str, ...]
    seeds: int = 3
    overrides: Mapping[str, str] | None = None
    minutes: float = 30.0


@dataclass(frozen=True)
class Measurement:
    """A module's main program that prints one JSON object; it has no seed."""

    name: str
    benchmark: str
    """Whose files it reads."""
    module: str
    arguments: tuple[str, ...]
    is_of_speed: bool = False
    """Whether it measures time: then it runs alone, and again when the code has changed."""
    recipe: str = ""
    """The recipe that it reads, if any: with other settings there it is another run."""
    minutes: float = 1.0


Experiment = Training | Baseline | Measurement


@dataclass(frozen=True)
class Ours:
    """A row of our own; its experiments are trained on different benchmarks."""

    name: str
    experiments: tuple[Experiment, ...]
    kind: Kind = "ours"
    compared_with: str = ""
    """The quoted row whose figures it should have: those that differ are marked."""


@dataclass(frozen=True)
class Table:
    """A table or figure to reproduce."""

    name: str
    title: str
    caption: str
    """What of the paper it reproduces."""
    columns: tuple[Column, ...]
    rows: tuple[Quoted | Ours, ...]
    notes: tuple[str, ...] = ()
    plot: Plot = "dots"
    plot_unit: str = "%"
    """What the axis of figures counts."""


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
