"""Checkpoints: weights, optimizer and place in the run, in one file that is whole or not there.

Randomness needs no state: each epoch's order and each step's draws come from the seed and their
number. So a resumed run does exactly what an unbroken one would have done.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from lear.errors import DataError
from lear.model.signature import check_signature, signed
from lear.network.network import Network
from lear.network.objective import Objective
from lear.storage.atomic_file import write_whole

KINDS = {"F16", "F32", "F64", "I32", "I64", "BOOL", "U8"}
"""What tensors may be, as safetensors names it."""
DAMAGE = (LookupError, RuntimeError, TypeError, ValueError, RecursionError)
"""What goes wrong when a file holds other things than it should."""
OPTIMIZER_STATE: dict[type[torch.optim.Optimizer], set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adadelta: {"step", "square_avg", "acc_delta"},
}
"""What each optimizer remembers of a weight."""
FORMAT = "lear-checkpoint-4"
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
        "settings": settings.decode(),
    }
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    write_whole(path, save(ready, signed(metadata, _arrays(ready))))


def settings_of(path: Path) -> dict[str, Any]:
    """The settings of the run that a checkpoint is of."""
    with _opened(path) as file:
        return msgspec.json.decode(file.metadata()["settings"], type=dict[str, Any])


def load_checkpoint(
    path: Path,
    network: Network,
    optimizer: torch.optim.Optimizer,
    objective: Objective,
    average: AveragedModel | None = None,
) -> Progress:
    """Put a checkpoint's state where it belongs; return where the run stood."""
    with _opened(path) as file:
        metadata = file.metadata()
        progress = msgspec.json.decode(metadata["progress"], type=Progress)
        scalars = msgspec.json.decode(metadata["scalars"], type=dict[str, float])
        tensors = {name: file.get_tensor(name) for name in list(file.keys())}
        check_signature(metadata, _arrays(tensors))
        network.load_state_dict(_named("weight.", tensors))
        objective.load_state(_named("objective.", tensors))
        if average is not None:
            average.load_state_dict(_named("average.", tensors))
        _load_optimizer(optimizer, _named("optimizer.", tensors), scalars)
    return progress


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A checkpoint to read from; whatever is wrong with it is a `DataError` that names it."""
    if not path.is_file():
        raise DataError(f"{path}: no checkpoint to resume from")
    try:
        with safe_open(str(path), framework="pt", device="cpu") as file:
            if (file.metadata() or {}).get("format") != FORMAT:
                raise DataError(f"{path}: not a checkpoint of this version of lear")
            kinds = {file.get_slice(name).get_dtype() for name in list(file.keys())}
            if not kinds <= KINDS:
                raise DataError(f"{path}: holds {', '.join(sorted(kinds - KINDS))}: no checkpoint")
            yield file
    except (SafetensorError, msgspec.DecodeError, *DAMAGE) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: not a whole checkpoint of this run: {reason}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def _arrays(tensors: dict[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


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
