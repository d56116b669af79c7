"""Disks that become full while a run writes: one line says so, and with more room it goes on."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.stress.forks import in_child
from tests.stress.killed_runs import TIME_LIMIT, difference, go_on, whole_run
from tests.stress.results import Sizes, StageResult, scratch_folder

PAGE = 4096
"""The least that a file takes of a file system in memory."""
ROOM = 200 * PAGE
"""Enough for a run."""


def stress(sizes: Sizes) -> StageResult:
    """Let runs meet full disks of so many sizes."""
    result = StageResult("full disk", {"full disks": 0, "runs that cannot go on or differ": 0})
    with scratch_folder() as root:
        refusal = _mounting_refused(root)
        if refusal:
            result.skipped = f"no file system may be mounted here: {refusal}"
            return result
        whole = whole_run(root)
        # The last sizes are of disks on which a run has all the room that it needs.
        for pages in range(2, 2 + sizes.full_disks):
            failure = _filled(whole.folder, root / f"disk-{pages}", pages * PAGE, result)
            if failure:
                result.count("runs that cannot go on or differ")
                result.breach(f"disk of {pages} pages: {failure}")
    return result


def _filled(whole: Path, disk: Path, size: int, result: StageResult) -> str:
    """Run on a disk of some size, then on a larger one; return what is wrong, if anything."""
    with _mounted(disk, size):
        run = disk / "run"
        ended = in_child(lambda: go_on(run), TIME_LIMIT)
        if ended.exit_code == 0:
            return ""
        result.count("full disks")
        if not ended.is_ours:
            return ended.error or str(ended)
        _mount("-o", f"remount,size={ROOM}", str(disk))
        ended = in_child(lambda: go_on(run), TIME_LIMIT)
        return difference(whole, run) if ended.exit_code == 0 else ended.error or str(ended)


@contextmanager
def _mounted(disk: Path, size: int) -> Iterator[None]:
    disk.mkdir()
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(disk))
    try:
        yield
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


def _mounting_refused(root: Path) -> str:
    """Why no file system may be mounted; empty if one may."""
    try:
        with _mounted(root / "trial", PAGE):
            return ""
    except FileNotFoundError:
        return "there is no mount command"
    except subprocess.CalledProcessError as error:
        return str(error.stderr.decode(errors="replace").strip())
