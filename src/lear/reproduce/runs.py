"""A run: one experiment with one seed, named by a digest of its settings and data, in its folder.

Equal settings on equal data are one run, whatever row asks for it. Settings are resolved when runs
are planned and given to the command as a file, so a recipe that is edited meanwhile changes
nothing. `lear train` has a folder of its own inside the run's, `training`, with the checkpoint.
"""

import hashlib
import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec

from lear.benchmark import PARTS
from lear.domains.registry import find_benchmark
from lear.errors import DataError, FileMissingError
from lear.reproduce.experiments import (
    MEASURED,
    ONE_LESSON,
    Baseline,
    Experiment,
    Measurement,
    Result,
    Training,
    are_faults_missing,
)
from lear.reproduce.machine import Provenance, code_digest
from lear.storage.datasets import DataFolder, sha256_of
from lear.storage.files import encode_json, read_json, write_whole

if TYPE_CHECKING:
    from lear.learning.config import RunConfig

TRAINING_PARTS = ("train", "dev")
RECORD, SETTINGS, LOG, OUTPUT = "record.json", "settings.toml", "log.txt", "output.json"
"""Files of a run: what is known of it, its settings, and stderr and stdout of its commands."""
ABSENT = "absent"
LONGEST_VALUE = 20
"""Longer values of settings are left out of a folder's name; the digest tells them apart."""
FIRST_PROGRAMS = {
    "lear.reproduce.measured statistics": "lear.reproduction.data_statistics",
    "lear.reproduce.measured exploration": "lear.reproduction.exploration",
}
"""Program -> its name in digests, which is that of the first version: old results stay valid."""

Files = dict[str, str]
"""Path below the data folder -> SHA-256; `absent` where there is no such file."""
Settings = dict[str, Any]
"""Dotted name -> value."""
State = Literal["finished", "trained", "cut off", "of older code", "failed", "not run"]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Record(msgspec.Struct, frozen=True):
    """What is known of a run besides its results."""

    is_trained: bool = False
    seconds: Seconds = 0.0
    """The time of training, from raw files to the model, over all sessions."""
    other_seconds: Seconds = 0.0
    """The time of evaluations and measurements."""
    failure: str = ""
    """Why the last attempt failed, in one line."""
    made: Provenance | None = None
    """Where and when it was begun."""


class _Kept(msgspec.Struct, frozen=True):
    """A result on disk, with the files that it was measured on."""

    files: dict[str, str]
    result: dict[str, Any]


class _Relied(msgspec.Struct, frozen=True):
    """Figures of a result that must have these types; columns check the others one by one."""

    exact_match: float | None = None
    faults: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = {}


@dataclass(frozen=True)
class Step:
    """A command of a run."""

    arguments: tuple[str, ...]
    """The words after `python -m`."""
    key: str | None = None
    """The key of the result that it prints; None if it trains."""


@dataclass(frozen=True)
class Run:
    """An experiment with a seed, and the folder that keeps what comes of it."""

    experiment: Experiment
    seed: int
    title: str
    """The name without seed and digest."""
    digest: str
    config: str
    """All settings, as text: TOML that `lear train --config` reads, else JSON."""
    flags: dict[str, str]
    """What the experiment changes in the recipe, as flags of the command."""
    changed: Settings
    """Settings that differ from those of the recipe."""
    folder: Path
    data: str | None = None
    """The folder of `--data`."""

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @property
    def is_of_speed(self) -> bool:
        """True if it measures time, so that nothing may run beside it."""
        return isinstance(self.experiment, Measurement) and self.experiment.is_of_speed

    @property
    def training(self) -> Path:
        """The folder of `lear train` or `lear baseline`."""
        return self.folder / "training"

    def result_file(self, key: str) -> Path:
        """Return where the result of this key is."""
        return self.folder / "results" / f"{key.replace('/', '--') or 'measured'}.json"

    @cached_property
    def files(self) -> dict[str, Files]:
        """Key of a result -> the data files that it is measured on."""
        parts = PARTS if isinstance(self.experiment, Measurement) else ("test",)
        return {
            key: file_digests(key or self.experiment.benchmark, parts, self.data)
            for key in self.experiment.keys
        }

    def record(self) -> Record:
        """Return what is known of the run; an empty record if it was never begun."""
        try:
            return read_json(self.folder / RECORD, Record, "the record of a run; delete its folder")
        except FileMissingError:
            return Record()

    def note(self, **changes: object) -> None:
        """Change the record."""
        changed = msgspec.structs.replace(self.record(), **changes)
        write_whole(self.folder / RECORD, msgspec.json.format(encode_json(changed)))

    def result(self, key: str) -> Result | None:
        """Return a result, with the time of training; None if it is not there, or is damaged."""
        if key not in self.experiment.keys:
            return None
        try:
            kept = read_json(self.result_file(key), _Kept, "a result")
            msgspec.convert(kept.result, _Relied)
        except (DataError, msgspec.ValidationError):
            return None
        if kept.files != self.files[key]:
            return None
        is_trained = key != MEASURED
        return kept.result | ({"training_seconds": self.record().seconds} if is_trained else {})

    def keep_result(self, key: str, result: dict[str, Any]) -> None:
        """Keep a result for later calls."""
        path = self.result_file(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.format(encode_json(_Kept(self.files[key], result))))

    def state(self) -> State:
        """Return how far the run has come."""
        record = self.record()
        if self.next_step() is None:
            return "finished"
        if record.failure:
            return "failed"
        if record.is_trained:
            return "trained"
        if self._is_outdated():
            return "of older code"
        return "cut off" if self._has_checkpoint() else "not run"

    def next_step(self) -> Step | None:
        """Return the next command; None if there is nothing left to do."""
        missing = [key for key in self.experiment.keys if not self._is_whole(key)]
        if not missing and not self._is_outdated():
            return None
        experiment, place = self.experiment, str(self.training)
        data = () if self.data is None else ("--data", self.data)
        if isinstance(experiment, Measurement):
            return Step((*experiment.program.split(), *experiment.arguments, *data), MEASURED)
        resume = ("--resume",) if self._has_checkpoint() else ()
        if isinstance(experiment, Baseline):
            settings: Settings = json.loads(self.config)
            flags = [f"--{key}={_flag(value)}" for key, value in settings.items()]
            flags += [flag for key in experiment.keys for flag in ("--evaluate", key)]
            flags += [*resume, "--output", place, "--json", *data]
            return Step(("lear", "baseline", experiment.benchmark, *flags))
        if not self.record().is_trained:
            what = resume or ("--config", str(self.folder / SETTINGS))
            return Step(("lear", "train", *what, "--output", place, *data))
        flags = ["--json"]
        flags += ["--execute"] if experiment.executes else []
        flags += [] if experiment.blames else ["--skip-faults"]
        return Step(("lear", "evaluate", place, missing[0], *flags, *data), missing[0])

    def _has_checkpoint(self) -> bool:
        return (self.training / "checkpoint.safetensors").is_file()

    def _is_whole(self, key: str) -> bool:
        """Return True if a result is there with all that the experiment asks for.

        Another row with the same run may have asked for less.
        """
        result = self.result(key)
        if result is None or not isinstance(self.experiment, Training):
            return result is not None
        lacks_faults = self.experiment.blames and are_faults_missing(result)
        lacks_answers = self.experiment.executes and result.get("denotation") is None
        return not (lacks_faults or lacks_answers)

    def _is_outdated(self) -> bool:
        """Return True if it is a measurement of speed, of code that has changed since."""
        made = self.record().made if self.is_of_speed else None
        return made is not None and made.code != code_digest()

    def command(self) -> str:
        """Return what a user would type for the same."""
        experiment = self.experiment
        if isinstance(experiment, Measurement):
            start = "lear" if experiment.program == "lear" else f"python -m {experiment.program}"
            return f"{start} {shlex.join(experiment.arguments)}"
        is_baseline = isinstance(experiment, Baseline)
        command, flag = ("baseline", "architecture") if is_baseline else ("train", "recipe")
        start = f"lear {command} {experiment.benchmark} --{flag} {experiment.recipe}"
        flags = "".join(f" --{key} {shlex.quote(value)}" for key, value in self.flags.items())
        return f"{start}{flags} --seed {self.seed}"


def _flag(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def identify(experiment: Experiment, seed: int, runs: Path, data: str | None) -> Run:
    """Return the run of an experiment with a seed; `LearError` if its settings make no sense."""
    benchmark, changed, flags = experiment.benchmark, Settings(), dict[str, str]()
    parts = PARTS if isinstance(experiment, Measurement) else TRAINING_PARTS
    files = json.dumps(file_digests(benchmark, parts, data))
    if isinstance(experiment, Measurement):
        program = FIRST_PROGRAMS.get(experiment.program, experiment.program)
        text = json.dumps([program, *experiment.arguments])
        digested = [text, files]
        if experiment.recipe:
            from lear.learning.config import to_toml

            digested.append(to_toml(recipe_settings(benchmark, experiment.recipe, {})))
        title = folder_name(experiment.name, benchmark)
        name = folder_name(title, digest := _short_digest(*digested))
        return Run(experiment, 0, title, digest, text, flags, changed, runs / name, data)
    if isinstance(experiment, Baseline):
        text, flags, changed = _baseline(experiment, seed)
        digest = _short_digest(benchmark, text, files)
    else:
        text, flags, changed = _training(experiment, seed)
        digest = _short_digest(text, files)
    title = folder_name(benchmark, experiment.recipe, *short_names(changed))
    folder = runs / folder_name(title, f"seed-{seed}", digest)
    return Run(experiment, seed, title, digest, text, flags, changed, folder, data)


def _training(experiment: Training, seed: int) -> tuple[str, dict[str, str], Settings]:
    """Return all settings of a training as TOML, its flags, and what they change in the recipe."""
    from lear.learning.config import to_toml

    given = {"seed": str(seed)}
    recipe = _settings(recipe_settings(experiment.benchmark, experiment.recipe, given))
    flags = dict(experiment.overrides or {})
    if flags.get("curriculum") == ONE_LESSON:
        flags["curriculum"] = one_lesson(recipe["curriculum"])
    config = recipe_settings(experiment.benchmark, experiment.recipe, given | flags)
    was = _flat(recipe)
    changed = {k: v for k, v in _flat(_settings(config)).items() if was.get(k) != v}
    return to_toml(config), flags, changed


def _baseline(experiment: Baseline, seed: int) -> tuple[str, dict[str, str], Settings]:
    """Return all settings of a baseline as JSON, its flags, and what they change."""
    from lear.baselines.config import load_config

    domain, _ = find_benchmark(experiment.benchmark)
    flags = dict(experiment.overrides or {})
    given = {"architecture": experiment.recipe, "seed": str(seed)}
    settings = _settings(load_config(domain.name, given | flags))
    return json.dumps(settings, sort_keys=True), flags, {**flags}


def recipe_settings(benchmark: str, recipe: str, changed: Mapping[str, str]) -> "RunConfig":
    """Return the settings of a recipe for a benchmark, with some changed."""
    from lear.learning.config import find_recipe, load_config

    domain, _ = find_benchmark(benchmark)
    path = find_recipe(domain.name, recipe, domain.recipes)
    return load_config(path, {"benchmark": f'"{benchmark}"', **changed})


def is_recipe_itself(run: Run) -> bool:
    """Return True if what an experiment changes is as the recipe has it already."""
    return isinstance(run.experiment, Training) and bool(run.flags) and not run.changed


def file_digests(benchmark: str, parts: tuple[str, ...], data: str | None) -> Files:
    """Return the files of some parts of a benchmark; none where rows are generated."""
    _, found = find_benchmark(benchmark)
    root = DataFolder.choose(data).root
    files = (file.path for part in parts for file in found.files.get(part, ()))
    return {path: _digest(root / path) for path in dict.fromkeys(files)}


@cache
def _digest(path: Path) -> str:
    return sha256_of(path) if path.is_file() else ABSENT


def _short_digest(*texts: str) -> str:
    """Return a few characters that tell these texts from others."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:10]


def _settings(config: msgspec.Struct) -> Settings:
    """Return settings as JSON has them."""
    return msgspec.json.decode(msgspec.json.encode(config), type=dict[str, Any])


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Settings:
    """Return nested settings by dotted name."""
    result: Settings = {}
    for key, value in settings.items():
        is_nested = isinstance(value, Mapping)
        result |= _flat(value, f"{prefix}{key}.") if is_nested else {f"{prefix}{key}": value}
    return result


def one_lesson(curriculum: list[dict[str, Any]]) -> str:
    """Return the last lesson alone as a flag, for the epochs and with the rates of all lessons."""
    lesson = dict(curriculum[-1])
    if len(curriculum) > 1:
        lesson["final_rate"] = (
            lesson["rate"] if lesson["final_rate"] is None else lesson["final_rate"]
        )
        lesson["epochs"] = sum(other["epochs"] for other in curriculum)
        lesson["rate"] = curriculum[0]["rate"]
    values = (f"{key} = {json.dumps(value)}" for key, value in lesson.items() if value is not None)
    return f"[{{{', '.join(values)}}}]"


def short_names(changed: Settings) -> list[str]:
    """Return changed settings as parts of a folder's name: `abstraction=false`, `curriculum`."""
    names = []
    for key, value in sorted(changed.items()):
        text = value if isinstance(value, str) else json.dumps(value)
        is_short = not isinstance(value, list) and len(text) <= LONGEST_VALUE
        name = key.rsplit(".", 1)[-1]
        names.append(f"{name}={text}" if is_short else name)
    return names


def folder_name(*parts: str) -> str:
    """Return parts as one name that any file system takes."""
    return "".join(c if c.isalnum() or c in "=-._+" else "-" for c in "+".join(parts))
