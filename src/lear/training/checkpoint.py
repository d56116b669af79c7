"""Checkpoints: weights, optimizer and place in the run, in one file that is whole or not there.

Randomness needs no state: each epoch's order and each step's draws come from the seed and their
number. So a resumed run does exactly what an unbroken one would have done.
"""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from torch.optim.swa_utils import AveragedModel

from lear.network.network import Network
from lear.network.objective import Objective
from lear.training.checkpoint_file import (
    load_optimizer,
    optimizer_tensors,
    read_contents,
    write_contents,
)

FORMAT = "lear-checkpoint-5"
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a run stands."""

    stage: Count = 0
    """Stages done."""
    stage_epoch: Count = 0
    """Epochs done of the stage that follows."""
    epoch: Count = 0
    """Epochs begun and left, over all stages."""
    step: Count = 0
    """Steps done in the epoch that follows."""
    total_steps: Count = 0
    best_dev: Annotated[float, msgspec.Meta(ge=-1, le=1)] = -1.0
    loss_sum: float = 0.0
    """Of the steps since the last look at dev, or of this epoch, weighted by rows."""
    rows: Count = 0
    """Rows of these steps."""


def save_checkpoint(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    objective: Objective,
    progress: Progress,
    average: AveragedModel | None = None,
    settings: bytes = b"{}",
) -> None:
    """Write a checkpoint; `settings` are those of the run, as JSON."""
    parts = {
        "weight": network.state_dict(),
        "objective": objective.state(),
        "optimizer": optimizer_tensors(optimizer),
        "average": {} if average is None else average.state_dict(),
    }
    tensors = {f"{part}.{name}": t for part, named in parts.items() for name, t in named.items()}
    texts = {"progress": msgspec.json.encode(progress).decode(), "settings": settings.decode()}
    write_contents(path, FORMAT, texts, tensors)


def settings_of(path: Path) -> dict[str, Any]:
    """The settings of the run that a checkpoint is of."""
    with read_contents(path, FORMAT) as contents:
        return msgspec.json.decode(contents.texts["settings"], type=dict[str, Any])


def load_checkpoint(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    objective: Objective,
    average: AveragedModel | None = None,
) -> Progress:
    """Put a checkpoint's state where it belongs; return where the run stood."""
    with read_contents(path, FORMAT) as contents:
        progress = msgspec.json.decode(contents.texts["progress"], type=Progress)
        weights, wanted = contents.named("weight."), network.state_dict()
        if {n: t.shape for n, t in weights.items()} != {n: t.shape for n, t in wanted.items()}:
            raise ValueError("its weights do not fit the settings")
        network.load_state_dict(weights)
        objective.load_state(contents.named("objective."))
        if average is not None:
            average.load_state_dict(contents.named("average."))
        load_optimizer(optimizer, contents.named("optimizer."))
    return progress
