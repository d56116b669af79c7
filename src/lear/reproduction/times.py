"""How long runs take, and how long is left."""

from collections.abc import Sequence

from lear.reproduction.steps import Steps

SHORTEST = 5.0
"""Seconds that a run takes at least: its processes have to start."""


class Times:
    """How long runs take: as runs like them took, else as their experiment guesses."""

    def __init__(self, runs: Sequence[Steps]) -> None:
        self._known: dict[tuple[str, ...], list[float]] = {}
        for steps in runs:
            if steps.state() == "finished":
                self.learn(steps)

    def learn(self, steps: Steps) -> None:
        """Take note of a run that has ended well."""
        record = steps.files.record()
        self._known.setdefault(steps.run.alike, []).append(record.seconds + record.other_seconds)

    def is_known(self, steps: Steps) -> bool:
        """Whether a run like this one was seen."""
        return steps.run.alike in self._known

    def seconds(self, steps: Steps) -> float:
        """About how long a run takes from its beginning to its end."""
        known = self._known.get(steps.run.alike)
        return sum(known) / len(known) if known else 60.0 * steps.run.experiment.minutes

    def left(self, steps: Steps) -> float:
        """About how long a run still takes."""
        if steps.state() == "finished":
            return 0.0
        record = steps.files.record()
        return max(SHORTEST, self.seconds(steps) - record.seconds - record.other_seconds)


def in_words(seconds: float) -> str:
    """A time that a person can read: `40 s`, `12 min`, `3.5 h`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"
