"""What a stage of the stress test is told, and what it tells."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

MAX_TOLD = 20
"""How many broken promises of a stage are told; all are counted."""


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """How much is tried; the defaults are those of `make stress`."""

    seed: int = 1
    kills: int = 2_000
    """Times that a run is killed."""
    command_kills: int = 200
    """Times that a whole command is killed, from its first import on."""
    full_disks: int = 50
    """Disks that become full while a run writes to them."""
    sentences: int = 100_000
    """Fuzzed sentences for each model."""
    inputs: int = 300
    """Inputs made to take long, for each model."""
    files: int = 12_000
    """Damaged or crafted models and checkpoints."""
    queries: int = 250
    """Expensive or hostile queries and files of facts."""
    rows: int = 20_000
    """Mutated rows of data files, and forms."""


class StageResult(msgspec.Struct):
    """What came of one stage."""

    stage: str
    figures: dict[str, float] = {}
    """What was counted and measured, by name."""
    num_broken: int = 0
    broken: list[str] = []
    """The first promises that did not hold, one line each."""
    skipped: str = ""
    """Why it was not done here; empty if it was."""
    seconds: float = 0.0

    def count(self, name: str, number: float = 1) -> None:
        """Add to a figure."""
        self.figures[name] = self.figures.get(name, 0) + number

    def at_most(self, name: str, value: float, limit: float) -> None:
        """Record a figure that must not be above a limit."""
        self.figures[name] = round(value, 3)
        if value > limit:
            self.breach(f"{name}: {value:.3g}, more than {limit:g}")

    def breach(self, line: str) -> None:
        """Record that a promise did not hold."""
        self.num_broken += 1
        if len(self.broken) < MAX_TOLD:
            self.broken.append(" ".join(line.split())[:400])


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A new folder that goes again, on a file system in memory where there is one."""
    memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="lear-stress-", dir=memory if memory.is_dir() else None))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)
