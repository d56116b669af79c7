"""Small runs on the toy language, and what they leave in their folders."""

import json
from pathlib import Path

import torch
from safetensors import safe_open

from lear.domains.toy import TOY
from lear.learning.config import RunConfig, load_config
from lear.learning.run import train
from lear.learning.run_folder import RunFolder
from lear.model.model_file import load_model
from lear.parser import Parser
from tests.support.toy_rows import DEV, TRAIN

SMALL = {"benchmark": '"toy"', "threads": "1", "model.hidden": "16", "optim.batch_size": "16"}
POLICY = {
    "optim__objective": "reinforce",
    "model__symbols": "latent",
    "optim__samples": "3",
    "optim__batch_size": "64",
}
TYPED = {"model__symbols": "typed"}
UNITS = {
    "model__lexical": '"units"',
    "model__search": '"legal"',
    "optim__word_dropout": "0.2",
    "optim__batch_size": "8",
}
Weights = dict[str, torch.Tensor]


def config(**overrides: str) -> RunConfig:
    """Settings of a small run; two underscores stand for a dot."""
    dotted = {key.replace("__", "."): value for key, value in overrides.items()}
    return load_config(None, {**SMALL, "curriculum": "[{epochs = 3}]", **dotted})


def run(folder: Path, settings: RunConfig, *, resume: bool = False) -> Parser:
    """Train on the toy language."""
    return train(settings, TOY, {"train": TRAIN, "dev": DEV}, RunFolder(folder), resume=resume)


def weights(folder: Path, which: str = "last") -> Weights:
    """The weights of a run's model."""
    found = load_model(RunFolder(folder).model(which)).weights
    return {name: torch.tensor(weight) for name, weight in found.items()}


def checkpoint_tensors(folder: Path) -> Weights:
    """All that a run's checkpoint holds."""
    with safe_open(str(RunFolder(folder).checkpoint), framework="pt") as file:
        return {key: file.get_tensor(key) for key in list(file.keys())}


def same(a: Weights, b: Weights) -> bool:
    """Whether two networks agree bit by bit."""
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def losses(folder: Path) -> list[float]:
    """The loss of each epoch."""
    lines = (folder / "metrics.jsonl").read_text().splitlines()
    return [json.loads(line)["loss"] for line in lines]
