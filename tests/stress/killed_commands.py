"""`lear train` at the command line, killed at any moment from its first import on.

The runs of `killed_runs` begin with everything loaded; these meet the loading, the reading of rows
and, with a file of pairs, the choice of a language.
"""

import csv
import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from lear.domains.terms.corpus import HOME
from lear.learning.run_folder import RunFolder
from tests.stress.killed_runs import EXIT_CODES, MAX_KILLS, SIGNALS, difference
from tests.stress.results import Sizes, StageResult, scratch_folder

SETTINGS = ("--model.hidden", "8", "--curriculum", "[{epochs = 2}]")
NUM_PAIRS = 30
TIME_LIMIT = 600.0
GOES_ON = "goes on with this run"
KILLED_IN_PYTHON = {*EXIT_CODES, -signal.SIGINT}
"""A signal may come before a command can handle it."""


class Command(NamedTuple):
    """A command that trains, and an unbroken run of it."""

    benchmark: str
    whole: Path
    seconds: float


class Ended(NamedTuple):
    """How a command ended."""

    exit_code: int
    errors: str


def stress(sizes: Sizes) -> StageResult:
    """Kill commands so many times, and let them go on."""
    result = StageResult("killed commands", {"kills": 0, "runs that cannot go on or differ": 0})
    rng = random.Random(sizes.seed)
    with scratch_folder() as root:
        commands = [_whole("toy", root), _whole(str(_few_pairs(root)), root)]
        while result.figures["kills"] < sizes.command_kills:
            command = commands[int(result.figures.get("runs", 0)) % len(commands)]
            result.count("runs")
            folder = root / f"run-{result.figures['runs']:.0f}"
            failure = _killed_and_ended(command, folder, rng, result)
            if failure:
                result.count("runs that cannot go on or differ")
                result.breach(f"{command.benchmark}: {failure}")
    return result


def _few_pairs(root: Path) -> Path:
    """A file of pairs that is learned in seconds."""
    path = root / "home.csv"
    with HOME.open(newline="") as stream:
        rows = list(csv.reader(stream))
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows[: 1 + NUM_PAIRS])
    return path


def _whole(benchmark: str, root: Path) -> Command:
    folder = root / f"whole-{Path(benchmark).stem}"
    began = perf_counter()
    ended = _run(benchmark, folder)
    if ended.exit_code != 0:
        raise RuntimeError(f"an unbroken run failed: {ended.errors}")
    return Command(benchmark, folder, perf_counter() - began)


def _killed_and_ended(
    command: Command, folder: Path, rng: random.Random, result: StageResult
) -> str:
    """Kill a command some times, then let it end; return what is wrong then, if anything."""
    told = ""
    for _ in range(rng.randint(1, MAX_KILLS)):
        number, seconds = rng.choice(SIGNALS), rng.random() * command.seconds
        told += f"{signal.Signals(number).name} after {seconds:.2f} s, "
        ended = _run(command.benchmark, folder, (seconds, number))
        if ended.exit_code == 0:  # it came to its end first
            break
        if ended.exit_code not in KILLED_IN_PYTHON:
            return f"{told}then exit code {ended.exit_code}: {ended.errors[-300:]}"
        result.count("kills")
        result.count(_stage(folder))
        if GOES_ON in ended.errors and not RunFolder(folder).can_go_on():
            return f"{told}then it said that the run goes on, which it does not"
        left = list(_temporary(folder).glob("lear-trial-*"))
        if left and number != signal.SIGKILL:
            return f"{told}then files of trials are left"
        for path in left:
            shutil.rmtree(path)
    ended = _run(command.benchmark, folder)
    if ended.exit_code != 0:
        return f"{told}then: {ended.errors[-300:]}"
    wrong = difference(command.whole, folder)
    return wrong and f"{told}then: {wrong}"


def _stage(folder: Path) -> str:
    """How far a command had come."""
    run = RunFolder(folder)
    if not run.root.exists():
        return "before there is a folder"
    if not run.config.is_file():
        return "before there are settings"
    return "training or saving" if run.checkpoint.is_file() else "before there is a checkpoint"


def _temporary(folder: Path) -> Path:
    """Where a command keeps what it needs for a while."""
    path = folder.parent / f"temporary-{folder.name}"
    path.mkdir(exist_ok=True)
    return path


def _run(benchmark: str, folder: Path, kill: tuple[float, int] | None = None) -> Ended:
    """Begin a run, or go on with it, as a user would; kill it after so many seconds by a signal."""
    is_begun = RunFolder(folder).can_go_on()
    arguments = ("--resume",) if is_begun else (benchmark, *SETTINGS)
    with subprocess.Popen(
        [sys.executable, "-m", "lear", "train", *arguments, "--output", str(folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"TMPDIR": str(_temporary(folder))},
        # A shell may have had it ignored; a run that somebody watches hears it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        text=True,
    ) as process:
        try:
            _, errors = process.communicate(timeout=TIME_LIMIT if kill is None else kill[0])
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL if kill is None else kill[1])
            try:
                _, errors = process.communicate(timeout=TIME_LIMIT)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                return Ended(1, "it hangs")
    return Ended(process.returncode, errors)
