"""Checkpoints: weights, optimizer and place in the run, in one file that is whole or not there.

Randomness needs no state: each epoch's order and each step's draws come from the seed and their
number. So a resumed run does exactly what an unbroken one would have done.
"""

from pathlib import Path

import msgspec
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from lear.errors import DataError
from lear.network.network import Network
from lear.network.objective import Objective
from lear.storage.atomic_file import write_whole

DAMAGE = (LookupError, RuntimeError, TypeError, ValueError)
"""What goes wrong when a file holds other things than it should."""
OPTIMIZER_STATE: dict[type[torch.optim.Optimizer], set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adadelta: {"step", "square_avg", "acc_delta"},
}
"""What each optimizer remembers of a weight."""
FORMAT = "lear-checkpoint-3"


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a run stands."""

    stage: int = 0
    """Stages done."""
    stage_epoch: int = 0
    """Epochs done of the stage that follows."""
    epoch: int = 0
    """Epochs begun and left, over all stages."""
    step: int = 0
    """Steps done in the epoch that follows."""
    total_steps: int = 0
    best_dev: float = -1.0
    loss_sum: float = 0.0
    """Of the steps since the last look at dev, or of this epoch, weighted by rows."""
    rows: int = 0
    """Rows of these steps."""


def save_checkpoint(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    objective: Objective,
    progress: Progress,
    average: AveragedModel | None = None,
) -> None:
    """Write a checkpoint."""
    tensors = {f"objective.{name}": tensor for name, tensor in objective.state().items()}
    tensors |= {f"weight.{name}": tensor for name, tensor in network.state_dict().items()}
    if average is not None:
        tensors |= {f"average.{name}": tensor for name, tensor in average.state_dict().items()}
    scalars: dict[str, float] = {}
    for index, state in optimizer.state_dict()["state"].items():
        for name, value in state.items():
            if isinstance(value, Tensor):
                tensors[f"optimizer.{index}.{name}"] = value
            else:
                scalars[f"{index}.{name}"] = value
    metadata = {
        "format": FORMAT,
        "progress": msgspec.json.encode(progress).decode(),
        "scalars": msgspec.json.encode(scalars).decode(),
    }
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(ready, metadata))


def load_checkpoint(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    objective: Objective,
    average: AveragedModel | None = None,
) -> Progress:
    """Put a checkpoint's state where it belongs; return where the run stood."""
    if not path.is_file():
        raise DataError(f"{path}: no checkpoint to resume from")
    try:
        with safe_open(str(path), framework="pt", device="cpu") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT:
                raise DataError(f"{path}: not a checkpoint of this version of lear")
            progress = msgspec.json.decode(metadata["progress"], type=Progress)
            scalars = msgspec.json.decode(metadata["scalars"], type=dict[str, float])
            tensors = {name: file.get_tensor(name) for name in list(file.keys())}
        network.load_state_dict(_named("weight.", tensors))
        objective.load_state(_named("objective.", tensors))
        if average is not None:
            average.load_state_dict(_named("average.", tensors))
        _load_optimizer(optimizer, _named("optimizer.", tensors), scalars)
    except (SafetensorError, msgspec.DecodeError, *DAMAGE) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: not a whole checkpoint of this run: {reason}") from None
    return progress


def _load_optimizer(
    optimizer: torch.optim.Optimizer, tensors: dict[str, Tensor], scalars: dict[str, float]
) -> None:
    states: dict[int, dict[str, Tensor | float]] = {}
    both: dict[str, Tensor | float] = {**tensors, **scalars}
    for name, value in both.items():
        index, key = name.split(".", 1)
        states.setdefault(int(index), {})[key] = value
    whole = optimizer.state_dict()
    for group in whole["param_groups"]:
        for index in group["params"]:
            if index in states and set(states[index]) != OPTIMIZER_STATE[type(optimizer)]:
                raise ValueError(f"the optimizer's state of weight {index} is not whole")
    whole["state"] = states
    optimizer.load_state_dict(whole)


def _named(prefix: str, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """The tensors whose names begin so, without it."""
    return {n.removeprefix(prefix): t for n, t in tensors.items() if n.startswith(prefix)}
