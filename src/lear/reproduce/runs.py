"""The version of a benchmark's data: the SHA-256 of each of its files, as they are on disk.

Which run an experiment and a seed stand for: all settings, their digest, a folder's name.

Equal settings on equal data are one run, whatever row asks for it. Settings are resolved when a
plan is made and given to the run as a file, so that a recipe edited meanwhile changes nothing.

The folder of a run: its record, its log, its model and its results, kept for later calls.

`lear train` has a folder of its own inside it, `training`, which holds the checkpoint.
"""

import hashlib
import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from lear.benchmark import PARTS
from lear.domains.registry import find_benchmark
from lear.errors import DataError, FileMissingError
from lear.reproduce.machine import Provenance
from lear.reproduce.table import (
    MEASURED,
    ONE_LESSON,
    Baseline,
    Experiment,
    Measurement,
    Result,
    Training,
)
from lear.storage.datasets import DataFolder, sha256_of
from lear.storage.files import encode_json, read_json, write_whole

ABSENT = "absent"

Files = dict[str, str]
"""Path below the data folder -> SHA-256; `absent` where there is no such file."""


def file_digests(benchmark: str, parts: tuple[str, ...], data: str | None) -> Files:
    """The files of some parts of a benchmark; none where rows are generated."""
    _, found = find_benchmark(benchmark)
    root = DataFolder.choose(data).root
    files = (file.path for part in parts for file in found.files.get(part, ()))
    return {path: _digest(root / path) for path in dict.fromkeys(files)}


def all_file_digests(benchmark: str, data: str | None) -> Files:
    """The files of all parts of a benchmark."""
    return file_digests(benchmark, PARTS, data)


def short_digest(*texts: str) -> str:
    """A few characters that tell these texts from others."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:10]


@cache
def _digest(path: Path) -> str:
    return sha256_of(path) if path.is_file() else ABSENT


LONGEST_VALUE = 20
"""Longer values of settings are left out of a folder's name; the digest tells them apart."""
TRAINING_PARTS = ("train", "dev")

Settings = dict[str, Any]
"""Dotted name -> value."""


@dataclass(frozen=True)
class Run:
    """One run: a training with a seed and its evaluations, or a measurement."""

    name: str
    """Of its folder."""
    experiment: Experiment
    seed: int
    digest: str
    config: str
    """All settings, as text: TOML that `lear train --config` reads, else JSON."""
    flags: dict[str, str]
    """What the experiment changes in the recipe, as flags of the command."""
    changed: Settings
    """Settings that differ from those of the recipe."""
    results: tuple[str, ...]
    """The keys of its results: benchmarks that it is evaluated on."""

    @property
    def title(self) -> str:
        """Its name without seed and digest."""
        return self.name.removesuffix(f"+{self.digest}").removesuffix(f"+seed-{self.seed}")

    @property
    def alike(self) -> tuple[str, ...]:
        """What it has in common with runs that take about as long."""
        experiment = self.experiment
        if isinstance(experiment, Measurement):
            return experiment.name, experiment.benchmark
        if isinstance(experiment, Training):
            return experiment.benchmark, experiment.recipe
        return experiment.benchmark, experiment.architecture, json.dumps(self.changed)


def identify(experiment: Experiment, seed: int, data: str | None) -> Run:
    """The run of an experiment with a seed; raise `LearError` if its settings make no sense."""
    if isinstance(experiment, Training):
        return _training(experiment, seed, data)
    if isinstance(experiment, Baseline):
        return _baseline(experiment, seed, data)
    return _measurement(experiment, data)


def is_recipe_itself(experiment: Experiment, seed: int, data: str | None) -> bool:
    """Whether what an experiment changes is as the recipe has it already."""
    changes = isinstance(experiment, Training) and bool(experiment.overrides)
    return changes and not identify(experiment, seed, data).changed


def _training(experiment: Training, seed: int, data: str | None) -> Run:
    from lear.learning.config import find_recipe, load_config, to_toml

    domain, _ = find_benchmark(experiment.benchmark)
    path = find_recipe(domain.name, experiment.recipe, domain.recipes)
    given = {"benchmark": f'"{experiment.benchmark}"', "seed": str(seed)}
    recipe = load_config(path, given)
    overrides = dict(experiment.overrides or {})
    if overrides.get("curriculum") == ONE_LESSON:
        overrides["curriculum"] = one_lesson(plain(recipe)["curriculum"])
    config = load_config(path, given | overrides)
    was = flat(plain(recipe))
    changed = {k: v for k, v in flat(plain(config)).items() if was.get(k) != v}
    text = to_toml(config)
    files = file_digests(experiment.benchmark, TRAINING_PARTS, data)
    digest = short_digest(text, json.dumps(files))
    what = (experiment.benchmark, experiment.recipe, *short_names(changed))
    name, results = folder_name((*what, f"seed-{seed}", digest)), experiment.evaluated_on
    return Run(name, experiment, seed, digest, text, overrides, changed, results)


def _baseline(experiment: Baseline, seed: int, data: str | None) -> Run:
    from lear.baselines.networks import load_config

    domain, _ = find_benchmark(experiment.benchmark)
    given = {"architecture": experiment.architecture, "seed": str(seed)}
    changed = dict(experiment.overrides or {})
    settings = plain(load_config(domain.name, given | changed))
    text = json.dumps(settings, sort_keys=True)
    files = file_digests(experiment.benchmark, TRAINING_PARTS, data)
    digest = short_digest(experiment.benchmark, text, json.dumps(files))
    what = (experiment.benchmark, experiment.architecture, *short_names(changed))
    name = folder_name((*what, f"seed-{seed}", digest))
    return Run(name, experiment, seed, digest, text, changed, {**changed}, experiment.evaluated_on)


def _measurement(experiment: Measurement, data: str | None) -> Run:
    files = all_file_digests(experiment.benchmark, data)
    text = json.dumps([experiment.module, *experiment.arguments])
    digest = short_digest(text, json.dumps(files), *_settings_of_recipe(experiment))
    name = folder_name((experiment.name, experiment.benchmark, digest))
    return Run(name, experiment, 0, digest, text, {}, {}, (MEASURED,))


def _settings_of_recipe(experiment: Measurement) -> tuple[str, ...]:
    """The settings of the recipe that a measurement reads, if it reads one."""
    if not experiment.recipe:
        return ()
    from lear.learning.config import find_recipe, load_config, to_toml

    domain, _ = find_benchmark(experiment.benchmark)
    path = find_recipe(domain.name, experiment.recipe, domain.recipes)
    return (to_toml(load_config(path, {"benchmark": f'"{experiment.benchmark}"'})),)


def plain(config: msgspec.Struct) -> Settings:
    """Settings as JSON has them."""
    return msgspec.json.decode(msgspec.json.encode(config), type=dict[str, Any])


def flat(settings: Mapping[str, Any], prefix: str = "") -> Settings:
    """Nested settings by dotted name."""
    result: Settings = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            result |= flat(value, f"{prefix}{key}.")
        else:
            result[f"{prefix}{key}"] = value
    return result


def one_lesson(curriculum: list[dict[str, Any]]) -> str:
    """The last lesson alone, for the epochs of all and with the rates of all, as a flag has it."""
    if len(curriculum) == 1:
        stage = curriculum[0]
    else:
        first, last = curriculum[0], curriculum[-1]
        final_rate = last["rate"] if last["final_rate"] is None else last["final_rate"]
        epochs = sum(stage["epochs"] for stage in curriculum)
        stage = last | {"epochs": epochs, "rate": first["rate"], "final_rate": final_rate}
    values = (f"{key} = {json.dumps(value)}" for key, value in stage.items() if value is not None)
    return f"[{{{', '.join(values)}}}]"


def short_names(changed: Settings) -> list[str]:
    """Changed settings as parts of a folder's name: `abstraction=false`, `curriculum`."""
    names = []
    for key, value in sorted(changed.items()):
        text = value if isinstance(value, str) else json.dumps(value)
        is_short = not isinstance(value, list) and len(text) <= LONGEST_VALUE
        name = key.rsplit(".", 1)[-1]
        names.append(f"{name}={text}" if is_short else name)
    return names


def folder_name(parts: tuple[str, ...]) -> str:
    """Parts as one name that any file system takes."""
    allowed = set("=-._")
    text = "+".join(parts)
    return "".join(c if c.isalnum() or c in allowed or c == "+" else "-" for c in text)


Seconds = Annotated[float, msgspec.Meta(ge=0)]


class Record(msgspec.Struct, frozen=True):
    """What is known of a run besides its results."""

    is_trained: bool = False
    seconds: Seconds = 0.0
    """Of training, from raw files to the model, over all sessions."""
    other_seconds: Seconds = 0.0
    """Of evaluations and measurements."""
    failure: str = ""
    """Why the last attempt failed, in one line."""
    made: Provenance | None = None
    """Where and when it was begun."""


class _Kept(msgspec.Struct, frozen=True):
    """A result on disk, with the files that it was measured on."""

    files: dict[str, str]
    result: dict[str, Any]


class _Relied(msgspec.Struct, frozen=True):
    """What is relied upon of a result, where it has it; other figures are looked at one by one."""

    exact_match: float | None = None
    faults: dict[str, Annotated[int, msgspec.Meta(ge=0)]] = {}


@dataclass(frozen=True)
class RunFiles:
    """The files of one run."""

    root: Path

    @property
    def record_file(self) -> Path:
        """What is known of the run."""
        return self.root / "record.json"

    @property
    def config(self) -> Path:
        """All settings."""
        return self.root / "settings.toml"

    @property
    def log(self) -> Path:
        """What the run's commands wrote to stderr."""
        return self.root / "log.txt"

    @property
    def output(self) -> Path:
        """What the command under way writes to stdout."""
        return self.root / "output.json"

    @property
    def training(self) -> Path:
        """The folder of `lear train` or `lear baseline`."""
        return self.root / "training"

    @property
    def checkpoint(self) -> Path:
        """Where training goes on, if it was cut off."""
        return self.training / "checkpoint.safetensors"

    def result_file(self, key: str) -> Path:
        """The result of this key."""
        return self.root / "results" / f"{key.replace('/', '--') or 'measured'}.json"

    def record(self) -> Record:
        """What is known of the run; an empty record if it was never begun."""
        try:
            return read_json(self.record_file, Record, "the record of a run; delete its folder")
        except FileMissingError:
            return Record()

    def note(self, **changes: object) -> None:
        """Change the record."""
        changed = msgspec.structs.replace(self.record(), **changes)
        write_whole(self.record_file, msgspec.json.format(encode_json(changed)))

    def result(self, key: str, files: Mapping[str, str]) -> Result | None:
        """A result that was measured on these files; None if there is none, or a damaged one."""
        try:
            kept = read_json(self.result_file(key), _Kept, "a result")
            msgspec.convert(kept.result, _Relied)
        except (DataError, msgspec.ValidationError):
            return None
        return kept.result if kept.files == files else None

    def keep_result(self, key: str, files: dict[str, str], result: dict[str, Any]) -> None:
        """Keep a result for later calls."""
        path = self.result_file(key)
        path.parent.mkdir(exist_ok=True)
        write_whole(path, msgspec.json.format(encode_json(_Kept(files, result))))

    def last_line(self) -> str:
        """The last line of the log, without the name of the program."""
        try:
            with self.log.open("rb") as stream:
                stream.seek(max(0, self.log.stat().st_size - 4096))
                lines = stream.read().decode(errors="replace").split("\n")
        except OSError:
            return ""
        written = [line.strip() for line in lines if line.strip()]
        return written[-1].removeprefix("lear: ") if written else ""

    def clear_training(self) -> None:
        """Remove what a training left that stopped before its first checkpoint."""
        shutil.rmtree(self.training, ignore_errors=True)
