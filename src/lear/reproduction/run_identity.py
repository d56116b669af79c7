"""Which run an experiment and a seed stand for: all settings, their digest, a folder's name.

Equal settings on equal data are one run, whatever row asks for it. Settings are resolved when a
plan is made and given to the run as a file, so that a recipe edited meanwhile changes nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from lear.domains.registry import find_benchmark
from lear.reproduction.data_version import all_file_digests, file_digests, short_digest
from lear.reproduction.table import (
    MEASURED,
    ONE_LESSON,
    Baseline,
    Experiment,
    Measurement,
    Training,
)

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
    from lear.training.recipes import find_recipe
    from lear.training.run_config import load_config, to_toml

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
    from lear.baselines.config import load_config

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
    from lear.training.recipes import find_recipe
    from lear.training.run_config import load_config, to_toml

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
