"""Runs that are killed at any moment, and go on: they end as if nothing had happened.

A moment is a time, a call of a function of lear, or an operation on a file of the run; so start-up,
steps, evaluation, each save and what lies between two files are all met.
"""

import os
import random
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any, Literal, NamedTuple

import lear
from lear.domains.toy import TOY
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from tests.stress.forks import Ended, in_child
from tests.stress.results import Sizes, StageResult, scratch_folder
from tests.support.runs import config, losses, same, weights
from tests.support.toy_rows import DEV, TRAIN

SETTINGS = config(curriculum="[{epochs = 2}]", model__hidden="8")
ROWS = {"train": TRAIN[:12], "dev": DEV[:2]}
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
EXIT_CODES = {-signal.SIGKILL, -signal.SIGTERM, 128 + signal.SIGTERM, 128 + signal.SIGINT}
"""Of runs that were killed."""
TIME_LIMIT = 600.0
"""A busy machine may give a run little time; one that hangs is told all the same."""
MAX_KILLS = 6
"""Of one run, before it is let go on to its end."""
Kind = Literal["time", "call", "file operation"]
FILE_OPERATIONS = {"open", "os.rename", "os.remove", "os.mkdir", "os.rmdir"}
"""As Python's audit events name them."""
STAGES = {
    "write_whole": "saving",
    "_report": "saving",
    "_calibrated": "calibrating",
    "_evaluate": "evaluating",
    "_step": "training",
    "train": "between these",
}
"""Function -> what a run does that is in it, or in what it calls."""
Happens = Callable[[Kind, FrameType], None]


class Moment(NamedTuple):
    """When to kill a run, and by which signal."""

    kind: Kind
    number: float
    """Seconds, or which call or operation it is."""
    signal: int

    def __str__(self) -> str:
        return f"{signal.Signals(self.signal).name} at {self.kind} {self.number:.4g}"


class Whole(NamedTuple):
    """An unbroken run, and how many moments of each kind it has."""

    folder: Path
    moments: dict[Kind, float]


def stress(sizes: Sizes) -> StageResult:
    """Kill runs so many times, and let them go on."""
    result = StageResult("kills", {"kills": 0, "runs that cannot go on or differ": 0})
    rng = random.Random(sizes.seed)
    with scratch_folder() as root:
        whole = whole_run(root)
        while result.figures["kills"] < sizes.kills:
            result.count("runs")
            folder = root / f"run-{result.figures['runs']:.0f}"
            failure = _killed_and_ended(whole, folder, rng, result)
            if failure:
                result.count("runs that cannot go on or differ")
                result.breach(failure)
    return result


def go_on(folder: Path) -> None:
    """Begin a run in a folder, or go on with it, as a user would."""
    # A shell may have had SIGINT ignored; a run that somebody watches hears it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    is_begun = (folder / "config.toml").is_file()
    train(SETTINGS, TOY, ROWS, RunFolder(folder), resume=is_begun)


def whole_run(root: Path) -> Whole:
    """An unbroken run."""
    go_on(root / "warm")  # what is loaded at a first run, forked processes need not load again
    began = perf_counter()
    _require_end(in_child(lambda: go_on(root / "whole"), TIME_LIMIT))
    seconds = perf_counter() - began
    counted = in_child(lambda: _counted(root / "counted"), TIME_LIMIT)
    _require_end(counted)
    return Whole(root / "whole", {"time": seconds, **counted.value})


def difference(whole: Path, folder: Path) -> str:
    """What a run has otherwise than an unbroken one; empty if nothing."""
    for which in ("best", "last"):
        if not same(weights(whole, which), weights(folder, which)):
            return f"the weights of model-{which} differ"
    if losses(folder) != losses(whole):
        return "the lines of metrics.jsonl differ"
    left = [path.name for path in folder.rglob("*.partial")]
    return f"files are left: {left}" if left else ""


def _require_end(ended: Ended) -> None:
    if ended.exit_code != 0:
        raise RuntimeError(f"an unbroken run failed: {ended.error}")


def _killed_and_ended(whole: Whole, folder: Path, rng: random.Random, result: StageResult) -> str:
    """Kill a run some times, then let it end; return what is wrong then, if anything."""
    moments = []
    for _ in range(rng.randint(1, MAX_KILLS)):
        kind = rng.choice(tuple(whole.moments))
        moments.append(Moment(kind, rng.random() * whole.moments[kind], rng.choice(SIGNALS)))
        ended = _run_until(folder, moments[-1])
        if ended.is_late:
            return f"{_told(moments)}: it hangs"
        if ended.exit_code == 0:  # it came to its end first
            break
        if ended.exit_code not in EXIT_CODES:
            return f"{_told(moments)}: {ended.error or ended}"
        result.count("kills")
        result.count(_stage_file(folder).read_text() if kind != "time" else "at any time")
        _stage_file(folder).unlink(missing_ok=True)
    ended = in_child(lambda: go_on(folder), TIME_LIMIT)
    if ended.exit_code != 0:
        return f"{_told(moments)}, then: {ended.error or ended}"
    wrong = difference(whole.folder, folder)
    return wrong and f"{_told(moments)}, then: {wrong}"


def _told(moments: list[Moment]) -> str:
    return ", ".join(map(str, moments))


def _run_until(folder: Path, moment: Moment) -> Ended:
    if moment.kind == "time":
        return in_child(lambda: go_on(folder), TIME_LIMIT, (moment.number, moment.signal))
    counts: Counter[Kind] = Counter()

    def happens(kind: Kind, frame: FrameType) -> None:
        counts[kind] += 1
        if kind == moment.kind and counts[kind] == int(moment.number) + 1:
            _stage_file(folder).write_text(_stage(frame))
            os.kill(os.getpid(), moment.signal)

    def work() -> None:
        _watch(folder, happens)
        go_on(folder)

    return in_child(work, TIME_LIMIT)


def _stage_file(folder: Path) -> Path:
    """Where a run leaves word of what it was doing: not among its own files."""
    return folder.parent / f"stage-of-{folder.name}"


def _stage(frame: FrameType | None) -> str:
    """What a run is doing."""
    while frame is not None and frame.f_code.co_name not in STAGES:
        frame = frame.f_back
    return "starting up" if frame is None else STAGES[frame.f_code.co_name]


def _counted(folder: Path) -> dict[Kind, int]:
    """How many calls and operations an unbroken run has."""
    counts: Counter[Kind] = Counter()

    def happens(kind: Kind, frame: FrameType) -> None:
        del frame
        counts[kind] += 1

    _watch(folder, happens)
    go_on(folder)
    return dict(counts)


def _watch(folder: Path, happens: Happens) -> None:
    """From now on, be told of each call in lear and each operation on files of a folder."""
    package = str(Path(lear.__file__).parent)

    def on_profile(frame: FrameType, event: str, argument: object) -> None:
        del argument
        if event == "call" and frame.f_code.co_filename.startswith(package):
            happens("call", frame)

    def on_audit(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FILE_OPERATIONS and str(arguments[0]).startswith(f"{folder}/"):
            happens("file operation", sys._getframe(1))

    sys.setprofile(on_profile)
    sys.addaudithook(on_audit)
