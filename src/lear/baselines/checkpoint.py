"""Checkpoints of a baseline: all of a run's state in one safetensors file, whole or not there."""

from pathlib import Path
from typing import Any

import msgspec
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from lear.errors import DataError
from lear.model.signature import check_signature, signed
from lear.storage.atomic_file import write_whole

Weights = dict[str, Tensor]


class DevScore(msgspec.Struct, frozen=True):
    """What was seen when dev was scored."""

    step: int
    seconds: float
    loss: float
    """Mean over the steps since dev was last scored."""
    dev_exact_match: float


class Progress(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a run stands."""

    run: str
    """What the run is of: settings and data. A run goes on with the same, or not at all."""
    steps: int = 0
    epoch: int = 0
    """Epochs done."""
    batches: int = 0
    """Batches done in the epoch that follows."""
    rows: int = 0
    seconds: float = 0.0
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
    states = optimizer.state_dict()["state"]
    tensors = {f"model {name}": tensor for name, tensor in model.state_dict().items()}
    tensors |= {f"best {name}": tensor for name, tensor in best.items()}
    tensors |= {f"adam {i} {name}": t for i in states for name, t in states[i].items()}
    metadata = {"progress": msgspec.json.encode(at).decode()}
    arrays = {name: tensor.numpy() for name, tensor in tensors.items()}
    write_whole(path, save(tensors, signed(metadata, arrays)))


def load_checkpoint(
    path: Path, model: nn.Module, optimizer: torch.optim.Optimizer, run: str
) -> tuple[Weights, Progress]:
    """Put a checkpoint's state where it belongs; return the best weights, and where it stood."""
    if not path.is_file():
        raise DataError(f"{path}: no checkpoint to resume from")
    try:
        with safe_open(str(path), framework="pt", device="cpu") as file:
            metadata = file.metadata() or {}
            progress = msgspec.json.decode(metadata["progress"], type=Progress)
            tensors = {name: file.get_tensor(name) for name in list(file.keys())}
        check_signature(metadata, {name: tensor.numpy() for name, tensor in tensors.items()})
        if progress.run != run:
            raise DataError(f"{path}: that run has other settings or data; give those, or --output")
        best = _named("best ", tensors)
        model.load_state_dict(best)
        model.load_state_dict(_named("model ", tensors))
        states: dict[int, dict[str, Any]] = {}
        for name, tensor in _named("adam ", tensors).items():
            number, key = name.split(" ")
            states.setdefault(int(number), {})[key] = tensor
        optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    except (SafetensorError, msgspec.MsgspecError, LookupError, RuntimeError, ValueError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: not a whole checkpoint of this run: {reason}") from None
    return best, progress


def _named(prefix: str, tensors: Weights) -> Weights:
    """The tensors whose names begin so, without it."""
    return {n.removeprefix(prefix): t for n, t in tensors.items() if n.startswith(prefix)}
