"""Progress of runs on stderr: what runs, how many are done, how much time is left."""

import time
from collections.abc import Sequence

from lear.messages.notes import note
from lear.reproduction.steps import Steps
from lear.reproduction.times import Times, in_words

QUIET_SECONDS = 60.0
"""How long nothing is told while runs go on."""


class Progress:
    """Tells the user what happens; a `Watcher` of workers."""

    def __init__(self, runs: Sequence[Steps], jobs: int) -> None:
        self.times = Times(runs)
        self.jobs = jobs
        self.waiting = [steps for steps in runs if steps.state() != "finished"]
        self.total = len(runs)
        self.failures: dict[str, str] = {}
        """Name of a run -> why it failed, or could not begin."""
        self.told = time.monotonic()
        self.begun: dict[str, float] = {}

    @property
    def done(self) -> int:
        """How many runs are finished."""
        return self.total - len(self.waiting) - len(self.failures)

    def seconds_left(self) -> float:
        """About how long all runs still take."""
        left = [max(0.0, self.times.left(steps) - self._since(steps)) for steps in self.waiting]
        return max(sum(left) / self.jobs, max(left, default=0.0))

    def _since(self, steps: Steps) -> float:
        begun = self.begun.get(steps.run.name)
        return 0.0 if begun is None else time.monotonic() - begun

    def began(self, steps: Steps) -> None:
        """A run was begun, or resumed."""
        self.begun[steps.run.name] = time.monotonic()
        how = {"cut off": "goes on", "trained": "to be evaluated"}.get(steps.state(), "begins")
        self._tell(f"{steps.run.name} {how}")

    def ended(self, steps: Steps, failure: str) -> None:
        """A run ended, well or not."""
        self.waiting = [other for other in self.waiting if other.run.name != steps.run.name]
        if failure:
            self.failures[steps.run.name] = failure
            self._tell(f"{steps.run.name} failed: {failure}")
        else:
            self.times.learn(steps)
            how = f"done in {in_words(self._since(steps))}"
            is_ours = steps.run.name in self.begun
            self._tell(f"{steps.run.name} {how if is_ours else 'was done by another process'}")

    def waits(self, active: Sequence[Steps]) -> None:
        """Some time has passed."""
        if active and time.monotonic() - self.told > QUIET_SECONDS:
            for steps in active:
                self._tell(f"{steps.run.name}: {steps.files.last_line() or 'under way'}")

    def stops(self, active: Sequence[Steps]) -> None:
        """These runs are stopped before their end; it may take a while."""
        for steps in active:
            self._tell(f"{steps.run.name} is stopped; the next call goes on with it")

    def _tell(self, text: str) -> None:
        self.told = time.monotonic()
        left = in_words(self.seconds_left()) if self.waiting else "nothing"
        failed = f", {len(self.failures)} failed" if self.failures else ""
        note(f"[{self.done} of {self.total} done{failed}, about {left} left] {text}")
