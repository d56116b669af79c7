"""The commands of a run: which one comes next, and what is kept of its output."""

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from lear.domain.example import PARTS
from lear.reproduction.columns import are_faults_missing
from lear.reproduction.data_version import Files, file_digests
from lear.reproduction.machine import code_digest
from lear.reproduction.run_files import RunFiles
from lear.reproduction.run_identity import Run
from lear.reproduction.table import MEASURED, Baseline, Measurement, Result, Training
from lear.storage.atomic_file import write_whole
from lear.storage.json_file import read_json

State = Literal["finished", "trained", "cut off", "of older code", "failed", "not run"]


@dataclass(frozen=True)
class Step:
    """A command, and the key of the result that it prints."""

    arguments: tuple[str, ...]
    """After `python -m`."""
    key: str | None = None
    """None: it trains."""
    is_beginning: bool = False
    """Whether it trains from the beginning, in an empty folder."""


@dataclass(frozen=True)
class Steps:
    """The commands of a run in its folder."""

    run: Run
    files: RunFiles
    data: str | None
    """The folder of `--data`."""

    def versions(self) -> dict[str, Files]:
        """Key of a result -> the files that it is measured on."""
        parts = PARTS if isinstance(self.run.experiment, Measurement) else ("test",)
        benchmarks = {key: key or self.run.experiment.benchmark for key in self.run.results}
        return {key: file_digests(name, parts, self.data) for key, name in benchmarks.items()}

    def state(self) -> State:
        """How far the run has come."""
        if self.following() is None:
            return "finished"
        record = self.files.record()
        if record.failure:
            return "failed"
        if record.is_trained:
            return "trained"
        if self._is_outdated():
            return "of older code"
        return "cut off" if self.files.checkpoint.is_file() else "not run"

    def result(self, key: str) -> Result | None:
        """A result of the run, with the time of its training; None if it is not there."""
        if key not in self.run.results:
            return None
        found = self.files.result(key, self.versions()[key])
        if found is None or key == MEASURED:
            return found
        return {**found, "training_seconds": self.files.record().seconds}

    def following(self) -> Step | None:
        """The next command; None if there is nothing left to do."""
        versions = self.versions().items()
        missing = [key for key, files in versions if not self._is_whole(key, files)]
        experiment = self.run.experiment
        if not missing and not self._is_outdated():
            return None
        if isinstance(experiment, Measurement):
            return Step((experiment.module, *experiment.arguments, *self._data()), MEASURED)
        is_new = not self.files.checkpoint.is_file()
        if isinstance(experiment, Baseline):
            return Step(self._baseline(experiment, is_new=is_new), is_beginning=is_new)
        if not self.files.record().is_trained:
            return Step(self._training(is_new=is_new), is_beginning=is_new)
        execute = ("--execute",) if experiment.executes else ()
        faults = () if experiment.blames else ("--skip-faults",)
        command = ("lear", "evaluate", str(self.files.training), missing[0], "--json")
        return Step((*command, *execute, *faults, *self._data()), missing[0])

    def _is_whole(self, key: str, files: Files) -> bool:
        """Whether a result is there, with all that is asked of it: another row may ask for less."""
        result = self.files.result(key, files)
        if result is None:
            return False
        experiment = self.run.experiment
        if not isinstance(experiment, Training):
            return True
        lacks_faults = experiment.blames and are_faults_missing(result)
        lacks_answers = experiment.executes and result.get("denotation") is None
        return not (lacks_faults or lacks_answers)

    def _is_outdated(self) -> bool:
        """Whether it is a measurement of speed, of code that has changed since."""
        experiment, made = self.run.experiment, self.files.record().made
        is_of_speed = isinstance(experiment, Measurement) and experiment.is_of_speed
        return is_of_speed and made is not None and made.code != code_digest()

    def _training(self, *, is_new: bool) -> tuple[str, ...]:
        """Train, or go on where it was cut off."""
        what = ("--config", str(self.files.config)) if is_new else ("--resume",)
        return "lear", "train", *what, "--output", str(self.files.training), *self._data()

    def _baseline(self, experiment: Baseline, *, is_new: bool) -> tuple[str, ...]:
        """Train a baseline and evaluate it, or go on where it was cut off."""
        settings: dict[str, Any] = json.loads(self.run.config)
        flags = [f"--{key}={_flag(value)}" for key, value in settings.items()]
        flags += [flag for name in experiment.evaluated_on for flag in ("--evaluate", name)]
        flags += [] if is_new else ["--resume"]
        place = ("--output", str(self.files.training), "--json", *self._data())
        return "lear", "baseline", experiment.benchmark, *flags, *place

    def prepare(self, step: Step) -> None:
        """Make the folder ready for a command."""
        if step.is_beginning:
            self.files.clear_training()
            if isinstance(self.run.experiment, Training):
                write_whole(self.files.config, self.run.config.encode())

    def _data(self) -> tuple[str, ...]:
        return () if self.data is None else ("--data", self.data)

    def keep(self, step: Step, seconds: float) -> None:
        """Keep what a command that ended well has made."""
        record, versions = self.files.record(), self.versions()
        if step.key is not None:
            self.files.keep_result(step.key, versions[step.key], self._printed(self.files.output))
            self.files.note(other_seconds=record.other_seconds + seconds, failure="")
            return
        if isinstance(self.run.experiment, Baseline):
            result = self._printed(self.files.training / "result.json")
            for key in self.run.results:
                self.files.keep_result(key, versions[key], result["scores"][key])
            trained = float(result["seconds"])
            other = max(0.0, record.seconds + seconds - trained)
            self.files.note(is_trained=True, seconds=trained, other_seconds=other, failure="")
        else:
            self.files.note(is_trained=True, seconds=record.seconds + seconds, failure="")

    def _printed(self, path: Path) -> dict[str, Any]:
        return read_json(path, dict[str, Any], "what the command should print")


def command_line(step: Step) -> list[str]:
    """The words of a command that runs a step."""
    return [sys.executable, "-m", *step.arguments]


def told_as_command(run: Run) -> str:
    """What a user would type for the same."""
    experiment = run.experiment
    if isinstance(experiment, Measurement):
        start = "lear" if experiment.module == "lear" else f"python -m {experiment.module}"
        return f"{start} {shlex.join(experiment.arguments)}"
    if isinstance(experiment, Training):
        start = f"lear train {experiment.benchmark} --recipe {experiment.recipe}"
    else:
        start = f"lear baseline {experiment.benchmark} --architecture {experiment.architecture}"
    flags = "".join(f" --{key} {shlex.quote(value)}" for key, value in run.flags.items())
    return f"{start}{flags} --seed {run.seed}"


def _flag(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
