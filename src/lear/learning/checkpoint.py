"""Checkpoint files: tensors and texts in one safetensors file, which says when it is damaged.

What is read is untrusted: kinds and values are checked, and whatever else goes wrong while a state
is put where it belongs is a `DataError` that names the file.

Checkpoints: weights, optimizer and place in the run, in one file that is whole or not there.

Randomness needs no state: each epoch's order and each step's draws come from the seed and their
number. So a resumed run does exactly what an unbroken one would have done.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from lear.errors import DataError
from lear.messages import deferred_signals
from lear.model.model_file import check_signature, signed
from lear.model.network import Network, Objective
from lear.storage.files import write_whole

KINDS = {"F16", "F32", "F64", "I32", "I64"}
"""What tensors may be, as safetensors names it."""
OPTIMIZER_STATE: dict[type[torch.optim.Optimizer], set[str]] = {
    torch.optim.Adam: {"step", "exp_avg", "exp_avg_sq"},
    torch.optim.Adadelta: {"step", "square_avg", "acc_delta"},
}
"""What each optimizer remembers of a weight."""
_DAMAGE = (LookupError, RuntimeError, TypeError, ValueError, RecursionError)
"""What goes wrong when a file holds other things than it should."""


class Contents(NamedTuple):
    """What a checkpoint holds."""

    texts: dict[str, str]
    tensors: dict[str, Tensor]

    def named(self, prefix: str) -> dict[str, Tensor]:
        """The tensors whose names begin so, without it."""
        return {
            name.removeprefix(prefix): tensor
            for name, tensor in self.tensors.items()
            if name.startswith(prefix)
        }


def write_contents(
    path: Path, file_format: str, texts: Mapping[str, str], tensors: Mapping[str, Tensor]
) -> None:
    """Write a checkpoint, whole or not at all."""
    ready = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    metadata = {"format": file_format, **texts}
    write_whole(path, save(ready, signed(metadata, _arrays(ready))))


@contextmanager
def read_contents(path: Path, file_format: str) -> Iterator[Contents]:
    """A checkpoint's contents; use them inside of the block, where what does not fit is named."""
    if not path.is_file():
        raise DataError(f"{path}: no checkpoint to resume from")
    try:
        # torch would make of Ctrl-C an error like those of damaged files: it has to wait.
        with deferred_signals(), safe_open(str(path), framework="pt", device="cpu") as file:
            texts = file.metadata() or {}
            if texts.get("format") != file_format:
                raise DataError(f"{path}: not a checkpoint of this version of lear ({file_format})")
            names = list(file.keys())
            kinds = {file.get_slice(name).get_dtype() for name in names}
            if not kinds <= KINDS:
                raise ValueError(f"it holds {', '.join(sorted(kinds - KINDS))}")
            tensors = {name: file.get_tensor(name) for name in names}
        check_signature(texts, _arrays(tensors))
        if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
            raise ValueError("it holds what is not a number")
        yield Contents(texts, tensors)
    except (SafetensorError, msgspec.DecodeError, *_DAMAGE) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise DataError(f"{path}: not a whole checkpoint of this run: {reason}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """What an optimizer remembers, by number of the weight and name: `0.exp_avg`."""
    return {
        f"{number}.{name}": tensor
        for number, state in optimizer.state_dict()["state"].items()
        for name, tensor in state.items()
    }


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """Let an optimizer remember what `optimizer_tensors` gave; `ValueError` if it does not fit."""
    states: dict[int, dict[str, Tensor]] = {}
    for name, tensor in tensors.items():
        number, key = name.split(".", 1)
        states.setdefault(int(number), {})[key] = tensor
    weights = [weight for group in optimizer.param_groups for weight in group["params"]]
    wanted = OPTIMIZER_STATE[type(optimizer)]
    for index, state in states.items():
        shapes = {key: () if key == "step" else tuple(weights[index].shape) for key in wanted}
        if index < 0 or {key: tuple(tensor.shape) for key, tensor in state.items()} != shapes:
            raise ValueError(f"the optimizer's state of weight {index} does not fit")
        if state["step"] < 0:
            raise ValueError(f"the optimizer's state of weight {index} has negative steps")
    optimizer.load_state_dict({**optimizer.state_dict(), "state": states})


def _arrays(tensors: Mapping[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: tensor.numpy() for name, tensor in tensors.items()}


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
