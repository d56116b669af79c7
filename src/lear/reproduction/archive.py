"""Finished runs beside the tables that were made of them: their results, without their models.

Tables can then be put together anew, and runs added to them, on a machine that never trained these.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from lear.reproduction.run_files import RunFiles
from lear.reproduction.steps import Steps
from lear.storage.atomic_file import write_whole

FOLDER = "runs"
"""Inside the folder of the tables."""


def keep_finished(runs: Iterable[Steps], folder: Path) -> None:
    """Keep the small files of all runs that are finished."""
    for steps in runs:
        if steps.state() == "finished":
            _copy(steps.files, RunFiles(folder / FOLDER / steps.run.name))


def restore_finished(runs: Iterable[Steps], folder: Path) -> None:
    """Take the results of runs that are finished there and were never begun here."""
    for steps in runs:
        kept = replace(steps, files=RunFiles(folder / FOLDER / steps.run.name))
        if steps.state() == "not run" and kept.state() == "finished":
            _copy(kept.files, steps.files)


def _copy(source: RunFiles, target: RunFiles) -> None:
    """Copy results first and the record last, so that no copy is taken for more than it is."""
    results = sorted((source.root / "results").glob("*.json"))
    for path in filter(Path.is_file, (*results, source.config, source.record_file)):
        copied = target.root / path.relative_to(source.root)
        copied.parent.mkdir(parents=True, exist_ok=True)
        write_whole(copied, path.read_bytes())
