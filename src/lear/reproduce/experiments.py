"""What the tables of the paper consist of: columns, rows that are quoted, and rows of our own.

A row of our own stands for experiments: trainings, baselines, or measurements without a training.
A command prints the result of an experiment as JSON, and a column takes one figure of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Result = Mapping[str, Any]
"""What a command printed; for trained models also `training_seconds`."""
Value = Callable[[Result], float | None]
"""The figure that a column takes of a result; None if the result has none."""
Kind = Literal["quoted", "ours", "ablation", "baseline"]
Plot = Literal["dots", "lines", "groups", "bars", "stack"]

MEASURED = ""
"""The key of the result of a measurement, which is of no benchmark in particular."""
ONE_LESSON = "one lesson"
"""As a curriculum: the recipe's last lesson for as many epochs as all lessons together."""


@dataclass(frozen=True)
class Column:
    """A column of figures."""

    key: str
    """Its name in CSV and JSON."""
    title: str
    value: Value
    benchmark: str = MEASURED
    """The evaluation that it takes its figure of; if empty, the only one that a row has."""
    format: str = ".2f"
    is_plotted: bool = True
    has_interval: bool = True
    """True for scores, which have an interval and list every seed; else only the mean is shown."""


@dataclass(frozen=True)
class Quoted:
    """A row as others published it."""

    name: str
    source: str
    values: Mapping[str, str]
    """Key of a column -> the figure as printed, such as `97.7 ± 0.7`."""


@dataclass(frozen=True)
class Training:
    """A model of a recipe with some settings changed, and where it is evaluated."""

    benchmark: str
    recipe: str
    keys: tuple[str, ...]
    """The benchmarks that it is evaluated on, which are the keys of its results."""
    seeds: int = 3
    overrides: Mapping[str, str] | None = None
    """Setting -> its value as a flag has it; the value of `curriculum` may be `ONE_LESSON`."""
    executes: bool = False
    """True if forms are executed, too, to compare the answers."""
    blames: bool = False
    """True if the evaluation finds out whose fault wrong answers are, which takes time."""
    minutes: float = 1.0
    """About how long one seed takes on one core, until a run has shown it."""


class Baseline(Training):
    """A sequence-to-sequence model, whose recipe is its architecture."""


@dataclass(frozen=True)
class Measurement:
    """A program that prints one JSON object; it has no seed."""

    name: str
    benchmark: str
    """The benchmark whose files it reads."""
    program: str
    """A module that `python -m` runs, and its subcommand if it has some."""
    arguments: tuple[str, ...]
    is_of_speed: bool = False
    """True if it measures time: then it runs alone, and again when the code has changed."""
    recipe: str = ""
    """The recipe that it reads, if any: with other settings there it is another run."""
    minutes: float = 1.0
    keys: tuple[str, ...] = (MEASURED,)


Experiment = Training | Measurement


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


def figure(*path: str, scale: float = 1.0) -> Value:
    """Take the figure at this place of a result, times a scale."""

    def value(result: Result) -> float | None:
        place: Any = result
        for name in path:
            place = place.get(name) if isinstance(place, Mapping) else None
        return scale * place if isinstance(place, int | float) else None

    return value


def percent(*path: str) -> Value:
    """Take the share at this place of a result, in percent."""
    return figure(*path, scale=100.0)


def share_of_faults(fault: str) -> Value:
    """Take how many of a hundred wrong answers are this one's fault; None if no answer is wrong."""

    def value(result: Result) -> float | None:
        faults: Mapping[str, int] = result.get("faults", {})
        total = sum(faults.values())
        return 100.0 * faults.get(fault, 0) / total if total else None

    return value


def wrong_answers(result: Result) -> float | None:
    """Return how many answers are wrong; None if their faults were skipped."""
    return None if are_faults_missing(result) else float(sum(result.get("faults", {}).values()))


def are_faults_missing(result: Result) -> bool:
    """Return True if there are wrong answers, but nobody was blamed for them."""
    return not result.get("faults") and result.get("exact_match", 1.0) < 1.0


def lenient(key: str, title: str, benchmark: str) -> Column:
    """Make a column of the score that the published evaluation gives."""
    return Column(f"{key}_lenient", f"{title}, lenient", percent("lenient"), benchmark)


def strict(key: str, title: str, benchmark: str, *, is_plotted: bool = True) -> Column:
    """Make a column of the strict score."""
    value = percent("exact_match")
    return Column(f"{key}_strict", f"{title}, strict", value, benchmark, is_plotted=is_plotted)


def published(key: str, title: str) -> Column:
    """Make a column that only quoted rows have figures for."""
    return Column(key, title, figure(), "published only", is_plotted=False)


def training_minutes(benchmark: str = MEASURED) -> Column:
    """Make a column of the time that one training takes, a seed on one core."""
    value = figure("training_seconds", scale=1 / 60)
    return Column("minutes", "training, min", value, benchmark, ".1f", False, False)  # noqa: FBT003
