"""Checkpoints of a baseline: all of a run's state in one file, whole or not there."""

from pathlib import Path
from typing import Annotated

import msgspec
import torch
from torch import Tensor, nn

from lear.errors import DataError
from lear.training.checkpoint_file import (
    load_optimizer,
    optimizer_tensors,
    read_contents,
    write_contents,
)

FORMAT = "lear-baseline-1"
Weights = dict[str, Tensor]
Count = Annotated[int, msgspec.Meta(ge=0, lt=2**53)]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class DevScore(msgspec.Struct, frozen=True):
    """What was seen when dev was scored."""

    step: Count
    seconds: Seconds
    loss: float
    """Mean over the steps since dev was last scored."""
    dev_exact_match: Annotated[float, msgspec.Meta(ge=0, le=1)]


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a run stands."""

    run: str
    """What the run is of: settings and data. A run goes on with the same, or not at all."""
    steps: Count = 0
    epoch: Count = 0
    """Epochs done."""
    batches: Count = 0
    """Batches done in the epoch that follows."""
    rows: Count = 0
    seconds: Seconds = 0.0
    loss_sum: float = 0.0
    """Of the steps since dev was last scored."""
    history: tuple[DevScore, ...] = ()

    @property
    def best_dev(self) -> float:
        """The best score so far."""
        return max((score.dev_exact_match for score in self.history), default=-1.0)


def save_checkpoint(
    path: Path, model: nn.Module, best: Weights, optimizer: torch.optim.Optimizer, at: Progress
) -> None:
    """Write a checkpoint."""
    parts = {"model": model.state_dict(), "best": best, "optimizer": optimizer_tensors(optimizer)}
    tensors = {f"{part}.{name}": t for part, named in parts.items() for name, t in named.items()}
    write_contents(path, FORMAT, {"progress": msgspec.json.encode(at).decode()}, tensors)


def load_checkpoint(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, run: str
) -> tuple[Weights, Progress]:
    """Put a checkpoint's state where it belongs; return the best weights, and where it stood."""
    with read_contents(path, FORMAT) as contents:
        progress = msgspec.json.decode(contents.texts["progress"], type=Progress)
        if progress.run != run:
            raise DataError(f"{path}: that run has other settings or data; give those, or --output")
        best = contents.named("best.")
        model.load_state_dict(best)
        model.load_state_dict(contents.named("model."))
        load_optimizer(optimizer, contents.named("optimizer."))
    return best, progress
